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
    /// True if versions of NRI are replaced or excluded, so that another one may be built.
    selects_another: bool,
}

#[derive(Debug)]
struct Requirement {
    version: String,
    is_indirect: bool,
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
            ("exclude" | "replace", [MODULE, ..]) => self.selects_another = true,
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
    /// Returns the reason if the file does not show it simply.
    pub(super) fn release(&self) -> Result<&str, &'static str> {
        if self.selects_another {
            return Err("its go.mod replaces NRI or excludes a version of it");
        }
        let required = self.required.as_ref();
        let version = required.map(|required| required.version.as_str());
        version.ok_or("its go.mod does not require NRI")
    }
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_alone_determines_the_release() {
        let required = "// (c)\nmodule example.org/x\nrequire (\n\t\"github.com/containerd/nri\" v0.6.1 // why\n)\n";
        let nri = "github.com/containerd/nri";
        for (rest, expected) in [
            (String::new(), Ok("v0.6.1")),
            (
                format!("replace (\n{nri} v0.6.1 => {nri} v0.8.0\n)"),
                Err(()),
            ),
            (format!("replace {nri} => ../.."), Err(())),
            (format!("exclude {nri} v0.6.1"), Err(())),
        ] {
            let module = GoMod::parse(&format!("{required}{rest}\n"));
            assert_eq!(module.release().map_err(drop), expected, "{rest}");
        }
        assert_eq!(GoMod::parse(required).path, "example.org/x");
        let unrelated = format!("module x\n// require {nri} v0.6.1\nrequire {nri}/v2 v2.0.0\n");
        assert!(GoMod::parse(&unrelated).release().is_err());
    }
}
