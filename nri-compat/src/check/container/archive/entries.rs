//! The entries of a tar, one after another, from content that is compressed or can be read at any
//! offset.
//!
//! The `tar` crate reads the headers. If programs differ in how they read an entry, it ends the
//! archive with a reason.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::rc::Rc;

use tar::{Archive, Entry, EntryType};

use crate::check::content::{Content, Stream, compressed};
use crate::skipped::{SkipKind, Unreadable};
use crate::unpack::Packing;

/// The maximum size of the headers of one entry in bytes. The `tar` crate holds them in memory.
const MAX_HEADERS: u64 = 1 << 20;

/// The size of the pieces in which the end of an archive is read, in bytes.
const END_PIECE: usize = 16 << 10;

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
    pub(super) data: Entry<'a, EntryInput<'s>>,
}

impl<'a, 's> TarEntry<'a, 's> {
    /// Returns an entry, if programs agree on it.
    fn new(mut data: Entry<'a, EntryInput<'s>>, is_plain: bool) -> Result<Self, Unreadable> {
        let path = data.path_bytes().into_owned();
        let link = data.link_name_bytes().unwrap_or_default().into_owned();
        let (size, kind) = (data.size(), data.header().entry_type());
        check_records(&mut data, &path, &link, size.to_string().as_bytes())?;
        if kind == EntryType::GNUSparse || kind.as_byte() == CONTINUED {
            return Err(partial());
        }
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

/// Calls `visit` for each entry of a tar with this compression, until `visit` breaks off.
///
/// # Errors
///
/// Returns an error if programs differ in how they read the archive, or if it is not read to its
/// end.
pub(super) fn each<'s>(
    content: &'s dyn Content,
    packing: Packing,
    mut visit: impl FnMut(TarEntry<'_, 's>) -> Result<ControlFlow<()>, Unreadable>,
) -> Result<(), Unreadable> {
    let is_plain = packing == Packing::Not;
    let allowance = Rc::new(Cell::new(MAX_HEADERS));
    let source = if is_plain {
        Source::Plain(Stream::new(content))
    } else {
        Source::Packed(compressed::reader(content, packing)?)
    };
    let mut archive =
        Archive::new(EntryInput { source, position: 0, allowance: Rc::clone(&allowance) });
    for entry in archive.entries_with_seek().map_err(invalid)? {
        let mut entry = entry.map_err(invalid)?;
        if entry.header().entry_type() == EntryType::XGlobalHeader {
            check_records(&mut entry, b"", b"", b"")?;
        } else {
            let entry = TarEntry::new(entry, is_plain)?;
            allowance.set(u64::MAX);
            if visit(entry)?.is_break() {
                return Ok(());
            }
        }
        allowance.set(MAX_HEADERS);
    }
    allowance.set(u64::MAX);
    archive.into_inner().check_end()
}

/// The bytes of a tar, which is read from its start to its end.
pub(super) struct EntryInput<'s> {
    source: Source<'s>,
    /// The offset of the next byte.
    position: u64,
    /// The number of bytes that may still be read.
    allowance: Rc<Cell<u64>>,
}

enum Source<'s> {
    /// Content with random access: unneeded bytes are not read.
    Plain(Stream<'s>),
    /// A decompressed stream: unneeded bytes are read and discarded.
    Packed(Box<dyn Read + 's>),
}

impl EntryInput<'_> {
    /// Checks that only zeros follow the last entry: programs differ in whether they extract
    /// anything else.
    fn check_end(mut self) -> Result<(), Unreadable> {
        let mut piece = vec![0; END_PIECE];
        while let read @ 1.. = self.read(&mut piece).map_err(Unreadable::of_data)? {
            if piece.iter().take(read).any(|byte| *byte != 0) {
                let reason = "data after the end of the archive";
                return Err(Unreadable::new(SkipKind::Broken, reason));
            }
        }
        Ok(())
    }
}

impl Read for EntryInput<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            // A compressed stream treats an empty buffer as an error.
            return Ok(0);
        }
        let read = match &mut self.source {
            Source::Plain(stream) => stream.read(buffer)?,
            Source::Packed(stream) => stream.read(buffer)?,
        };
        self.position += read as u64;
        let left = self.allowance.get().checked_sub(read as u64);
        self.allowance.set(left.ok_or_else(|| {
            let reason = "headers of more than 1 MiB before an entry";
            io::Error::other(Unreadable::new(SkipKind::TooLarge, reason))
        })?);
        Ok(read)
    }
}

impl Seek for EntryInput<'_> {
    /// Moves forward. The end of the tar is an error.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Current(distance) = to else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let distance = u64::try_from(distance).map_err(io::Error::other)?;
        let moved = match &mut self.source {
            Source::Plain(stream) => {
                let moved = distance.min(stream.content.len().saturating_sub(stream.at));
                stream.at += moved;
                moved
            }
            Source::Packed(stream) => io::copy(&mut stream.take(distance), &mut io::sink())?,
        };
        if moved < distance {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.position += distance;
        Ok(self.position)
    }
}

/// Checks the pax records of an entry.
///
/// # Errors
///
/// Returns an error if they are damaged, describe a sparse file, or say something else than the
/// `tar` crate has read: programs differ in which of several records they apply, and whether they
/// apply global ones.
fn check_records<R: Read>(
    entry: &mut Entry<'_, R>,
    path: &[u8],
    link: &[u8],
    size: &[u8],
) -> Result<(), Unreadable> {
    let records = entry.pax_extensions().map_err(invalid)?;
    for record in records.into_iter().flatten() {
        let damaged = |_| Unreadable::new(SkipKind::Broken, "a pax header is damaged");
        let record = record.map_err(damaged)?;
        let (key, value) = (record.key_bytes(), record.value_bytes());
        let read = [(&b"path"[..], path), (b"linkpath", link), (b"size", size)];
        if read.iter().any(|(known, read)| key == *known && value != *read) {
            return Err(ambiguous());
        }
        if key.starts_with(b"GNU.sparse.") {
            return Err(partial());
        }
    }
    Ok(())
}

/// Returns true if entries of this type have data. Links, folders and the like have none.
fn has_data(kind: EntryType) -> bool {
    use EntryType::{Block, Char, Directory, Fifo, Link, Symlink};
    ![Link, Symlink, Char, Block, Directory, Fifo].contains(&kind)
}

/// Returns the reason why the next header cannot be read.
fn invalid(error: io::Error) -> Unreadable {
    let mut why = Unreadable::of_data(error);
    if why.kind == SkipKind::Broken {
        why.reason = format!("not a valid tar: {}", crate::escape::short(&why.reason));
    }
    why
}

fn ambiguous() -> Unreadable {
    let reason = "an entry that programs read differently";
    Unreadable::new(SkipKind::UnsupportedFormat, reason)
}

fn partial() -> Unreadable {
    let reason = "a sparse file, or a part of a file: extract the archive and check the folder";
    Unreadable::new(SkipKind::UnsupportedFormat, reason)
}
