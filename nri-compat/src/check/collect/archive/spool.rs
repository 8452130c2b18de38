//! Bytes of a stream that have to be read at any place: small ones in memory, others in a temporary file.

use std::io::{self, Read, Write as _};

use super::limits::Limits;
use super::unpack::{self, Unpacked, reason};
use crate::check::collect::disk::Disk;
use crate::check::collect::scan::Scan;
use crate::check::content::Content;
use crate::check::packing::Packing;
use crate::check::skipped::{SkipKind, Unreadable};

/// The most bytes that are held in memory, a thread.
const MEMORY: u64 = 256 << 10;

/// Spooled bytes.
pub(super) enum Spooled {
    Memory(Vec<u8>),
    Disk(Disk),
}

impl Content for Spooled {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Disk(disk) => disk.len(),
        }
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Memory(bytes) => bytes.as_slice().read_at(offset, buffer),
            Self::Disk(disk) => disk.read_at(offset, buffer),
        }
    }

    fn as_slice(&self) -> Option<&[u8]> {
        match self {
            Self::Memory(bytes) => Some(bytes),
            Self::Disk(_) => None,
        }
    }
}

/// The bytes of an entry, whose first were read already and which has `size` in all.
pub(super) fn entry(head: &[u8], rest: &mut dyn Read, size: u64) -> Result<Spooled, Unreadable> {
    let mut all = head.chain(rest);
    if size <= MEMORY {
        let mut bytes = Vec::new();
        all.read_to_end(&mut bytes).map_err(reason)?;
        return whole(Spooled::Memory(bytes), size);
    }
    whole(Spooled::Disk(to_disk(&mut all)?), size)
}

fn whole(spooled: Spooled, size: u64) -> Result<Spooled, Unreadable> {
    match spooled.len() == size {
        true => Ok(spooled),
        false => Err(unpack::cut_short()),
    }
}

/// A packed content, unpacked.
pub(super) fn unpacked(
    scan: &Scan<'_>,
    content: &dyn Content,
    kind: Packing,
) -> Result<Disk, Unreadable> {
    let limits = Limits::of(content.len());
    to_disk(&mut Unpacked::new(scan, content, kind, &limits)?)
}

/// To a file without a name, that is gone when it is closed.
fn to_disk(input: &mut dyn Read) -> Result<Disk, Unreadable> {
    let failed = |error: &io::Error| {
        Unreadable::new(
            SkipKind::Io,
            format!("cannot be unpacked to a temporary file: {error}"),
        )
    };
    let mut file = tempfile::tempfile().map_err(|error| failed(&error))?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => file
                .write_all(buffer.get(..read).unwrap_or_default())
                .map_err(|error| failed(&error))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(reason(error)),
        }
    }
    let disk = Disk::of(file).map_err(|error| failed(&error))?;
    disk.ok_or_else(|| {
        Unreadable::new(
            SkipKind::Io,
            "cannot be unpacked: the temporary file is no regular file",
        )
    })
}
