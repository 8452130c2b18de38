//! The state of the runtime in a module.

use std::sync::Arc;
use std::time::Instant;

use wasmi::StoreLimits;

use super::limits::Limit;

/// The state behind the functions that a module imports.
pub(super) struct Host {
    /// The name of the plugin, such as `10-logger`.
    pub(super) plugin: Arc<str>,
    /// The limits of the present call.
    pub(super) limit: Limit,
    /// The beginning of the module's monotonic clock.
    pub(super) epoch: Instant,
    /// The limits on memory and tables.
    pub(super) engine: StoreLimits,
}
