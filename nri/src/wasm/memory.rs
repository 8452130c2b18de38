//! Buffers that module and host pass to each other.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The buffers of the module.
#[cfg(target_family = "wasm")]
pub(super) static BUFFERS: Buffers = Buffers::new();

/// The buffers in use, each with its address. The address is all that the host returns of a buffer.
#[derive(Debug, Default)]
pub(super) struct Buffers(Mutex<BTreeMap<usize, Vec<u8>>>);

impl Buffers {
    pub(super) const fn new() -> Self {
        Buffers(Mutex::new(BTreeMap::new()))
    }

    /// Keeps a buffer until it is removed. Returns its address, or 0 if it is empty.
    pub(super) fn keep(&self, buffer: Vec<u8>) -> usize {
        if buffer.is_empty() {
            return 0;
        }
        let address = buffer.as_ptr().addr();
        self.lock().insert(address, buffer);
        address
    }

    /// Returns the first `length` bytes of the buffer at an address. `None` if there is no such
    /// buffer, or it is shorter.
    pub(super) fn read(&self, address: usize, length: usize) -> Option<Vec<u8>> {
        if length == 0 {
            return Some(Vec::new());
        }
        let buffers = self.lock();
        buffers.get(&address)?.get(..length).map(<[u8]>::to_vec)
    }

    /// Drops the buffer at an address, if there is one.
    pub(super) fn remove(&self, address: usize) {
        self.lock().remove(&address);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_kept_is_read() {
        let buffers = Buffers::new();
        let address = buffers.keep(vec![1, 2, 3]);
        assert_eq!(buffers.read(address, 2), Some(vec![1, 2]));
        assert_eq!(buffers.read(address, 4), None);
        assert_eq!(buffers.read(address + 1, 1), None);
        assert_eq!(buffers.read(0, 0), Some(Vec::new()));
        buffers.remove(address);
        buffers.remove(address);
        assert_eq!(buffers.read(address, 1), None);
        assert_eq!(buffers.keep(Vec::new()), 0);
    }
}
