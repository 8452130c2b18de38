//! The module that a Go package on disk belongs to, and the NRI that its `go.mod` requires.
//!
//! A requirement does not show what is built, so a `go.mod` alone is never judged. It names the
//! release for the packages of its module.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::nri_module::MODULE;

/// The maximum number of folders that are searched upwards.
const MAX_ABOVE: usize = 64;

/// The maximum size of a `go.mod` in bytes; real ones have a few kilobytes.
const MAX_FILE: u64 = 4 << 20;

/// The module of a package.
#[derive(Debug)]
pub(in crate::check) struct GoModule {
    /// The folder of its `go.mod`.
    pub(in crate::check) folder: PathBuf,
    /// The path of the package relative to this folder, with `/`; empty for the folder itself.
    pub(in crate::check) path_of_package: String,
    /// True if the packages that the module uses are vendored.
    pub(in crate::check) is_vendored: bool,
    in_workspace: bool,
    file: Rc<GoMod>,
}

/// The `go.mod` files that were read, each once, by their folders.
#[derive(Default)]
pub(in crate::check) struct GoModules(RefCell<HashMap<PathBuf, Result<Rc<GoMod>, String>>>);

impl GoModules {
    /// Finds the `go.mod` of the innermost folder around a package.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is none, or if it cannot be read.
    pub(in crate::check) fn above(&self, package: &Path) -> Result<GoModule, String> {
        let package =
            package.canonicalize().map_err(|error| format!("cannot find its folder: {error}"))?;
        let folder = package
            .ancestors()
            .take(MAX_ABOVE)
            .find(|folder| folder.join("go.mod").is_file())
            .ok_or("there is no go.mod above it")?;
        let relative = package.strip_prefix(folder).unwrap_or(Path::new(""));
        let parts = relative.iter().map(|part| part.to_string_lossy());
        let mut above = folder.ancestors().take(MAX_ABOVE);
        Ok(GoModule {
            folder: folder.to_owned(),
            path_of_package: parts.collect::<Vec<_>>().join("/"),
            is_vendored: folder.join("vendor/modules.txt").is_file(),
            in_workspace: above.any(|ancestor| ancestor.join("go.work").is_file()),
            file: self.file(folder)?,
        })
    }

    fn file(&self, folder: &Path) -> Result<Rc<GoMod>, String> {
        let mut files = self.0.borrow_mut();
        let file = files.entry(folder.to_owned());
        file.or_insert_with(|| Ok(Rc::new(read(&folder.join("go.mod"))?))).clone()
    }
}

impl GoModule {
    /// Returns the path by which Go code imports the package.
    pub(in crate::check) fn import_path(&self) -> String {
        self.path_of(&self.path_of_package)
    }

    /// Returns the path by which Go code imports the package in this folder of the module.
    pub(in crate::check) fn path_of(&self, folder: &str) -> String {
        match folder {
            "" => self.file.path.clone(),
            path => format!("{}/{path}", self.file.path),
        }
    }

    /// Returns the release of NRI that the module builds with.
    ///
    /// # Errors
    ///
    /// Returns the reason if its files do not determine it.
    pub(in crate::check) fn release(&self) -> Result<&str, &'static str> {
        if self.in_workspace {
            return Err("a go.work above it may select another release of NRI");
        }
        self.file.release()
    }
}

fn read(path: &Path) -> Result<GoMod, String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE).read_to_string(&mut text));
    read.map_err(|error| format!("cannot read its go.mod: {error}"))?;
    Ok(GoMod::parse(&text))
}

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
            ("require", [MODULE, version]) => {
                self.required = Some(Requirement {
                    version: (*version).to_owned(),
                    is_indirect: comment.trim_start().starts_with("indirect"),
                });
            }
            ("exclude" | "replace", [MODULE, ..]) => self.selects_another = true,
            _ => {}
        }
    }

    /// Returns the required version of NRI, unless only other modules require it.
    pub(super) fn direct_requirement(&self) -> Option<&str> {
        let required = self.required.as_ref().filter(|required| !required.is_indirect);
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
            (format!("replace (\n{nri} v0.6.1 => {nri} v0.8.0\n)"), Err(())),
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
