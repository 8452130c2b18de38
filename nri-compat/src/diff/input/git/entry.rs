//! The entries of a tree.

use crate::diff::input::buf;

/// A file, link or submodule of a tree, as `git ls-tree -z` lists it.
pub(super) struct Entry<'l> {
    pub(super) line: &'l [u8],
    pub(super) kind: Kind,
    /// The id of its content, or the commit of a submodule.
    pub(super) object: String,
    pub(super) path: String,
}

#[derive(PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    Submodule,
}

impl<'l> Entry<'l> {
    /// Reads `MODE TYPE OBJECT\tPATH`; `None` for a path that is not UTF-8, as no import can be.
    pub(super) fn parse(line: &'l [u8]) -> Option<Self> {
        let (about, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
        let mut about = about.split(' ');
        let kind = match about.next()? {
            "120000" => Kind::Link,
            "160000" => Kind::Submodule,
            _ => Kind::File,
        };
        Some(Self {
            line,
            kind,
            object: about.nth(1)?.to_owned(),
            path: path.to_owned(),
        })
    }

    /// Returns true if the entry may have a part in a comparison of `target`.
    pub(super) fn is_wanted(&self, target: &str) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        match self.kind {
            Kind::Link => true,
            Kind::Submodule => false,
            Kind::File => {
                self.path.ends_with(".proto") || self.path == target || buf::is_configuration(name)
            }
        }
    }
}
