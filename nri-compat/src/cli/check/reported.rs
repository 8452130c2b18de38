//! What a runtime says about itself.

use crate::check::collect::{Collected, MachineRuntime};
use crate::check::logs::Log;

/// A runtime that answered on its CRI socket.
pub(super) struct ReportedRuntime {
    pub(super) runtime: MachineRuntime,
    /// Its status as a place that was checked, and the plugins in it, if it was asked for it.
    pub(super) status: Option<(String, Log)>,
}

impl ReportedRuntime {
    /// Adds what the runtime has recorded about plugins.
    pub(super) fn add_to(self, collected: &mut Collected) {
        let Some((place, status)) = self.status else {
            return;
        };
        collected.summary.looked_at.push(place);
        collected.summary.bytes += status.bytes;
        collected.sightings.extend(status.sightings);
        collected.skipped.extend(status.skipped);
    }
}
