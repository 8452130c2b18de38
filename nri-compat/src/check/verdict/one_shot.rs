//! Plugins of NRI v0.1.0: an executable that is started once per event.

use super::{REMOVED, deprecation, ok};
use crate::check::target::Target;
use crate::facts::ONE_SHOT;
use crate::report::check::{Confidence, Outcome, Verdict};

/// The only runtime known to have run them.
const RUNTIME: &str = "containerd";

pub(super) fn judge(target: &Target<'_>) -> Verdict {
    let Some(deprecation) = deprecation(target.history, "nri-v010-plugin") else {
        return ok("one-shot plugins are not deprecated");
    };
    let by_other = target
        .runtime
        .as_ref()
        .is_some_and(|at| at.runtime != RUNTIME);
    if !by_other && !target.deprecates(deprecation) {
        return ok(format!("{} runs one-shot plugins", target.head.name));
    }
    let name = &target.head.name;
    let (outcome, reason) = if by_other {
        let reason = format!("only containerd runs one-shot plugins of NRI {ONE_SHOT}");
        (Outcome::Incompatible, reason)
    } else if target.has_removed(deprecation) {
        let reason =
            format!("{name} no longer runs one-shot plugins of NRI {ONE_SHOT}, as planned");
        (Outcome::Removed, reason)
    } else {
        let reason = format!("a one-shot plugin of NRI {ONE_SHOT}; released runtimes still run it");
        (Outcome::Deprecated, reason)
    };
    Verdict {
        outcome,
        rule: if outcome == Outcome::Removed {
            REMOVED
        } else {
            "CHECK_ONE_SHOT"
        },
        since: deprecation.deprecated_in.nri.clone(),
        planned_removal: deprecation.removal.when.words(),
        reason: reason.into(),
        remedy: deprecation.remedy.clone().into(),
        confidence: if by_other {
            Confidence::Medium
        } else {
            Confidence::High
        },
        ..Verdict::default()
    }
}
