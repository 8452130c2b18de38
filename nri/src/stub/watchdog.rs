//! Detects handlers that block the thread of the connection.
//!
//! Meanwhile nothing else happens on the connection: no other event, no answer before the deadline.
//! A separate thread names the handler while it blocks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::plugin::Subject;

/// The interval between checks. A handler is named if two checks find it in the same poll.
const TICK: Duration = Duration::from_millis(100);

/// The number of idle checks after which the thread sleeps until a handler runs.
const RESTS_AFTER: u32 = 10;

/// Watches the handlers that are polled in place.
pub(super) struct Watchdog {
    state: Arc<Mutex<WatchState>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct WatchState {
    busy: Option<Busy>,
    /// The number of polls so far, to distinguish them.
    polls: u64,
    resting: bool,
    stopped: bool,
}

/// A handler being polled.
struct Busy {
    since: Instant,
    event: &'static str,
    /// The handler trait.
    rpc: &'static str,
    subject: Subject,
}

impl Watchdog {
    pub(super) fn start() -> Self {
        let state = Arc::new(Mutex::new(WatchState::default()));
        let watched = Arc::clone(&state);
        let thread =
            thread::Builder::new().name("nri-watchdog".to_owned()).spawn(move || watch(&watched));
        if let Err(error) = &thread {
            tracing::debug!(%error, "cannot start the thread that notices blocking handlers");
        }
        Watchdog { state, thread: thread.ok() }
    }

    /// Polls a handler under the watchdog.
    pub(super) fn during<T>(
        &self,
        (event, rpc): (&'static str, &'static str),
        subject: &mut Subject,
        poll: impl FnOnce() -> T,
    ) -> T {
        self.begin(Busy { since: Instant::now(), event, rpc, subject: std::mem::take(subject) });
        let output = poll();
        if let Some(busy) = lock(&self.state).busy.take() {
            *subject = busy.subject;
        }
        output
    }

    fn begin(&self, busy: Busy) {
        let mut state = lock(&self.state);
        state.busy = Some(busy);
        state.polls += 1;
        let resting = std::mem::take(&mut state.resting);
        drop(state);
        if resting {
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        lock(&self.state).stopped = true;
        self.wake();
    }
}

fn lock(state: &Mutex<WatchState>) -> MutexGuard<'_, WatchState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch(state: &Mutex<WatchState>) {
    let mut seen = 0;
    let mut named = 0;
    let mut idle = 0;
    loop {
        let mut now = lock(state);
        if now.stopped {
            return;
        }
        match &now.busy {
            Some(busy) if now.polls == seen && named != seen => {
                named = seen;
                name(busy);
            }
            Some(_) => {}
            None if now.polls == seen => idle += 1,
            None => {}
        }
        if now.polls != seen {
            idle = 0;
            seen = now.polls;
        }
        now.resting = idle > RESTS_AFTER && now.busy.is_none();
        let resting = now.resting;
        drop(now);
        if resting {
            idle = 0;
            thread::park();
        } else {
            thread::park_timeout(TICK);
        }
    }
}

fn name(busy: &Busy) {
    let Busy { event, rpc, subject, since } = busy;
    let blocked = since.elapsed();
    tracing::warn!(
        event,
        pod = subject.pod(),
        container = subject.container(),
        help = %format_args!(
            "add blocking({rpc}) to #[nri::plugin(…)] or #[nri(…)], or wrap the blocking call in nri::blocking"
        ),
        "the handler of {event} has blocked its thread for {blocked:.1?}: no other event is handled and no deadline kept \
         meanwhile",
    );
}
