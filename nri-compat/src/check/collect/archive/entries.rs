//! The entries of a tar, one after another, from a stream or from content that can be read at any
//! offset.
//!
//! The `tar` crate reads the headers. If programs differ in how they read an entry, it ends the archive with a
//! reason.

use std::io::{self, Read};
use std::ops::ControlFlow;

use tar::{Archive, Entry, EntryType};

use super::input::Input;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of the headers of one entry in bytes. The `tar` crate holds them in memory.
const MAX_HEADERS: u64 = 1 << 20;

/// The type of the rest of a file that starts in another volume.
const CONTINUED: u8 = b'M';

/// One entry of a tar.
pub(super) struct TarEntry<'a, 's> {
    /// The path as stored in the archive.
    pub(super) path: Vec<u8>,
    /// The target of a link.
    pub(super) link: Vec<u8>,
    pub(super) kind: EntryType,
    pub(super) size: u64,
    /// True if anybody may execute it.
    pub(super) is_executable: bool,
    /// The offset of the data in the archive, if it can be read again.
    pub(super) start: Option<u64>,
    /// True if the data is not the content of the file: its holes are not stored, or only a part is there.
    pub(super) is_partial: bool,
    pub(super) data: Entry<'a, Input<'s>>,
}

impl<'a, 's> TarEntry<'a, 's> {
    /// Returns an entry, if programs agree on it.
    fn new(mut data: Entry<'a, Input<'s>>, is_plain: bool) -> Result<Self, Unreadable> {
        let path = data.path_bytes().into_owned();
        let link = data.link_name_bytes().unwrap_or_default().into_owned();
        let (size, kind) = (data.size(), data.header().entry_type());
        let has_odd_records = has_sparse_records(&mut data, &path, &link, &size.to_string())?;
        let has_odd_data = !has_data(kind) && size > 0;
        if has_odd_data || path.contains(&0) || link.contains(&0) {
            return Err(ambiguous());
        }
        Ok(Self {
            path,
            link,
            kind,
            size,
            // Programs read more spellings of numbers than the crate.
            is_executable: data.header().mode().map_or(true, |mode| mode & 0o111 != 0),
            start: is_plain.then(|| data.raw_file_position()),
            is_partial: has_odd_records
                || kind == EntryType::GNUSparse
                || kind.as_byte() == CONTINUED,
            data,
        })
    }

    /// Returns true for a folder. Old archives store folders as files whose names end with a slash.
    pub(super) fn is_folder(&self) -> bool {
        self.kind == EntryType::Directory || self.is_file() && self.path.ends_with(b"/")
    }

    /// Returns true if programs that extract it write a file, which they also do for unknown types.
    pub(super) fn is_file(&self) -> bool {
        has_data(self.kind)
    }

    /// Reads the next bytes, at most `most`.
    pub(super) fn head(&mut self, most: usize) -> Result<Vec<u8>, Unreadable> {
        let mut head = Vec::new();
        let read = (&mut self.data).take(most as u64).read_to_end(&mut head);
        read.map_err(Unreadable::of_data)?;
        Ok(head)
    }
}

/// Calls `visit` for each entry, until `visit` breaks off.
///
/// # Errors
///
/// Returns an error if programs differ in how they read the archive, or if it is not read to its end.
pub(super) fn each<'s>(
    input: Input<'s>,
    mut visit: impl FnMut(TarEntry<'_, 's>) -> Result<ControlFlow<()>, Unreadable>,
) -> Result<(), Unreadable> {
    let is_plain = input.is_plain();
    let allowance = input.allowance();
    let mut archive = Archive::new(input);
    let mut entries = archive.entries_with_seek().map_err(invalid)?;
    loop {
        allowance.set(MAX_HEADERS);
        let Some(entry) = entries.next() else { break };
        let mut entry = entry.map_err(invalid)?;
        if entry.header().entry_type() == EntryType::XGlobalHeader {
            has_sparse_records(&mut entry, b"", b"", "")?;
            continue;
        }
        let entry = TarEntry::new(entry, is_plain)?;
        allowance.set(u64::MAX);
        if visit(entry)?.is_break() {
            return Ok(());
        }
    }
    allowance.set(u64::MAX);
    archive.into_inner().check_end()
}

/// Returns true if the pax records of an entry describe a sparse file.
///
/// # Errors
///
/// Returns an error if they are damaged, or say something else than the `tar` crate has read: programs differ in
/// which of several records they apply, and whether they apply global ones.
fn has_sparse_records<R: Read>(
    entry: &mut Entry<'_, R>,
    path: &[u8],
    link: &[u8],
    size: &str,
) -> Result<bool, Unreadable> {
    let records = entry.pax_extensions().map_err(invalid)?;
    let mut is_sparse = false;
    for record in records.into_iter().flatten() {
        let record = record.map_err(|_| damaged())?;
        let expected = match record.key_bytes() {
            b"path" => path,
            b"linkpath" => link,
            b"size" => size.as_bytes(),
            key => {
                is_sparse |= key.starts_with(b"GNU.sparse.");
                continue;
            }
        };
        if record.value_bytes() != expected {
            return Err(ambiguous());
        }
    }
    Ok(is_sparse)
}

/// Returns true if entries of this type have data. Links, folders and the like have none.
fn has_data(kind: EntryType) -> bool {
    let without = [
        EntryType::Link,
        EntryType::Symlink,
        EntryType::Char,
        EntryType::Block,
        EntryType::Directory,
        EntryType::Fifo,
    ];
    !without.contains(&kind)
}

/// Returns the reason why the next header cannot be read.
fn invalid(error: io::Error) -> Unreadable {
    let why = Unreadable::of_data(error);
    if why.kind != SkipKind::Broken {
        return why;
    }
    let shown = crate::escape::short(&why.reason);
    Unreadable::new(why.kind, format!("not a valid tar: {shown}"))
}

fn damaged() -> Unreadable {
    Unreadable::new(SkipKind::Broken, "a pax header is damaged")
}

fn ambiguous() -> Unreadable {
    let reason = "an entry that programs read differently";
    Unreadable::new(SkipKind::UnsupportedFormat, reason)
}
