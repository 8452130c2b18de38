//! The bytes of one entry of an archive, and the names under which it is judged.

use super::entries::{Entries, TarEntry};
use super::limits::ENTRY;
use super::sparse::{self, Sparse};
use super::window::Window;
use super::{names, spool, unpack};
use crate::check::content::{Content, File};
use crate::check::head::HEAD;
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// Returns the stored bytes of an entry; `head` was read already.
pub(super) fn stored<'c>(
    archive: &'c dyn Content,
    entries: &mut Entries<'_>,
    entry: &TarEntry,
    head: &[u8],
) -> Result<Box<dyn Content + 'c>, Unreadable> {
    if entry.size > ENTRY {
        let reason = format!("larger than {} GiB", ENTRY >> 30);
        return Err(Unreadable::new(SkipKind::TooLarge, reason));
    }
    Ok(match entry.start {
        Some(start) if start.saturating_add(entry.size) > archive.len() => {
            return Err(unpack::cut_short());
        }
        Some(start) => Box::new(Window {
            base: archive,
            start,
            len: entry.size,
        }),
        None => Box::new(spool::entry(head, entries, entry.size)?),
    })
}

/// Returns the first bytes of a sparse file that begins with the list of its pieces, after a check
/// that it does not have too many: before all of it is stored.
pub(super) fn list_head(sparse: &Sparse, entries: &mut Entries<'_>) -> Result<Vec<u8>, Unreadable> {
    if !sparse.is_listed_in_data {
        return Ok(Vec::new());
    }
    let head = entries.head(HEAD)?;
    sparse::check_list(&head.as_slice())?;
    Ok(head)
}

/// Returns an entry with its first bytes only.
pub(super) fn with_head(path: &[u8], head: Vec<u8>) -> File<'static> {
    File {
        place: shown_path(path).into(),
        name: escape::bytes(names::split(path).1),
        head: head.into(),
        content: &Nothing,
        disk: None,
    }
}

/// Returns a path within an archive, starting at its root.
pub(in crate::check::collect) fn shown_path(path: &[u8]) -> String {
    format!("/{}", escape::bytes(path))
}

/// Content that is never read: a file is recognised by its head.
struct Nothing;

impl Content for Nothing {
    fn len(&self) -> u64 {
        0
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> std::io::Result<usize> {
        Ok(0)
    }
}
