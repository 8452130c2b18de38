//! How a Configure handler narrows the subscription.

use crate::api::{ConfigureResponse, EventMask};

/// What a Configure handler answers: these events only, or with `None` all that the plugin handles. The stub does the
/// rest, and sees to it that the runtime knows the events.
impl From<Option<EventMask>> for ConfigureResponse {
    fn from(events: Option<EventMask>) -> Self {
        ConfigureResponse {
            events: events.unwrap_or_default().bits(),
            failure_policy: None,
        }
    }
}
