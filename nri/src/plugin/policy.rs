//! The settings of `#[derive(NriPlugin)]` for single events.

use super::required::RequiredField;
use crate::api::{Event, EventMask, FailurePolicy};

/// The settings of `#[nri(…)]` for single events; none by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policies {
    /// `required(…)`: the plugin refuses to run if the runtime does not know these.
    pub required: EventMask,
    /// `required_fields(…)`: the plugin refuses to run if the runtime does not know these.
    pub required_fields: &'static [RequiredField],
    /// `blocking(…)`: handlers of these block and run on their own threads.
    pub blocking: EventMask,
    /// `blocking(…)`: names of RPCs without an event, such as `Synchronize`.
    pub blocking_rpcs: &'static [&'static str],
    /// `on_error(… = "ignore")`: errors of these are logged and answered with success.
    pub ignore_errors: EventMask,
    /// `on_timeout(… = "ok")`: timeouts of these are answered with success.
    pub ok_on_timeout: EventMask,
    /// `failure_policy(…)`: the reaction of the runtime if the plugin does not answer.
    pub failure_policy: Option<FailurePolicy>,
}

impl Policies {
    /// Returns whether the handler of this RPC, called for this event, blocks its thread.
    pub(crate) fn blocks(&self, rpc: &str, event: Option<Event>) -> bool {
        event.is_some_and(|event| self.blocking.contains(event))
            || self.blocking_rpcs.contains(&rpc)
    }
}
