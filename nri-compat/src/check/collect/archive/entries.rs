//! The entries of a tar, one after another, from a stream or from content that can be read at any
//! offset.
//!
//! The `tar` crate reads the headers. The records that precede an entry are read here, because the
//! crate reads them into memory whatever their size, and applies one of several that contradict each
//! other.

use std::io::{self, Read};
use std::ops::ControlFlow;

use tar::{Archive, Entry, EntryType, Header, PaxExtensions};

use super::input::{Input, cut_short, reason};
use crate::skipped::{SkipKind, Unreadable};

/// The maximum length of a name or of a set of pax records in bytes.
const MAX_HEADER: u64 = 1 << 20;

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
        if (read.map_err(reason)? as u64) < size {
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
    let mut archive = Archive::new(input);
    let mut ahead = Ahead::default();
    let mut end = 0;
    for entry in archive.entries_with_seek().map_err(reason)?.raw(true) {
        let mut entry = entry.map_err(invalid)?;
        end = entry.raw_file_position().saturating_add(entry.size());
        if ahead.add(&mut entry)? {
            continue;
        }
        let entry = std::mem::take(&mut ahead).apply(entry, is_seekable)?;
        if visit(entry)?.is_break() {
            return Ok(());
        }
    }
    if ahead != Ahead::default() {
        let reason = "it ends with a header that belongs to an entry";
        return Err(Unreadable::new(SkipKind::Broken, reason));
    }
    archive.into_inner().check_end(end)
}

/// The records from the headers that precede an entry.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ahead {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    pax: Option<Pax>,
}

/// The records of a pax header.
#[derive(Debug, Default, PartialEq, Eq)]
struct Pax {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
    /// The path of a sparse file, which the header itself replaces.
    sparse_path: Option<Vec<u8>>,
}

