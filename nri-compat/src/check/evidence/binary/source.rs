//! Provides the bytes of a file to the crate `object`.

use object::read::{ReadCache, ReadRef};

use crate::check::content::{Content, Stream};

/// The maximum size of a table of headers in bytes: 65,535 section headers of 64 bytes are smaller.
const MAX_TABLE: u64 = 4 << 20;

/// A cache of the headers of a file.
pub(super) type Cache<'c> = ReadCache<Stream<'c>>;

/// Returns a cache over a file.
pub(super) fn cache(content: &dyn Content) -> Cache<'_> {
    ReadCache::new(Stream::new(content))
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
