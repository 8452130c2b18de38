//! Releases of NRI or of a runtime that plugins are judged against, and the protocol of each.

mod machine;
mod name;
mod resolve;

pub use machine::machine_targets;
pub use name::ReleaseName;
pub use resolve::UnknownReleases;

use nri_schema::history::{Deprecation, History, Interface, RemovalStatus};
use nri_schema::model::{Event, Protocol};
use nri_schema::version;
use semver::Version;

use crate::report::check::CheckTarget;
use crate::runtime_release::RuntimeRelease;

/// A release that plugins are judged against.
#[derive(Clone, Debug)]
pub struct Target<'h> {
    /// Its name and the NRI that it links, as shown in reports.
    pub head: CheckTarget,
    pub(super) history: &'h History,
    /// The protocol that it speaks; `None` if it knows only one-shot plugins.
    pub(super) protocol: Option<&'h Protocol>,
    /// The NRI release that it links.
    pub(super) nri: Version,
    /// The runtime release, unless the target is a release of NRI.
    pub(super) runtime: Option<RuntimeRelease>,
    /// False for a release of a distribution that is newer than the tables: it may ship a later
    /// runtime.
    is_runtime_known: bool,
    /// True if it applies only to plugins on nodes of a cluster that run it.
    pub(super) is_of_nodes: bool,
}

impl<'h> Target<'h> {
    /// Returns the event that an RPC name stands for, if the target knows it.
    pub(super) fn event(&self, rpc: &str) -> Option<&'h Event> {
        let nri = self.protocol?.nri.as_ref()?;
        nri.events.iter().find(|event| event.rpc_name == rpc)
    }

    /// Returns the release of the runtime; `None` if the target is a release of NRI.
    pub(crate) fn runtime_release(&self) -> Option<RuntimeRelease> {
        self.runtime.clone()
    }

    /// Returns the name and version of the runtime; `None` if the target is a release of NRI.
    #[cfg(feature = "conformance")]
    pub fn runtime(&self) -> Option<(&str, &Version)> {
        let runtime = self.runtime.as_ref()?;
        Some((&runtime.runtime, &runtime.version))
    }

    /// Reports whether it sends events as StateChange to plugins that need that.
    #[cfg(feature = "conformance")]
    pub(crate) fn sends_state_change(&self) -> bool {
        let mut removed =
            self.history.deprecations().iter().filter(|deprecation| self.has_removed(deprecation));
        !removed.any(|deprecation| deprecation.id == "state-change")
    }

    /// Reports whether the deprecated interface does not exist here: it was removed, or its removal
    /// is planned for this release or an earlier one.
    pub(super) fn has_removed(&self, deprecation: &Deprecation) -> bool {
        let removal = &deprecation.removal;
        let by_series = || self.is_in_series_of(deprecation);
        if self.lacks(deprecation) {
            return true;
        }
        match removal.status {
            RemovalStatus::Done => removal.when.in_nri(&self.nri) || by_series(),
            // A released version still has the interface, regardless of the plan.
            RemovalStatus::Planned => {
                (self.head.planned || self.head.newer_than_data.is_some()) && by_series()
            }
        }
    }

    /// Returns true if the protocol no longer has the deprecated RPC, regardless of the plan.
    pub(super) fn lacks(&self, deprecation: &Deprecation) -> bool {
        let Interface::Rpc { rpc, .. } = &deprecation.interface else {
            return false;
        };
        self.deprecates(deprecation) && self.protocol.is_some_and(|protocol| !protocol.has(rpc))
    }

    /// Reports whether a planned removal may have happened by now: the release is newer than the
    /// tables, and the plan does not say that it comes first.
    pub(super) fn may_have_removed(&self, deprecation: &Deprecation) -> bool {
        let removal = &deprecation.removal;
        let is_planned_for =
            |at: &RuntimeRelease| removal.when.runtimes.iter().any(|(id, _)| *id == at.runtime);
        let comes_first =
            self.is_runtime_known && self.runtime.as_ref().is_some_and(is_planned_for);
        self.head.newer_than_data.is_some()
            && removal.status == RemovalStatus::Planned
            && (self.is_in_series_of(deprecation) || !comes_first)
    }

    fn is_in_series_of(&self, deprecation: &Deprecation) -> bool {
        let at = self.runtime.as_ref();
        at.is_some_and(|at| deprecation.removal.when.in_runtime(&at.runtime, &at.version))
    }

    /// Reports whether the interface is deprecated here. If the table does not name the runtime,
    /// the NRI release decides.
    pub(super) fn deprecates(&self, deprecation: &Deprecation) -> bool {
        let runtime = self.runtime.as_ref().map(|at| (at.runtime.as_str(), &at.version));
        deprecation.deprecated_in.holds(runtime, Some(&self.nri))
    }

    pub(super) fn reaches_nri(&self, since: &str) -> bool {
        version::parse(since).is_some_and(|since| self.nri >= since)
    }
}
