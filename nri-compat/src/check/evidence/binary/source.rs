//! Provides the bytes of a file to the crate `object`.

use object::read::{ReadCache, ReadCacheOps, ReadRef};

use crate::check::content::Content;

/// The maximum size of a table of headers in bytes: 65,535 section headers of 64 bytes are smaller.
const MAX_TABLE: u64 = 4 << 20;

/// A file with a reading position.
pub(super) struct Source<'c> {
    content: &'c dyn Content,
    at: u64,
}

/// A cache of the headers of a file.
pub(super) type Cache<'c> = ReadCache<Source<'c>>;

/// Returns a cache over a file.
pub(super) fn cache(content: &dyn Content) -> Cache<'_> {
    ReadCache::new(Source { content, at: 0 })
}

impl ReadCacheOps for Source<'_> {
    fn len(&mut self) -> Result<u64, ()> {
        Ok(self.content.len())
    }

    fn seek(&mut self, pos: u64) -> Result<u64, ()> {
        self.at = pos;
        Ok(pos)
    }

    fn read(&mut self, buf: &mut [u8]) -> Result<usize, ()> {
        let read = self.content.read_at(self.at, buf).map_err(|_| ())?;
        self.at += read as u64;
        Ok(read)
    }

    fn read_exact(&mut self, buf: &mut [u8]) -> Result<(), ()> {
        let read = self.read(buf)?;
        (read == buf.len()).then_some(()).ok_or(())
    }
}

/// A cached file that returns only tables up to [`MAX_TABLE`], so that headers cannot exhaust
/// memory.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a, 'c>(pub(super) &'a Cache<'c>);

impl<'a> ReadRef<'a> for Tables<'a, '_> {
    fn len(self) -> Result<u64, ()> {
        ReadRef::len(self.0)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        if size > MAX_TABLE {
            return Err(());
        }
        self.0.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(
        self,
        range: std::ops::Range<u64>,
        delimiter: u8,
    ) -> Result<&'a [u8], ()> {
        self.0.read_bytes_at_until(range, delimiter)
    }
}
