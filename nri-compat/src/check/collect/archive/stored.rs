//! The bytes of one entry of an archive, and the names under which it is judged.

use std::io::Read as _;

use super::entries::TarEntry;
use super::input::cut_short;
use super::names;
use super::window::Window;
use crate::check::collect::spool::to_disk;
use crate::check::content::{Content, File};
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of an entry that is read, in bytes.
const MAX_ENTRY: u64 = 4 << 30;

/// The maximum number of bytes held in memory per thread.
const MAX_IN_MEMORY: u64 = 256 << 10;

/// The content of a file that is only recognised.
const NOTHING: &[u8] = &[];

/// Returns the bytes of an entry, whose `head` was read already. Those of a stream are held in memory
/// if they are few, else in a temporary file.
pub(super) fn stored<'c>(
    archive: &'c dyn Content,
    entry: &mut TarEntry<'_, '_>,
    head: &[u8],
) -> Result<Box<dyn Content + 'c>, Unreadable> {
    let size = entry.size;
    if size > MAX_ENTRY {
        let reason = format!("larger than {} GiB", MAX_ENTRY >> 30);
        return Err(Unreadable::new(SkipKind::TooLarge, reason));
    }
    let stored: Box<dyn Content + 'c> = if let Some(start) = entry.start {
        let len = size.min(archive.len().saturating_sub(start));
        Box::new(Window {
            base: archive,
            start,
            len,
        })
    } else if size <= MAX_IN_MEMORY {
        let mut bytes = head.to_vec();
        entry.read_to_end(&mut bytes).map_err(Unreadable::of_data)?;
        Box::new(bytes)
    } else {
        Box::new(to_disk(&mut head.chain(entry))?)
    };
    if stored.len() < size {
        return Err(cut_short());
    }
    Ok(stored)
}

/// Returns an entry with its first bytes only.
pub(super) fn with_head(path: &[u8], head: Vec<u8>) -> File<'static> {
    File {
        place: shown_path(path).into(),
        name: escape::bytes(names::split(path).1),
        head: head.into(),
        content: &NOTHING,
        disk: None,
    }
}

/// Returns a path within an archive, starting at its root.
pub(in crate::check::collect) fn shown_path(path: &[u8]) -> String {
    format!("/{}", escape::bytes(path))
}
