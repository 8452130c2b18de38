//! Sets of events.

use super::Event;

/// A set of events, as a plugin subscribes to them: bit `n - 1` is the event of number `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct EventMask(i32);

impl EventMask {
    /// No event.
    pub const EMPTY: Self = EventMask(0);
    /// The same events and this one.
    pub const fn with(self, event: Event) -> Self {
        EventMask(self.0 | 1 << (event as i32 - 1))
    }
    /// Whether this event is one of them.
    pub const fn contains(self, event: Event) -> bool {
        self.0 & Self::EMPTY.with(event).0 != 0
    }
    /// The bits as they are sent.
    pub const fn bits(self) -> i32 {
        self.0
    }
}

impl From<Option<EventMask>> for super::ConfigureResponse {
    fn from(mask: Option<EventMask>) -> Self {
        super::ConfigureResponse {
            events: mask.unwrap_or_default().bits(),
            failure_policy: None,
        }
    }
}
