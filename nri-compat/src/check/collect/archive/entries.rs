//! The entries of a tar, one after another, from a stream or from content that can be read at any
//! offset.
//!
//! The `tar` crate parses the headers. This module iterates over the entries, because the crate
//! reads long names and pax records into memory whatever their size, and cannot report the offset
//! of an entry in the file.

use std::io::{self, Read};

use tar::{EntryType, GnuExtSparseHeader, GnuSparseHeader, Header};

use super::kind;
use super::pax::Pax;
use super::sparse::{self, Sparse};
use super::unpack::{self, Unpacked, reason};
use crate::check::content::Stream;
use crate::skipped::{SkipKind, Unreadable};

/// The size of a block, in bytes.
const BLOCK: u64 = 512;

/// The size of the pieces in which the end of an archive is read, in bytes.
const END_PIECE: usize = 16 << 10;

/// The maximum length of a name or of a set of pax records in bytes.
const MAX_HEADER: u64 = 1 << 20;

/// The type of a folder with a list of its files, from an incremental archive of GNU tar.
const DUMPED_FOLDER: u8 = b'D';

/// The type of the rest of a file that starts in another volume.
const CONTINUED: u8 = b'M';

/// The source of entries.
pub(super) enum Source<'s> {
    /// Content with random access: unneeded bytes are not read.
    Anywhere(Stream<'s>),
    /// A stream: unneeded bytes are read and discarded.
    Through(Unpacked<'s>),
}

/// An iterator over the entries of a tar.
pub(super) struct Entries<'s> {
    source: Source<'s>,
    /// The number of bytes of the current entry, including its padding, that were not read yet.
    left: u64,
    padding: u64,
}

/// One entry of a tar.
#[derive(Debug)]
pub(super) struct TarEntry {
    /// The path as stored in the archive.
    pub(super) path: Vec<u8>,
    /// The target of a link.
    pub(super) link: Vec<u8>,
    pub(super) kind: EntryType,
    pub(super) size: u64,
    /// True if anybody may execute it.
    pub(super) is_executable: bool,
    /// The offset of the data, if it can be read again.
    pub(super) start: Option<u64>,
    /// The stored parts of a sparse file.
    pub(super) sparse: Option<Sparse>,
}

/// The attributes from the headers that precede an entry.
#[derive(Default)]
struct Ahead {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    pax: Option<Pax>,
}

impl Ahead {
    fn is_empty(&self) -> bool {
        self.path.is_none() && self.link.is_none() && self.pax.is_none()
    }
}

/// Stores an attribute. Programs differ in which of several headers they apply.
fn once<T>(place: &mut Option<T>, value: T) -> Result<(), Unreadable> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(ambiguous()),
    }
}

/// Returns the only value of an attribute that may be in two headers. Programs differ in which of
/// them they apply.
fn either(one: Option<Vec<u8>>, other: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, Unreadable> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Err(ambiguous()),
        (one, other) => Ok(one.or(other)),
    }
}

fn ambiguous() -> Unreadable {
    let reason = "an entry whose name programs read differently";
    Unreadable::new(SkipKind::UnsupportedFormat, reason)
}

impl TarEntry {
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
}

impl<'s> Entries<'s> {
    pub(super) fn new(source: Source<'s>) -> Self {
        Self {
            source,
            left: 0,
            padding: 0,
        }
    }

