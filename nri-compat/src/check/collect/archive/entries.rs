//! The entries of a tar, one after another, from a stream or from content that can be read at any
//! offset.
//!
//! The `tar` crate reads the headers. Programs differ in how they read some of them; the first such entry ends
//! the archive with a reason.

use std::io::{self, Read};
use std::ops::ControlFlow;

use tar::{Archive, Entry, EntryType, Header};

use super::input::{Input, cut_short};
use crate::skipped::{SkipKind, Unreadable};

/// The size of a header, and of the blocks that data is padded to, in bytes.
const BLOCK: u64 = 512;

/// The maximum size of the headers of one entry in bytes. The `tar` crate holds them in memory.
const MAX_HEADERS: u64 = 1 << 20;

/// The type of a folder with a list of its files, from an incremental archive of GNU tar.
const DUMPED_FOLDER: u8 = b'D';

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
    /// True if the holes of the file are not stored, so that its data is not its content.
    pub(super) is_sparse: bool,
    data: Entry<'a, Input<'s>>,
    /// The number of bytes of the data that were not read yet.
    left: u64,
}

impl TarEntry<'_, '_> {
    /// Returns true for a folder. Old archives store folders as files whose names end with a slash.
    pub(super) fn is_folder(&self) -> bool {
        self.kind == EntryType::Directory
            || self.kind.as_byte() == DUMPED_FOLDER
            || self.is_file() && self.path.ends_with(b"/")
    }

    /// Returns true if programs that extract it write a file, which they also do for unknown types.
    pub(super) fn is_file(&self) -> bool {
        has_bytes(self.kind) && self.kind.as_byte() != DUMPED_FOLDER
    }

    /// Reads the next bytes, at most `most`.
    pub(super) fn head(&mut self, most: u64) -> Result<Vec<u8>, Unreadable> {
        let mut head = Vec::new();
        let size = self.left.min(most);
        let read = self.by_ref().take(size).read_to_end(&mut head);
        if (read.map_err(Unreadable::of_data)? as u64) < size {
            return Err(cut_short());
        }
        Ok(head)
    }
}

impl Read for TarEntry<'_, '_> {
    /// Continues reading the data.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.data.read(buffer)?;
        self.left -= read as u64;
        Ok(read)
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
    let is_seekable = input.is_seekable();
    let allowance = input.allowance();
    let mut archive = Archive::new(input);
    let mut end = 0_u64;
    let mut entries = archive.entries_with_seek().map_err(invalid)?;
    loop {
        allowance.set(MAX_HEADERS);
        let Some(entry) = entries.next() else { break };
        let mut entry = entry.map_err(invalid)?;
        let is_alone = Some(entry.raw_header_position()) == end.checked_next_multiple_of(BLOCK);
        end = entry
            .raw_file_position()
            .saturating_add(stored_size(&entry)?);
        if entry.header().entry_type() == EntryType::XGlobalHeader {
            check_global(&mut entry, is_alone)?;
            continue;
        }
        allowance.set(u64::MAX);
        if visit(TarEntry::new(entry, is_seekable)?)?.is_break() {
            return Ok(());
        }
    }
    allowance.set(u64::MAX);
    archive.into_inner().check_end(end)
}

/// Returns the size of the data in the archive, which for a sparse file is not the size of the file.
fn stored_size<R: Read>(entry: &Entry<'_, R>) -> Result<u64, Unreadable> {
    entry.header().entry_size().map_err(invalid)
}

impl<'a, 's> TarEntry<'a, 's> {
    /// Returns an entry, if programs agree on it.
    fn new(mut data: Entry<'a, Input<'s>>, is_seekable: bool) -> Result<Self, Unreadable> {
        let path = data.path_bytes().into_owned();
        let link = data.link_name_bytes().unwrap_or_default().into_owned();
        let size = stored_size(&data)?;
        check_header(data.header(), size)?;
        if path.contains(&0) || link.contains(&0) {
            return Err(ambiguous("name"));
        }
        let has_sparse_records = check_records(&mut data, &path, &link, Some(size))?;
        let header = data.header();
        let kind = header.entry_type();
        Ok(Self {
            path,
            link,
            kind,
            size: data.size(),
            left: data.size(),
            // Programs read more spellings of numbers than the crate.
            is_executable: header.mode().map_or(true, |mode| mode & 0o111 != 0),
            start: is_seekable.then(|| data.raw_file_position()),
            is_sparse: has_sparse_records || kind == EntryType::GNUSparse,
            data,
        })
    }
}

/// Checks that programs agree on a header.
fn check_header(header: &Header, size: u64) -> Result<(), Unreadable> {
    let kind = header.entry_type();
    if kind.as_byte() == CONTINUED {
        let reason = "a part of an archive of several volumes";
        return Err(Unreadable::new(SkipKind::UnsupportedFormat, reason));
    }
    if !has_bytes(kind) && size > 0 {
        return Err(ambiguous("size"));
    }
    let is_for_next = matches!(
        kind,
        EntryType::GNULongName | EntryType::GNULongLink | EntryType::XHeader
    );
    if is_for_next || has_text_as_times(header) {
        return Err(ambiguous("name"));
    }
    Ok(())
}

/// Checks that the pax records of an entry say the same as what the `tar` crate read. Returns true if
/// they describe a sparse file.
fn check_records<R: Read>(
    entry: &mut Entry<'_, R>,
    path: &[u8],
    link: &[u8],
    size: Option<u64>,
) -> Result<bool, Unreadable> {
    let records = entry.pax_extensions().map_err(invalid)?;
    let mut is_sparse = false;
    for record in records.into_iter().flatten() {
        let record = record.map_err(|_| damaged())?;
        let value = record.value_bytes();
        let is_other = |read: &[u8]| value.is_empty() || value != read;
        let number = || record.value().ok()?.parse().ok();
        match record.key_bytes() {
            b"path" if is_other(path) => return Err(ambiguous("name")),
            b"linkpath" if is_other(link) => return Err(ambiguous("name")),
            b"size" if size.is_none() || number() != size => return Err(ambiguous("size")),
            key => is_sparse |= key.starts_with(b"GNU.sparse."),
        }
    }
    Ok(is_sparse)
}

/// Checks that a global header, which programs apply to all following entries or to none, changes no
/// names and sizes. The `tar` crate takes it for the entry that preceding headers belong to.
fn check_global<R: Read>(entry: &mut Entry<'_, R>, is_alone: bool) -> Result<(), Unreadable> {
    if !is_alone || check_records(entry, b"", b"", None)? {
        return Err(ambiguous("name"));
    }
    Ok(())
}

fn damaged() -> Unreadable {
    Unreadable::new(SkipKind::Broken, "a pax header is damaged")
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

fn ambiguous(part: &str) -> Unreadable {
    let reason = format!("an entry whose {part} programs read differently");
    Unreadable::new(SkipKind::UnsupportedFormat, reason)
}

/// Returns true if the times of a GNU header are text, which some programs read as the beginning of
/// the name.
fn has_text_as_times(header: &Header) -> bool {
    let is_number = |field: &[u8]| {
        let digit = |byte: &u8| matches!(byte, b'0'..=b'7' | b' ' | 0);
        matches!(field, [0x80 | 0xff, ..]) || field.iter().all(digit)
    };
    let gnu = header.as_gnu();
    gnu.is_some_and(|gnu| !is_number(&gnu.atime) || !is_number(&gnu.ctime))
}

/// Returns true if entries of this type have data. Links, folders and the like have none.
fn has_bytes(kind: EntryType) -> bool {
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
