//! The end of a request.

use std::time::Duration;

use crate::plugin::Body;
use crate::wire::CallError;

use super::revision::Via;

/// The end of a request to a plugin.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) via: Via,
    pub(super) fell_back: bool,
    pub(super) duration: Duration,
    pub(super) result: Result<Body, CallError>,
}
