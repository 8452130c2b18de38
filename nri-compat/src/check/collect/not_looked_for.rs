//! The kinds of plugins that a request does not cover.

use super::request::{Pull, Request};
use crate::report::check::NotLookedFor;

/// Returns the kinds of plugins that this request does not look for.
pub(super) fn not_looked_for(request: &Request<'_>) -> Vec<NotLookedFor> {
    let mut kinds = Vec::new();
    if !request.processes {
        kinds.push(NotLookedFor::Processes);
    }
    if request.is_for_machine() {
        kinds.push(NotLookedFor::External);
    }
    if request.images.is_empty() || request.pull == Pull::None {
        kinds.push(NotLookedFor::Images);
    }
    kinds.push(NotLookedFor::Cluster);
    kinds
}
