//! The statements of a runtime about itself.

use crate::check::collect::{Collected, MachineRuntime};

/// A runtime that answered on its CRI socket.
pub(super) struct ReportedRuntime {
    pub(super) runtime: MachineRuntime,
    /// The plugins that it has recorded, if it was asked for its status.
    pub(super) status: Option<Collected>,
}
