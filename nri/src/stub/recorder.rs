//! A receiver of the runtime's requests, besides the handlers.

use crate::api::EventMask;
use crate::codec::DecodeError;

/// Records each request before its handler gets it.
pub(crate) trait Recorder: Send + Sync {
    /// Returns the events that it needs, whether or not the plugin handles them.
    fn events(&self) -> EventMask;

    /// Records a request of the RPC of this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the request cannot be decoded.
    fn record(&self, method: &str, request: &[u8]) -> Result<(), DecodeError>;
}
