//! A layer while it is fetched: content that is read once, from its start to its end.
//!
//! The readers of archives recognise a layer by its first bytes and then read it sequentially, so
//! these bytes are kept. Blobs that are single files rather than archives need random access: they are
//! copied to a temporary file.

use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::content::Content;
use crate::registry::{Blob, Error};

/// The number of bytes at the start that can be read again.
const KEPT: usize = 128 << 10;

/// A layer that is read forward.
pub(super) struct Forward<'b> {
    len: u64,
    inner: Mutex<Inner<'b>>,
}

struct Inner<'b> {
    blob: Blob<'b>,
    /// The first bytes.
    head: Vec<u8>,
    /// The offset of the next byte of the blob.
    position: u64,
}

impl<'b> Forward<'b> {
    pub(super) fn new(blob: Blob<'b>) -> Self {
        Self {
            len: blob.size(),
            inner: Mutex::new(Inner {
                blob,
                head: Vec::new(),
                position: 0,
            }),
        }
    }

    /// Reads the unread rest and verifies size and digest.
    pub(super) fn finish(self) -> Result<(), Error> {
        let mut inner = self
            .inner
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        inner.blob.finish()
    }

    fn lock(&self) -> MutexGuard<'_, Inner<'b>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Content for Forward<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut inner = self.lock();
        let end = offset.saturating_add(buffer.len() as u64);
        if end <= KEPT as u64 {
            inner.keep(usize::try_from(end).unwrap_or(KEPT))?;
        }
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        if let Some(kept) = inner.head.get(start..).filter(|kept| !kept.is_empty()) {
            return (&mut &*kept).read(buffer);
        }
        if offset != inner.position {
            let past_end = offset >= self.len;
            return if past_end { Ok(0) } else { Err(out_of_order()) };
        }
        inner.advance(buffer)
    }

    fn is_forward(&self) -> bool {
        true
    }
}

impl Inner<'_> {
    /// Reads until this many of the first bytes are kept, unless later ones were read already.
    fn keep(&mut self, wanted: usize) -> io::Result<()> {
        while self.head.len() < wanted && self.position == self.head.len() as u64 {
            let kept = self.head.len();
            self.head.resize(wanted, 0);
            let read = self
                .blob
                .read(self.head.get_mut(kept..).unwrap_or_default());
            self.head.truncate(kept + *read.as_ref().unwrap_or(&0));
            self.position = self.head.len() as u64;
            if read? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Fills the buffer with the next bytes.
    fn advance(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.blob.read(rest)? {
                0 => break,
                read => filled += read,
            }
        }
        self.position += filled as u64;
        Ok(filled)
    }
}

fn out_of_order() -> io::Error {
    io::Error::other("a layer that is being fetched cannot be read backwards")
}
