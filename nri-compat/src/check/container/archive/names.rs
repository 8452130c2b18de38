//! Paths of entries, relative to the root of the archive, without `.`, and without leaving it.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::check::evidence;
use crate::check::observations::PLUGIN_FOLDER;
use crate::escape;
use crate::system;

/// The prefix of a whiteout's name.
const WHITEOUT: &[u8] = b".wh.";

/// The name of the marker that hides everything that lower layers have in its folder.
const OPAQUE: &[u8] = b".wh..wh..opq";

/// Returns the path of an entry, such as `usr/bin/x`; empty for the root. `..` does not lead above
/// the root, as in programs that extract images.
pub(crate) fn clean(path: impl AsRef<OsStr>) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in Path::new(path.as_ref()).components() {
        match part {
            Component::Normal(name) => clean.push(name),
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    clean
}

/// Returns the path to which a symbolic link with this path and target leads.
pub(super) fn link_target(path: &Path, target: &OsStr) -> PathBuf {
    clean(folder(path).join(target))
}

/// Returns the folder of a path.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// Returns the last component of a path; empty for the root.
pub(super) fn file_name(path: &Path) -> &[u8] {
    path.file_name().unwrap_or_default().as_encoded_bytes()
}

/// Returns a path within an archive as reports show it, starting at its root.
pub(crate) fn shown_path(path: &Path) -> String {
    format!("/{}", escape::path(path))
}

/// Returns true if a runtime starts an executable with this path.
pub(super) fn is_launched(path: &Path) -> bool {
    folder(path).ends_with(PLUGIN_FOLDER)
}

/// Returns true if a file has a name by which runtimes recognise plugins.
pub(super) fn has_plugin_name(path: &Path) -> bool {
    evidence::is_plugin_name(&escape::bytes(file_name(path)))
}

/// Returns true if a link with this path and target moves the folder in which runtimes look for
/// plugins, or the folder above the default one, to another name.
pub(super) fn moves_plugin_folder(path: &Path, target: &Path) -> bool {
    path.ends_with(PLUGIN_FOLDER) && !target.ends_with(PLUGIN_FOLDER)
        || path == Path::new("opt/nri") && !target.ends_with("nri")
}

/// The part of lower layers that an entry hides by its name alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Whiteout {
    /// The path and everything below it.
    Gone(PathBuf),
    /// Everything in the folder.
    Opaque(PathBuf),
}

/// Returns what a whiteout hides; `None` for any other entry, such as one for the storage driver.
///
/// [The format](https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts).
pub(super) fn whiteout(path: &Path) -> Option<Whiteout> {
    let name = file_name(path);
    if name == OPAQUE {
        return Some(Whiteout::Opaque(folder(path).to_owned()));
    }
    let hidden = name.strip_prefix(WHITEOUT)?;
    let is_name = !hidden.is_empty() && !hidden.starts_with(WHITEOUT);
    is_name.then(|| Whiteout::Gone(path.with_file_name(system::name(hidden))))
}
