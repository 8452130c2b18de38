//! Build information: the modules that a Go program was built from. Supporting evidence only.
//!
//! Layout: <https://go.dev/src/debug/buildinfo/buildinfo.go>.

use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::check::evidence::binary::bytes::leb128;
use crate::check::evidence::binary::window::find;

const SECTION: &str = ".go.buildinfo";
const MAGIC: &[u8] = b"\xff Go buildinf:";
const HEADER: usize = 32;
/// The maximum size of the text in bytes: module lists of large programs have some ten thousand.
const MAX_TEXT: u64 = 1 << 20;
/// The size of the marks around the module text in bytes.
const MARK_LEN: usize = 16;

/// The build information of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BuildInfo {
    /// The Go release, such as `go1.26.0`.
    pub(super) go: String,
    /// Modules and settings, one per line; empty if there are none.
    pub(super) modules: String,
}

/// A module that the program was built with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Module<'t> {
    pub(super) version: &'t str,
    /// The path and version of the replacement.
    pub(super) replaced: Option<(&'t str, &'t str)>,
}

/// Reads the build information, if there is any.
pub(super) fn read(image: &Image<'_>) -> Result<Option<BuildInfo>, Unreadable> {
    let Some((offset, size)) = locate(image)? else {
        return Ok(None);
    };
    let bytes = image.part(offset, size.min(MAX_TEXT))?;
    Ok(parse(&bytes))
}

/// Returns its offset and its maximum size.
fn locate(image: &Image<'_>) -> Result<Option<(u64, u64)>, Unreadable> {
    if let Some(section) = image.section(&[SECTION]) {
        return Ok(Some((section.offset, section.size)));
    }
    // No section header names it: it is at the start of a data section or a segment.
    let data = image.section(&[".data"]).map(|section| (section.offset, section.size));
    for place in data.into_iter().chain(image.loaded()) {
        if let Some(found) = find(image.content, place, MAGIC, |bytes| bytes.len() >= HEADER)? {
            return Ok(Some((found, MAX_TEXT)));
        }
    }
    Ok(None)
}

fn parse(bytes: &[u8]) -> Option<BuildInfo> {
    let flags = *bytes.strip_prefix(MAGIC)?.get(1)?;
    if flags & 2 == 0 {
        // The layout before Go 1.18, which has addresses instead.
        return Some(BuildInfo { go: "go1.17 or earlier".to_owned(), modules: String::new() });
    }
    let (go, rest) = counted(bytes.get(HEADER..)?)?;
    let (modules, _) = counted(rest)?;
    Some(BuildInfo { go: text(go), modules: text(unmarked(modules)) })
}

/// Splits off a string that is preceded by its length.
fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, taken) = leb128(bytes)?;
    bytes.get(taken..)?.split_at_checked(usize::try_from(length).ok()?)
}

/// Returns the module text without the marks that Go's linker puts around it.
fn unmarked(text: &[u8]) -> &[u8] {
    let end = text.len().saturating_sub(MARK_LEN);
    let inner = text.get(MARK_LEN..end).unwrap_or_default();
    if inner.ends_with(b"\n") { inner } else { b"" }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl BuildInfo {
    /// Returns the import path of the main package, unless the program was built from files by
    /// name.
    pub(super) fn program(&self) -> Option<&str> {
        let path = self.modules.lines().find_map(|line| line.strip_prefix("path\t"));
        path.filter(|path| !path.is_empty() && *path != "command-line-arguments")
    }

    /// Returns the module with this import path, as main module or as a dependency.
    pub(super) fn module(&self, path: &str) -> Option<Module<'_>> {
        let mut lines = self.modules.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let listed = lines.find_map(|fields| match *fields {
            ["mod" | "dep", of, version, ..] if of == path => Some(version),
            _ => None,
        })?;
        let replaced = lines.next().and_then(|fields| match *fields {
            ["=>", by, version, ..] => Some((by, version)),
            _ => None,
        });
        Some(Module { version: listed, replaced })
    }
}

/// Returns the version to report, and a sentence on how reliable it is.
pub(super) fn describe(path: &str, module: &Module<'_>) -> (String, String) {
    let Module { version, replaced } = module;
    match replaced {
        Some((by, "(devel)" | "")) => (
            "(devel)".to_owned(),
            format!(
                "build information requires {path} {version}, but a folder replaces it ({by}): its version is unknown"
            ),
        ),
        Some((by, of)) => (
            (*of).to_owned(),
            format!("build information requires {path} {version}, but {by} {of} replaces it"),
        ),
        None if *version == "(devel)" => (
            "(devel)".to_owned(),
            format!("build information has {path} as the main module, of no version"),
        ),
        None => ((*version).to_owned(), format!("build information says {path} {version}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_belongs_to_the_line_above() {
        let modules =
            "dep\texample.org/a\tv0.6.1\th1:x=\ndep\texample.org/b\tv1.0.0\n=>\t../b\t(devel)\t\n"
                .to_owned();
        let go = String::new();
        let info = BuildInfo { go, modules };
        let replaced = |path: &str| info.module(path).unwrap().replaced;
        assert_eq!(replaced("example.org/a"), None);
        assert_eq!(replaced("example.org/b"), Some(("../b", "(devel)")));
    }
}
