//! `go.mod` and `go.work`, as far as they determine which packages are built. Other directives and
//! mistakes are ignored.
//!
//! The formats: [go.mod](https://go.dev/ref/mod#go-mod-file), [go.work](https://go.dev/ref/mod#go-work-file).

use super::super::go_quote;
use super::super::nri_module::{self, MODULE};
use super::super::{Unreadable, text};
use crate::check::content::Content;

/// The maximum number of replacements, and of folders of a workspace.
const MAX_ENTRIES: usize = 5000;

/// The relevant parts of a `go.mod` or `go.work`.
#[derive(Debug, Default)]
pub(in crate::check::evidence) struct GoMod {
    /// The path of the module.
    pub(in crate::check::evidence) module: Option<String>,
    /// The requirement of NRI.
    pub(in crate::check::evidence) requirement: Option<Requirement>,
    pub(in crate::check::evidence) replacements: Vec<Replacement>,
    /// The versions of NRI that the module excludes.
    pub(in crate::check::evidence) exclusions: Vec<String>,
    /// Folders that a `go.work` uses.
    pub(in crate::check::evidence) uses: Vec<String>,
    /// True if there are more entries than are kept.
    pub(in crate::check::evidence) cut: bool,
    block: Option<String>,
}

/// A `require MODULE VERSION`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check::evidence) struct Requirement {
    pub(in crate::check::evidence) version: String,
    pub(in crate::check::evidence) indirect: bool,
    pub(in crate::check::evidence) line: usize,
}

/// A `replace MODULE [OLD] => PATH [VERSION]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check::evidence) struct Replacement {
    pub(in crate::check::evidence) module: String,
    /// The version to replace, if stated.
    pub(in crate::check::evidence) old: Option<String>,
    pub(in crate::check::evidence) path: String,
    /// The new version; `None` for a folder.
    pub(in crate::check::evidence) version: Option<String>,
    pub(in crate::check::evidence) line: usize,
}

/// Returns false if the first bytes cannot be those of a module file, without looking further.
pub(super) fn may_be(head: &[u8]) -> bool {
    match head.trim_ascii_start().first() {
        Some(b'm' | b'g' | b't' | b'/' | b'"' | b'`') => true,
        // White space outside ASCII.
        Some(byte) => !byte.is_ascii(),
        None => false,
    }
}

/// Returns true if the first directive is that of a `go.mod`: `module`, or one that may precede it.
pub(super) fn is(head: &str) -> bool {
    let mut directives = head
        .lines()
        .map(directive)
        .filter(|words| !words.is_empty());
    directives.next().is_some_and(|words| {
        let first = words.first().map(String::as_str);
        matches!(first, Some("module") if words.len() == 2)
            || matches!(first, Some("go" | "toolchain") if words.len() == 2)
    })
}

impl GoMod {
    pub(super) fn parse(content: &dyn Content, largest: u64) -> Result<Self, Unreadable> {
        let mut found = Self::default();
        text::lines(content, largest, |number, line| found.line(number, line))?;
        Ok(found)
    }

    /// Parses a text in memory.
    pub(in crate::check::evidence) fn of_text(text: &[u8]) -> Self {
        let mut found = Self::default();
        let text = String::from_utf8_lossy(text);
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            found.line(index + 1, line);
        }
        found
    }

    /// Returns the replacement of NRI at a version. One for exactly this version takes precedence.
    pub(in crate::check::evidence) fn replacement(&self, version: &str) -> Option<&Replacement> {
        let of = |old: Option<&str>| {
            let mut all = self.replacements.iter();
            all.find(|by| by.module == MODULE && by.old.as_deref() == old)
        };
        of(Some(version)).or_else(|| of(None))
    }

    fn line(&mut self, number: usize, line: &str) {
        let words = directive(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match (self.block.take(), &words[..]) {
            (None, [verb, "("]) => self.block = Some((*verb).to_owned()),
            (None, [verb, rest @ ..]) => self.directive(verb, rest, number, line),
            (None, []) | (Some(_), [")"]) => {}
            (Some(verb), words) => {
                self.directive(&verb, words, number, line);
                self.block = Some(verb);
            }
        }
    }

    fn directive(&mut self, verb: &str, words: &[&str], number: usize, line: &str) {
        match (verb, words) {
            ("module", [path]) => self.module = Some((*path).to_owned()),
            // Of several, the newest counts.
            ("require", [MODULE, version]) if self.is_newer(version) => {
                self.requirement = Some(Requirement {
                    version: (*version).to_owned(),
                    indirect: is_indirect(line),
                    line: number,
                });
            }
            ("replace", [module, "=>", by @ ..]) => self.replace(module, None, by, number),
            ("replace", [module, old, "=>", by @ ..]) => {
                self.replace(module, Some(*old), by, number);
            }
            ("exclude", [MODULE, version]) if self.exclusions.len() < MAX_ENTRIES => {
                self.exclusions.push((*version).to_owned());
            }
            ("exclude", [MODULE, _]) => self.cut = true,
            ("use", [folder]) if self.uses.len() < MAX_ENTRIES => {
                self.uses.push((*folder).to_owned())
            }
            ("use", [_]) => self.cut = true,
            _ => {}
        }
    }

    fn is_newer(&self, version: &str) -> bool {
        let known = self.requirement.as_ref().map(|known| &known.version);
        known.is_none_or(|known| nri_module::parse(known) < nri_module::parse(version))
    }

    fn replace(&mut self, module: &str, old: Option<&str>, by: &[&str], line: usize) {
        let (path, version) = match by {
            [path] => (*path, None),
            [path, version] => (*path, Some((*version).to_owned())),
            _ => return,
        };
        if self.replacements.len() >= MAX_ENTRIES {
            self.cut = true;
            return;
        }
        self.replacements.push(Replacement {
            module: module.to_owned(),
            old: old.map(str::to_owned),
            path: path.to_owned(),
            version,
            line,
        });
    }
}

fn is_indirect(line: &str) -> bool {
    line.split_once("//").is_some_and(|(_, comment)| {
        let comment = comment.trim();
        comment == "indirect" || comment.starts_with("indirect;")
    })
}

/// Returns the words of a line without its comment; quotes are removed, and `(` and `)` are
/// separate words.
fn directive(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => {
                if open == '"' && word.contains('\\') {
                    word = go_quote::unescaped(&word);
                }
                quote = None;
            }
            (Some(_), letter) => word.push(letter),
            (None, '"' | '`') => quote = Some(letter),
            (None, '/') if letters.peek() == Some(&'/') => break,
            (None, '(' | ')') => {
                end(&mut words, &mut word);
                words.push(letter.to_string());
            }
            (None, letter) if letter.is_whitespace() => end(&mut words, &mut word),
            (None, letter) => word.push(letter),
        }
    }
    end(&mut words, &mut word);
    words
}

fn end(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}
