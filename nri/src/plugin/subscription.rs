//! Lets a Configure handler narrow the subscription.

use crate::api::{ConfigureResponse, EventMask};

/// The answer of a Configure handler: a subscription to these events only, or with `None` to all
/// events that the plugin handles. The stub removes the events that the runtime does not know.
impl From<Option<EventMask>> for ConfigureResponse {
    fn from(events: Option<EventMask>) -> Self {
        ConfigureResponse {
            events: events.unwrap_or_default().bits(),
            failure_policy: None,
        }
    }
}