impl Ahead {
    /// Adds the records of a header that precedes an entry. Returns false for an entry.
    fn add<R: Read>(&mut self, entry: &mut Entry<'_, R>) -> Result<bool, Unreadable> {
        match entry.header().entry_type() {
            EntryType::GNULongName => once(&mut self.path, name(entry)?)?,
            EntryType::GNULongLink => once(&mut self.link, name(entry)?)?,
            EntryType::XHeader => once(&mut self.pax, Pax::parse(&records(entry)?)?)?,
            EntryType::XGlobalHeader => Pax::check_global(&records(entry)?)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns an entry with these records.
    fn apply<'a, 's>(
        self,
        data: Entry<'a, Input<'s>>,
        is_seekable: bool,
    ) -> Result<TarEntry<'a, 's>, Unreadable> {
        let header = data.header();
        let kind = header.entry_type();
        check(header, data.size())?;
        let pax = self.pax.unwrap_or_default();
        if pax.size.is_some_and(|size| size != data.size()) {
            return Err(ambiguous("size"));
        }
        let path = either(pax.sparse_path.or(pax.path), self.path)?;
        let link = either(pax.link, self.link)?;
        let own_path = || header.path_bytes().into_owned();
        let own_link = || header.link_name_bytes().unwrap_or_default().into_owned();
        Ok(TarEntry {
            path: path.unwrap_or_else(own_path),
            link: link.unwrap_or_else(own_link),
            kind,
            size: data.size(),
            left: data.size(),
            // Programs read more spellings of numbers than the crate.
            is_executable: header.mode().map_or(true, |mode| mode & 0o111 != 0),
            start: is_seekable.then(|| data.raw_file_position()),
            is_sparse: pax.is_sparse || kind == EntryType::GNUSparse,
            data,
        })
    }
}

impl Pax {
    fn parse(text: &[u8]) -> Result<Self, Unreadable> {
        let end = text.iter().rposition(|byte| *byte != 0);
        let text = text.get(..end.map_or(0, |end| end + 1)).unwrap_or_default();
        // The crate stops at an empty line.
        if text.starts_with(b"\n") || text.windows(2).any(|two| two == b"\n\n") {
            return Err(damaged());
        }
        let mut pax = Self::default();
        for record in PaxExtensions::new(text) {
            let record = record.map_err(|_| damaged())?;
            pax.add(record.key_bytes(), record.value_bytes())?;
        }
        Ok(pax)
    }

    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<(), Unreadable> {
        // An empty value removes the record.
        let value = (!value.is_empty()).then_some(value);
        match key {
            b"path" => self.path = value.map(without_nul).transpose()?,
            b"linkpath" => self.link = value.map(without_nul).transpose()?,
            b"size" => self.size = value.map(number).transpose()?,
            b"GNU.sparse.name" => self.sparse_path = value.map(without_nul).transpose()?,
            other => self.is_sparse |= other.starts_with(b"GNU.sparse."),
        }
        Ok(())
    }

    /// Checks the records of a global header, which programs apply to all following entries or to
    /// none.
    fn check_global(text: &[u8]) -> Result<(), Unreadable> {
        if Self::parse(text)? == Self::default() {
            return Ok(());
        }
        let reason = "a global pax header that changes names or sizes";
        Err(Unreadable::new(SkipKind::UnsupportedFormat, reason))
    }
}

fn without_nul(value: &[u8]) -> Result<Vec<u8>, Unreadable> {
    if value.contains(&0) {
        return Err(damaged());
    }
    Ok(value.to_vec())
}

fn number(value: &[u8]) -> Result<u64, Unreadable> {
    let text = std::str::from_utf8(value).map_err(|_| damaged())?;
    text.parse().map_err(|_| damaged())
}

fn damaged() -> Unreadable {
    Unreadable::new(SkipKind::Broken, "a pax header is damaged")
}

/// Checks that programs agree on the size and the name in a header.
fn check(header: &Header, size: u64) -> Result<(), Unreadable> {
    let kind = header.entry_type();
    if kind.as_byte() == CONTINUED {
        let reason = "a part of an archive of several volumes";
        return Err(Unreadable::new(SkipKind::UnsupportedFormat, reason));
    }
    let is_extended = header.as_gnu().is_some_and(tar::GnuHeader::is_extended);
    if kind == EntryType::GNUSparse && is_extended {
        let reason = "a sparse file with many holes: extract the archive and check the folder";
        return Err(Unreadable::new(SkipKind::UnsupportedFormat, reason));
    }
    if !has_bytes(kind) && size > 0 {
        return Err(ambiguous("size"));
    }
    if has_text_as_times(header) {
        return Err(ambiguous("name"));
    }
    Ok(())
}

/// Returns the reason why the next header cannot be read.
fn invalid(error: io::Error) -> Unreadable {
    let why = reason(error);
    if why.kind != SkipKind::Broken {
        return why;
    }
    let shown = crate::escape::short(&why.reason);
    Unreadable::new(why.kind, format!("not a valid tar: {shown}"))
}

/// Stores a record. Programs differ in which of several headers they apply.
fn once<T>(place: &mut Option<T>, value: T) -> Result<(), Unreadable> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(ambiguous("name")),
    }
}

/// Returns the only value of a record that may be in two headers. Programs differ in which of them
/// they apply.
fn either(one: Option<Vec<u8>>, other: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, Unreadable> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Err(ambiguous("name")),
        (one, other) => Ok(one.or(other)),
    }
}

fn ambiguous(part: &str) -> Unreadable {
    let reason = format!("an entry whose {part} programs read differently");
    Unreadable::new(SkipKind::UnsupportedFormat, reason)
}

/// Reads a name that is stored as an entry, up to its NUL.
fn name<R: Read>(entry: &mut Entry<'_, R>) -> Result<Vec<u8>, Unreadable> {
    let mut name = records(entry)?;
    name.truncate(memchr::memchr(0, &name).unwrap_or(name.len()));
    Ok(name)
}

/// Reads the data of a header that precedes an entry.
fn records<R: Read>(entry: &mut Entry<'_, R>) -> Result<Vec<u8>, Unreadable> {
    let size = entry.size();
    if size > MAX_HEADER {
        let reason = format!("a header of {} MiB", size >> 20);
        return Err(Unreadable::new(SkipKind::TooLarge, reason));
    }
    let mut bytes = Vec::new();
    if (entry.read_to_end(&mut bytes).map_err(reason)? as u64) < size {
        return Err(cut_short());
    }
    Ok(bytes)
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
