//! The handler that this thread is polling, to detect calls that wait for the end of its event.

use std::cell::Cell;

thread_local! {
    static HANDLER: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Returns the name of the event whose handler this thread is polling.
pub(crate) fn handler() -> Option<&'static str> {
    HANDLER.get()
}

/// Runs work as part of the handler of an event.
pub(crate) fn during<T>(event: &'static str, work: impl FnOnce() -> T) -> T {
    let _outer = Outer(HANDLER.replace(Some(event)));
    work()
}

/// The handler around this one, which the thread returns to, also after a panic.
struct Outer(Option<&'static str>);

impl Drop for Outer {
    fn drop(&mut self) {
        HANDLER.set(self.0);
    }
}
