//! Requirements of modules: they name a release of NRI, which proves neither what is built nor
//! which events that handles.

use super::{cannot_tell, deprecation, no_protocol, state_change};
use crate::check::evidence::nri_module;
use crate::check::target::Target;
use crate::report::check::Verdict;
use crate::sighting::{FileKind, Interface, Sighting};

/// Judges a requirement. `reason` explains why it does not show what is used of NRI.
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
        (Interface::Dedicated, _) => cannot_tell(
            seen,
            format!(
                "names NRI {version}, whose stub answers the RPC of each event; cannot determine from this file alone what is built"
            ),
        ),
        (Interface::StateChange, Some(deprecation)) if target.deprecates(deprecation) => {
            state_change::unclear(seen, deprecation)
        }
        (Interface::StateChange, _) => cannot_tell(
            seen,
            format!(
                "names NRI {version}, whose events {} sends; cannot determine from this file alone what is built",
                target.head.name
            ),
        ),
        (
            Interface::OneShot
            | Interface::Funnelled
            | Interface::Exports(_)
            | Interface::Unknown(_)
            | Interface::None,
            _,
        ) => cannot_tell(seen, reason.to_owned()),
    }
}

/// Returns true if the file names the version that a build uses, or at least one that is not newer:
/// `go.sum` also lists versions that were only considered, and `Cargo.lock` has no Go stub.
fn is_selected(kind: FileKind) -> bool {
    matches!(kind, FileKind::GoMod | FileKind::GoVendor)
}
