//! Paths of entries, relative to the root of the archive, without `.`, and without leaving it.

use crate::check::collect::demand::PLUGIN_FOLDER;
use crate::check::evidence;
use crate::escape;

/// The folder above the default one.
const ABOVE_PLUGIN_FOLDER: &[u8] = b"opt/nri";

/// The prefix of a whiteout's name.
const WHITEOUT: &[u8] = b".wh.";

/// The name of the marker that hides everything that lower layers have in its folder.
const OPAQUE: &[u8] = b".wh..wh..opq";

/// Returns the path of an entry, such as `usr/bin/x`; empty for the root. `..` does not lead above
/// the root, as in programs that extract images.
pub(in crate::check::collect) fn clean(path: &[u8]) -> Vec<u8> {
    let mut clean: Vec<&[u8]> = Vec::new();
    for part in components(path) {
        match part {
            b"." => {}
            b".." => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean.join(&b'/')
}

/// Returns the components of a path.
pub(super) fn components(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let parts = path.split(|byte| *byte == b'/');
    parts.filter(|part| !part.is_empty())
}

/// Returns the path of a file in a folder.
pub(super) fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() {
        return name.to_vec();
    }
    [folder, name].join(&b'/')
}

/// Returns the path to which a symbolic link with this path and target leads.
pub(super) fn link_target(path: &[u8], target: &[u8]) -> Vec<u8> {
    if target.starts_with(b"/") {
        return clean(target);
    }
    clean(&joined(split(path).0, target))
}

/// Returns a path within an archive as reports show it, starting at its root.
pub(in crate::check::collect) fn shown_path(path: &[u8]) -> String {
    format!("/{}", escape::bytes(path))
}

/// Returns the folder of a path and its last component.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    let mut parts = path.rsplitn(2, |byte| *byte == b'/');
    let name = parts.next().unwrap_or(path);
    (parts.next().unwrap_or(b""), name)
}

/// Returns true if a runtime starts the executables of a folder with this path.
fn is_plugin_folder(path: &[u8]) -> bool {
    let before = path.strip_suffix(PLUGIN_FOLDER.as_bytes());
    before.is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
}

/// Returns true if a runtime starts an executable with this path.
pub(super) fn is_launched(path: &[u8]) -> bool {
    is_plugin_folder(split(path).0)
}

/// Returns true if a runtime starts an executable with this path, or one with this name in a folder that
/// its configuration names.
pub(super) fn may_be_plugin(path: &[u8]) -> bool {
    let name = escape::bytes(split(path).1);
    is_launched(path) || evidence::identity(&name).0.is_some()
}

/// Returns true if a link with this path and target moves the folder in which runtimes look for
/// plugins to another name.
pub(super) fn moves_plugin_folder(path: &[u8], target: &[u8]) -> bool {
    let (_, folder) = split(PLUGIN_FOLDER.as_bytes());
    let below = |path: &[u8]| [path, folder].join(&b'/');
    is_plugin_folder(path) && !is_plugin_folder(target)
        || path == ABOVE_PLUGIN_FOLDER && !is_plugin_folder(&below(target))
}

/// The part of lower layers that an entry hides by its name alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Whiteout {
    /// The path and everything below it.
    Gone(Vec<u8>),
    /// Everything in the folder.
    Opaque(Vec<u8>),
}

/// Returns what a whiteout hides; `None` for any other entry, such as one for the storage driver.
///
/// [The format](https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts).
pub(super) fn whiteout(path: &[u8]) -> Option<Whiteout> {
    let (folder, name) = split(path);
    if name == OPAQUE {
        return Some(Whiteout::Opaque(folder.to_vec()));
    }
    let hidden = name.strip_prefix(WHITEOUT)?;
    let is_name = !hidden.is_empty() && !hidden.starts_with(WHITEOUT);
    is_name.then(|| Whiteout::Gone(joined(folder, hidden)))
}
