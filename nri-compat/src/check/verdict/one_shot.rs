//! Plugins of NRI v0.1.0: an executable started once an event.

use super::{deprecation, ok, planned_removal};
use crate::check::target::Target;
use crate::report::check::{Confidence, Outcome, Verdict};

/// The only runtime known to have run them.
const RUNTIME: &str = "containerd";

pub(super) fn judge(target: &Target<'_>) -> Verdict {
    let Some(deprecation) = deprecation(target.history, "nri-v010-plugin") else {
        return ok("nothing deprecates it");
    };
    let by_other = target
        .runtime
        .as_ref()
        .is_some_and(|at| at.runtime != RUNTIME);
    if !by_other && !target.deprecates(deprecation) {
        return ok(format!("{} runs one-shot plugins", target.head.name));
    }
    let (outcome, reason) = match (by_other, target.has_removed(deprecation)) {
        (true, _) => (
            Outcome::Incompatible,
            "only containerd runs one-shot plugins of NRI v0.1.0".to_owned(),
        ),
        (false, true) => (
            Outcome::Removed,
            format!(
                "by plan, {} no longer runs one-shot plugins of NRI v0.1.0",
                target.head.name
            ),
        ),
        (false, false) => (
            Outcome::Deprecated,
            "a one-shot plugin of NRI v0.1.0; released runtimes still run it".to_owned(),
        ),
    };
    Verdict {
        outcome,
        rule: "CHECK_ONE_SHOT",
        since: deprecation.deprecated_in.nri.clone(),
        planned_removal: planned_removal(deprecation),
        reason,
        remedy: deprecation.remedy.clone(),
        confidence: if by_other {
            Confidence::Medium
        } else {
            Confidence::High
        },
        ..Verdict::default()
    }
}
