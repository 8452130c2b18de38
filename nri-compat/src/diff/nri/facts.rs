//! Facts from the history of releases and runtimes, beyond the two schemas.

use nri_schema::history::{Deprecation, History, Interface};

use super::semantics::PLUGIN;
use super::side::NriSide;
use crate::ranges;
use crate::report::diff::Deprecated;
use crate::runtime_release::RuntimeRelease;

/// The history, in the context of one comparison.
pub(in crate::diff) struct Facts<'h> {
    pub(in crate::diff) history: &'h History,
    /// The runtime release that `to` is meant for, where one was named.
    pub(in crate::diff) target: Option<RuntimeRelease>,
}

impl<'h> Facts<'h> {
    /// Returns true if a runtime of this side repeats the event as StateChange for a plugin without
    /// its RPC.
    pub(in crate::diff) fn falls_back(&self, side: &NriSide<'_>, event: &str) -> bool {
        let mut all = self.history.deprecations().iter();
        let replaced = |one: &Deprecation| one.replaced_by.iter().any(|(name, _)| name == event);
        side.nri.state_change && all.any(replaced)
    }

    fn deprecation(&self, rpc: &str) -> Option<&'h Deprecation> {
        self.history
            .deprecations()
            .iter()
            .find(|one| matches!(&one.interface, Interface::Rpc { rpc: name, .. } if name == rpc))
    }

    /// Returns when the RPC with this full name will be removed: `removal is planned for containerd
    /// 2.7`.
    pub(in crate::diff) fn outlook(&self, rpc: &str) -> Option<String> {
        self.deprecation(rpc)?.outlook()
    }

    /// Returns the same as the end of a sentence, empty if nothing is known.
    pub(in crate::diff) fn planned(&self, rpc: &str) -> String {
        self.outlook(rpc).map_or_else(String::new, |outlook| format!(", {outlook}"))
    }

    /// Returns true if the planned removal of this RPC has come: in the target runtime, or else in
    /// any known one.
    pub(in crate::diff) fn is_due(&self, rpc: &str) -> bool {
        let Some(deprecation) = self.deprecation(rpc) else {
            return false;
        };
        let when = &deprecation.removal.when;
        if let Some(target) = &self.target {
            return when.in_runtime(&target.runtime, &target.version);
        }
        self.history.runtimes().iter().any(|runtime| {
            let newest = runtime.releases.last();
            newest.is_some_and(|newest| when.in_runtime(&runtime.id, &newest.version))
        })
    }

    /// Returns which runtime releases know the field of this full name, as the end of a sentence.
    pub(in crate::diff) fn known_by(&self, field: &str) -> String {
        // A proto that does not compile declares nothing; `History::check` reports it.
        let knowing = self.history.declaring(field).unwrap_or_default();
        let knows = |name: &str| knowing.iter().any(|revision| revision.name() == name);
        let ranges = self.shipping(knows);
        if ranges.is_empty() {
            "no released runtime knows it yet".to_owned()
        } else {
            format!("known by {}", ranges.join(", "))
        }
    }

    /// Returns ranges of runtime releases whose protocol revision satisfies `wanted`.
    pub(in crate::diff) fn shipping(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let nri: Vec<&str> = self
            .history
            .releases()
            .iter()
            .filter(|release| wanted(&release.revision))
            .map(|release| release.name.as_str())
            .collect();
        ranges::texts(self.history.runtimes(), |release| nri.contains(&release.nri.as_str()))
    }

    /// Returns the RPCs that are deprecated at `to` but not at `from`. A schema that is not a known
    /// revision counts as the newest if it has the replacements.
    pub(in crate::diff) fn newly_deprecated(
        &self,
        from: &NriSide<'_>,
        to: &NriSide<'_>,
    ) -> Vec<Deprecated> {
        let new = self
            .history
            .deprecations()
            .iter()
            .filter(|one| replaced_in(one, to) && !replaced_in(one, from));
        new.map(deprecated).collect()
    }
}

/// Returns true if the side has the deprecated RPC and, at least for one event, the RPC that
/// replaces it.
fn replaced_in(one: &Deprecation, side: &NriSide<'_>) -> bool {
    let Interface::Rpc { rpc, .. } = &one.interface else {
        return false;
    };
    let service = |name: &str| side.rpc(PLUGIN, name).is_some();
    side.protocol.has(rpc) && one.replaced_by.iter().any(|(_, replacement)| service(replacement))
}

fn deprecated(one: &Deprecation) -> Deprecated {
    let warning = one.warned_by.as_ref();
    let first = warning.and_then(|warning| warning.runtimes.first());
    Deprecated {
        id: one.id.clone(),
        summary: one.summary.clone(),
        since: one.deprecated_in.nri.clone().unwrap_or_default(),
        warned_by: first.map(|(runtime, version)| format!("{runtime} {version}")),
        removal: one.removal.words(),
        replaced_by: one.replaced_by.clone(),
        remedy: one.remedy.clone(),
    }
}
