//! The oldest release that a plugin supports: it refuses an older runtime.

use semver::Version;

use crate::check::target::Target;
use crate::report::check::{Confidence, Outcome, Verdict};
use crate::sighting::Sighting;

pub(super) fn judge(seen: &Sighting, target: &Target<'_>) -> Option<Verdict> {
    let oldest = seen.min_protocol.as_deref()?;
    let is_older = target.nri < Version::parse(oldest.trim_start_matches('v')).ok()?;
    is_older.then(|| Verdict {
        outcome: Outcome::Incompatible,
        rule: "CHECK_RELEASE_REFUSED",
        reason: format!(
            "{} speaks NRI {}: the plugin refuses to run under a release before {oldest}",
            target.head.name, target.head.nri
        )
        .into(),
        remedy: format!(
            "use a runtime with NRI {oldest} or later, or a version of the plugin that supports it"
        )
        .into(),
        confidence: Confidence::High,
        ..Verdict::default()
    })
}
