//! Requirements of modules: with which NRI a plugin is built, and nothing of what it handles.

use super::{cannot_tell, deprecation, no_protocol, ok, state_change};
use crate::check::evidence::nri_module;
use crate::check::sighting::{FileKind, Interface, Sighting};
use crate::check::target::Target;
use crate::report::check::{Confidence, Verdict};

/// `reason` says why it cannot be told what is used of NRI.
pub(super) fn judge(seen: &Sighting, reason: &str, target: &Target<'_>) -> Verdict {
    let version = seen
        .nri
        .version
        .as_deref()
        .filter(|_| is_selected(seen.kind));
    let Some(version) = version else {
        return cannot_tell(seen, reason.to_owned());
    };
    if let Some(verdict) = no_protocol(target) {
        return verdict;
    }
    match (
        nri_module::interface(version),
        deprecation(target.history, "state-change"),
    ) {
        (Interface::Dedicated, _) => Verdict {
            confidence: Confidence::Low,
            ..ok(format!(
                "the stub of NRI {version} answers the RPC of every event"
            ))
        },
        (Interface::StateChange, Some(deprecation)) if target.deprecates(deprecation) => {
            state_change::unclear(seen, deprecation)
        }
        (Interface::StateChange, _) => {
            ok(format!("{} sends events as StateChange", target.head.name))
        }
        _ => cannot_tell(seen, reason.to_owned()),
    }
}

/// Whether the file names the version that a build takes, or at least one older than that: `go.sum` lists versions that
/// were only considered, and what `Cargo.lock` has is no Go stub.
fn is_selected(kind: FileKind) -> bool {
    matches!(kind, FileKind::GoMod | FileKind::GoVendor)
}
