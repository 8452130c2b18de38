//! The end of a request.

use std::time::Duration;

use nri::plugin::Body;
use nri::wire::CallError;

use super::revision::Via;

/// The end of a request to a plugin.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) via: Via,
    pub(super) fell_back: bool,
    pub(super) duration: Duration,
    pub(super) result: Result<Body, CallError>,
}
