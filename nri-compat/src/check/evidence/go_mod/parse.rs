//! The few directives of `go.mod` that concern one module; all others are passed over, as are mistakes.
//!
//! [The format](https://go.dev/ref/mod#go-mod-file).

use super::super::nri_module::MODULE;
use super::super::{Unreadable, text};
use crate::check::content::Content;

/// The most replacements kept.
const MOST: usize = 1000;

/// What a `go.mod` says of NRI.
#[derive(Debug, Default)]
pub(super) struct GoMod {
    pub(super) requirement: Option<Requirement>,
    replacements: Vec<Replacement>,
    block: Option<String>,
}

/// `require MODULE VERSION`
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) version: String,
    pub(super) indirect: bool,
    pub(super) line: usize,
}

/// `replace MODULE [OLD] => PATH [VERSION]`
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Replacement {
    /// The only version replaced, if it says one.
    old: Option<String>,
    pub(super) path: String,
    /// None for a folder.
    pub(super) version: Option<String>,
    pub(super) line: usize,
}

/// Whether the first directive is that of a `go.mod`: `module`, or one that may stand before it.
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

    /// What replaces the module at the version required. One for this version alone counts before one for all.
    pub(super) fn replacement(&self, requirement: &Requirement) -> Option<&Replacement> {
        let of = |old: Option<&String>| {
            let mut all = self.replacements.iter();
            all.find(|replacement| replacement.old.as_ref() == old)
        };
        of(Some(&requirement.version)).or_else(|| of(None))
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
            ("require", [MODULE, version]) => {
                self.requirement = Some(Requirement {
                    version: (*version).to_owned(),
                    indirect: is_indirect(line),
                    line: number,
                });
            }
            ("replace", [MODULE, "=>", by @ ..]) => self.replace(None, by, number),
            ("replace", [MODULE, old, "=>", by @ ..]) => self.replace(Some(*old), by, number),
            _ => {}
        }
    }

    fn replace(&mut self, old: Option<&str>, by: &[&str], line: usize) {
        let (path, version) = match by {
            [path] => (*path, None),
            [path, version] => (*path, Some((*version).to_owned())),
            _ => return,
        };
        if self.replacements.len() < MOST {
            self.replacements.push(Replacement {
                old: old.map(str::to_owned),
                path: path.to_owned(),
                version,
                line,
            });
        }
    }
}

fn is_indirect(line: &str) -> bool {
    line.split_once("//").is_some_and(|(_, comment)| {
        let comment = comment.trim();
        comment == "indirect" || comment.starts_with("indirect;")
    })
}

/// The words of a line without its comment; quotes are taken off, `(` and `)` are words of their own.
fn directive(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
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
