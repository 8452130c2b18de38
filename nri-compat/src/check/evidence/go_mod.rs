//! `go.mod`: the path of a module, and the NRI that it requires.
//!
//! A requirement does not show what is built, so a `go.mod` alone is never judged. It names the release for the
//! packages of its module.

use super::nri_module::{self, MODULE};

/// The relevant parts of a `go.mod`. Other directives and mistakes are ignored.
///
/// [The format](https://go.dev/ref/mod#go-mod-file).
#[derive(Debug, Default)]
pub(super) struct GoMod {
    /// The path of the module.
    pub(super) path: String,
    /// The requirement of NRI.
    required: Option<Requirement>,
    /// The replacements of NRI: the version that is replaced, if only one is, and the release instead of it, if it
    /// is one of NRI.
    replacements: Vec<(Option<String>, Option<String>)>,
    /// True if versions of NRI are excluded.
    excludes: bool,
}

#[derive(Debug)]
struct Requirement {
    version: String,
    is_indirect: bool,
}

/// The release of NRI that a module builds with.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::check) struct Release {
    /// The version, such as `v0.11.0`.
    pub(in crate::check) version: String,
    /// The key of the replacement that selects it, as `go mod edit -dropreplace` takes it.
    pub(in crate::check) replacement: Option<String>,
}

impl GoMod {
    /// Parses the text of a `go.mod`.
    pub(super) fn parse(text: &str) -> Self {
        let mut module = Self::default();
        let mut block: Option<String> = None;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let (code, comment) = line.split_once("//").unwrap_or((line, ""));
            let words: Vec<&str> = code.split_whitespace().map(unquoted).collect();
            match (&block, &words[..]) {
                (None, [verb, "("]) => block = Some((*verb).to_owned()),
                (Some(_), [")"]) => block = None,
                (Some(verb), words) => module.directive(verb, words, comment),
                (None, [verb, words @ ..]) => module.directive(verb, words, comment),
                (None, []) => {}
            }
        }
        module
    }

    fn directive(&mut self, verb: &str, words: &[&str], comment: &str) {
        match (verb, words) {
            ("module", [path]) => (*path).clone_into(&mut self.path),
            ("require", [MODULE, version]) if self.is_newer(version) => {
                self.required = Some(Requirement {
                    version: (*version).to_owned(),
                    is_indirect: comment.trim_start().starts_with("indirect"),
                });
            }
            ("exclude", [MODULE, ..]) => self.excludes = true,
            ("replace", [MODULE, "=>", by @ ..]) => self.replacements.push((None, release(by))),
            ("replace", [MODULE, old, "=>", by @ ..]) => {
                let old = Some((*old).to_owned());
                self.replacements.push((old, release(by)));
            }
            _ => {}
        }
    }

    /// Returns true for the first requirement, and for a newer one, which the toolchain selects.
    fn is_newer(&self, version: &str) -> bool {
        let known = self.required.as_ref();
        known.is_none_or(|known| nri_module::parse(&known.version) < nri_module::parse(version))
    }

    /// Returns the required version of NRI, unless only other modules require it.
    pub(super) fn direct_requirement(&self) -> Option<&str> {
        let required = self
            .required
            .as_ref()
            .filter(|required| !required.is_indirect);
        required.map(|required| required.version.as_str())
    }

    /// Returns the release of NRI that the module builds with.
    ///
    /// # Errors
    ///
    /// Returns the reason if the file does not determine it.
    pub(super) fn release(&self) -> Result<Release, &'static str> {
        let required = self
            .required
            .as_ref()
            .ok_or("its go.mod does not require NRI")?;
        if self.excludes {
            return Err("its go.mod excludes a version of NRI");
        }
        let of = |key: Option<&str>| {
            let mut all = self.replacements.iter();
            all.find(|(old, _)| old.as_deref() == key)
        };
        let version = &required.version;
        match of(Some(version)).or_else(|| of(None)) {
            None => Ok(Release {
                version: version.clone(),
                replacement: None,
            }),
            Some((_, None)) => Err("its go.mod replaces NRI by a folder or another module"),
            Some((old, Some(by))) => Ok(Release {
                version: by.clone(),
                replacement: Some(match old {
                    None => MODULE.to_owned(),
                    Some(old) => format!("{MODULE}@{old}"),
                }),
            }),
        }
    }
}

/// Returns the release of NRI that replaces another one; `None` for a folder or another module.
fn release(by: &[&str]) -> Option<String> {
    match by {
        [MODULE, version] => Some((*version).to_owned()),
        _ => None,
    }
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Option<String> {
        GoMod::parse(text).release().ok().map(|one| one.version)
    }

    #[test]
    fn a_requirement_and_a_plain_replacement_determine_the_release() {
        let required = "// (c)\nmodule example.org/x\nrequire (\n\t\"github.com/containerd/nri\" v0.6.1 // why\n)\n";
        let nri = "github.com/containerd/nri";
        for (rest, expected) in [
            (String::new(), Some("v0.6.1")),
            (format!("replace {nri} => {nri} v0.12.0"), Some("v0.12.0")),
            (
                format!("replace (\n{nri} v0.6.1 => {nri} v0.8.0\n)"),
                Some("v0.8.0"),
            ),
            (format!("replace {nri} v0.5.0 => ../.."), Some("v0.6.1")),
            (format!("replace {nri} => ../.."), None),
            (format!("replace {nri} => github.com/me/nri v0.12.0"), None),
            (format!("exclude {nri} v0.6.1"), None),
        ] {
            let found = version(&format!("{required}{rest}\n"));
            assert_eq!(found.as_deref(), expected, "{rest}");
        }
        assert_eq!(GoMod::parse(required).path, "example.org/x");
        let unrelated = format!("module x\n// require {nri} v0.6.1\nrequire {nri}/v2 v2.0.0\n");
        assert_eq!(version(&unrelated), None);
    }
}
