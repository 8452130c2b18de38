//! Data of a stream that has to be read at any offset: in memory if small, else in a temporary
//! file.

use std::io::{self, Read};

use super::limits::Limits;
use super::unpack::{self, Unpacked, reason};
use crate::check::collect::disk::Disk;
use crate::check::collect::scan::Scan;
use crate::check::collect::spool::to_disk;
use crate::check::content::Content;
use crate::packing::Packing;
use crate::skipped::Unreadable;

/// The maximum number of bytes held in memory per thread.
const MAX_IN_MEMORY: u64 = 256 << 10;

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

/// Returns the bytes of an entry of `size` bytes; `head` was read already.
pub(super) fn entry(head: &[u8], rest: &mut dyn Read, size: u64) -> Result<Spooled, Unreadable> {
    let mut all = head.chain(rest);
    if size <= MAX_IN_MEMORY {
        let mut bytes = Vec::new();
        all.read_to_end(&mut bytes).map_err(reason)?;
        return whole(Spooled::Memory(bytes), size);
    }
    whole(Spooled::Disk(to_disk(&mut all)?), size)
}

fn whole(spooled: Spooled, size: u64) -> Result<Spooled, Unreadable> {
    if spooled.len() == size {
        Ok(spooled)
    } else {
        Err(unpack::cut_short())
    }
}

/// Decompresses content.
pub(super) fn unpacked(
    scan: &Scan<'_>,
    content: &dyn Content,
    packing: Packing,
) -> Result<Disk, Unreadable> {
    let limits = Limits::of(content.len());
    to_disk(&mut Unpacked::new(scan, content, packing, &limits)?)
}
