//! What the attributes of `#[derive(NriPlugin)]` say about single events.

use crate::api::{EventMask, FailurePolicy};

/// What to do about single events, as `#[nri(…)]` says; the default asks for nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policies {
    /// `required(…)`: refuse to run where the runtime does not know these.
    pub required: EventMask,
    /// `blocking(…)`: handlers of these block their thread and are run aside.
    pub blocking: EventMask,
    /// `on_error(… = "ignore")`: an error of these is logged, and the runtime told that all is well.
    pub ignore_errors: EventMask,
    /// `on_timeout(… = "ok")`: when time runs out, the runtime is told that all is well.
    pub ok_on_timeout: EventMask,
    /// `failure_policy(…)`: what the runtime is asked to do when the plugin does not answer.
    pub failure_policy: Option<FailurePolicy>,
}

impl Policies {
    /// Nothing required, nothing blocking, errors and timeouts told to the runtime, its own failure policy.
    pub const DEFAULT: Self = Policies {
        required: EventMask::EMPTY,
        blocking: EventMask::EMPTY,
        ignore_errors: EventMask::EMPTY,
        ok_on_timeout: EventMask::EMPTY,
        failure_policy: None,
    };
}

impl Default for Policies {
    fn default() -> Self {
        Self::DEFAULT
    }
}
