//! Who to wake when the socket is ready: the tasks that wait for answers, else the task that serves.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// The one waker that a [`Link`](super::Link) registers with its socket.
///
/// A socket remembers a single waker for reading. Registering the caller's own would take the place of the
/// serving task's, which then had to be woken after each call to register again.
#[derive(Debug, Default)]
pub(crate) struct Wakers(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    callers: Vec<(u64, Waker)>,
    server: Option<Waker>,
    next_key: u64,
    /// True if the socket became ready since it was last read and written.
    ready: bool,
}

impl Wakers {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a key to enroll a caller with.
    pub(crate) fn key(&self) -> u64 {
        let mut inner = self.inner();
        inner.next_key += 1;
        inner.next_key
    }

    /// Enrolls a caller, or replaces its waker.
    pub(crate) fn enroll(&self, key: u64, waker: &Waker) {
        let mut inner = self.inner();
        match inner.callers.iter_mut().find(|(other, _)| *other == key) {
            Some((_, known)) => known.clone_from(waker),
            None => inner.callers.push((key, waker.clone())),
        }
    }

    /// Removes a caller. If it leaves work behind, somebody else is woken for it.
    pub(crate) fn leave(&self, key: u64) {
        let mut inner = self.inner();
        inner.callers.retain(|(other, _)| *other != key);
        if inner.ready {
            wake(inner);
        }
    }

    /// Sets the waker of the task that serves.
    pub(crate) fn set_server(&self, waker: &Waker) {
        let server = &mut self.inner().server;
        match server {
            Some(known) => known.clone_from(waker),
            None => *server = Some(waker.clone()),
        }
    }

    /// Notes that the socket is about to be read and written.
    pub(crate) fn rest(&self) {
        self.inner().ready = false;
    }

    /// Wakes every caller and the task that serves.
    pub(crate) fn wake_all(&self) {
        let inner = self.inner();
        let callers = inner.callers.iter().map(|(_, waker)| waker);
        let all: Vec<_> = callers.chain(&inner.server).cloned().collect();
        drop(inner);
        all.into_iter().for_each(Waker::wake);
    }
}

impl Wake for Wakers {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut inner = self.inner();
        inner.ready = true;
        wake(inner);
    }
}

/// Wakes the callers, or the task that serves if there are none. Frees the lock first.
fn wake(inner: MutexGuard<'_, Inner>) {
    match inner.callers.as_slice() {
        [] => {
            let server = inner.server.clone();
            drop(inner);
            server.iter().for_each(Waker::wake_by_ref);
        }
        [(_, caller)] => {
            let caller = caller.clone();
            drop(inner);
            caller.wake();
        }
        several => {
            let several: Vec<_> = several.iter().map(|(_, waker)| waker.clone()).collect();
            drop(inner);
            several.into_iter().for_each(Waker::wake);
        }
    }
}