    /// Returns the next entry; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<TarEntry>, Unreadable> {
        let mut ahead = Ahead::default();
        while let Some(header) = self.header()? {
            let size = header.entry_size().map_err(|_| broken("a size"))?;
            match header.entry_type() {
                EntryType::GNULongName => once(&mut ahead.path, self.name(size)?)?,
                EntryType::GNULongLink => once(&mut ahead.link, self.name(size)?)?,
                EntryType::XHeader => once(&mut ahead.pax, Pax::parse(&self.small(size)?)?)?,
                EntryType::XGlobalHeader => Pax::check_global(&self.small(size)?)?,
                kind if kind.as_byte() == CONTINUED => {
                    let reason = "a part of an archive of several volumes";
                    return Err(Unreadable::new(SkipKind::UnsupportedFormat, reason));
                }
                _ => return self.entry(&header, size, ahead).map(Some),
            }
        }
        if ahead.is_empty() {
            return Ok(None);
        }
        let reason = "it ends with a header that belongs to an entry";
        Err(Unreadable::new(SkipKind::Broken, reason))
    }

    fn entry(&mut self, header: &Header, size: u64, ahead: Ahead) -> Result<TarEntry, Unreadable> {
        let pax = ahead.pax.unwrap_or_default();
        let kind = header.entry_type();
        if has_text_as_times(header) {
            return Err(ambiguous());
        }
        let path = either(pax.path, ahead.path)?;
        let link = either(pax.link, ahead.link)?;
        let sparse = if kind == EntryType::GNUSparse {
            Some(self.sparse_headers(header)?)
        } else {
            pax.sparse
        };
        let size = if has_bytes(kind) {
            pax.size.unwrap_or(size)
        } else {
            0
        };
        self.expect(size);
        let own_link = || header.link_name_bytes().unwrap_or_default().into_owned();
        Ok(TarEntry {
            path: path.unwrap_or_else(|| header.path_bytes().into_owned()),
            link: link.unwrap_or_else(own_link),
            kind,
            size,
            // Programs read more spellings of numbers than this.
            is_executable: header.mode().map_or(true, |mode| mode & 0o111 != 0),
            start: match &self.source {
                Source::Anywhere(stream) => Some(stream.at),
                Source::Through(_) => None,
            },
            sparse,
        })
    }

    /// Reads the map of a sparse file, including continuation headers.
    fn sparse_headers(&mut self, header: &Header) -> Result<Sparse, Unreadable> {
        let header = header.as_gnu().ok_or_else(sparse::broken)?;
        let mut sparse = Sparse {
            size: header.real_size().map_err(|_| sparse::broken())?,
            ..Sparse::default()
        };
        add_pieces(&mut sparse, &header.sparse)?;
        let mut more = header.is_extended();
        while more {
            let mut further = GnuExtSparseHeader::new();
            self.exactly(further.as_mut_bytes())?;
            add_pieces(&mut sparse, further.sparse())?;
            more = further.is_extended();
        }
        Ok(sparse)
    }

    /// Returns the next header; `None` at the end, which is two blocks of zeros or the end of the file.
    fn header(&mut self) -> Result<Option<Header>, Unreadable> {
        self.pass()?;
        let mut header = Header::new_old();
        let read = self.upto(header.as_mut_bytes())?;
        if read == 0 {
            return Ok(None);
        }
        if is_zero(header.as_bytes()) {
            return self.end().map(|()| None);
        }
        if read < header.as_bytes().len() {
            return Err(unpack::cut_short());
        }
        match header.cksum() {
            Ok(sum) if kind::has_checksum(header.as_bytes(), u64::from(sum)) => Ok(Some(header)),
            Ok(_) | Err(_) => Err(broken("a checksum")),
        }
    }

    /// Checks that only zeros follow the end of the archive: programs differ in whether they extract
    /// what follows.
    fn end(&mut self) -> Result<(), Unreadable> {
        let mut piece = vec![0; END_PIECE];
        loop {
            let read = self.upto(&mut piece)?;
            if !piece.get(..read).is_some_and(is_zero) {
                let reason = "data after the end of the archive";
                return Err(Unreadable::new(SkipKind::Broken, reason));
            }
            if read < piece.len() {
                return Ok(());
            }
        }
    }

    fn expect(&mut self, size: u64) {
        self.left = size;
        self.padding = (BLOCK - size % BLOCK) % BLOCK;
    }

    /// Skips the unread rest of the current entry.
    fn pass(&mut self) -> Result<(), Unreadable> {
        let rest = self.left.saturating_add(self.padding);
        let data = std::mem::take(&mut self.left);
        self.padding = 0;
        match &mut self.source {
            Source::Anywhere(stream) => {
                let end = stream.at.saturating_add(data);
                stream.at = stream.at.saturating_add(rest);
                if end > stream.content.len() {
                    return Err(unpack::cut_short());
                }
            }
            Source::Through(stream) => {
                let passed =
                    io::copy(&mut stream.by_ref().take(rest), &mut io::sink()).map_err(reason)?;
                if passed < data {
                    return Err(unpack::cut_short());
                }
            }
        }
        Ok(())
    }

    /// Reads a name that is stored as an entry, up to its NUL.
    fn name(&mut self, size: u64) -> Result<Vec<u8>, Unreadable> {
        let mut name = self.small(size)?;
        let end = name
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(name.len());
        name.truncate(end);
        Ok(name)
    }

    fn small(&mut self, size: u64) -> Result<Vec<u8>, Unreadable> {
        if size > MAX_HEADER {
            return Err(Unreadable::new(
                SkipKind::TooLarge,
                format!("a header of {} MiB", size >> 20),
            ));
        }
        self.expect(size);
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
        self.exactly(&mut bytes)?;
        self.left = 0;
        Ok(bytes)
    }

    /// Reads the first bytes of the current entry, at most `most`.
    pub(super) fn head(&mut self, most: usize) -> Result<Vec<u8>, Unreadable> {
        let size = usize::try_from(self.left).map_or(most, |left| left.min(most));
        let mut head = vec![0; size];
        self.exactly(&mut head)?;
        self.left -= size as u64;
        Ok(head)
    }

    fn input(&mut self) -> &mut dyn Read {
        match &mut self.source {
            Source::Anywhere(stream) => stream,
            Source::Through(stream) => stream,
        }
    }

    fn exactly(&mut self, buffer: &mut [u8]) -> Result<(), Unreadable> {
        self.input().read_exact(buffer).map_err(reason)
    }

    fn upto(&mut self, buffer: &mut [u8]) -> Result<usize, Unreadable> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.input().read(rest) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(reason(error)),
            }
        }
        Ok(filled)
    }
}

impl Read for Entries<'_> {
    /// Continues reading the current entry.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if wanted == 0 {
            // A compressed stream treats an empty buffer as an error.
            return Ok(0);
        }
        let (buffer, _) = buffer.split_at_mut(wanted);
        let read = self.input().read(buffer)?;
        self.left -= read as u64;
        Ok(read)
    }
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

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// Adds the pieces that a header lists.
fn add_pieces(sparse: &mut Sparse, pieces: &[GnuSparseHeader]) -> Result<(), Unreadable> {
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        let offset = piece.offset().map_err(|_| sparse::broken())?;
        let len = piece.length().map_err(|_| sparse::broken())?;
        sparse.push(offset, len)?;
    }
    Ok(())
}

/// Returns true if entries of this type have data. Links, folders and the like have none, whatever
/// size their headers state.
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

fn broken(what: &str) -> Unreadable {
    Unreadable::new(
        SkipKind::Broken,
        format!("not a valid tar: {what} is wrong"),
    )
}
