//! Names and releases of NRI that readers and verdicts depend on. Tests compare them with the
//! tables of `nri-codegen`.

/// The path of NRI's Go module.
pub(super) const MODULE: &str = "github.com/containerd/nri";

/// The release with one-shot plugins, before the protocol.
pub(super) const ONE_SHOT: &str = "v0.1.0";

/// The first release of the protocol.
pub(super) const PROTOCOL: &str = "v0.2.0";

/// The first release that loads WebAssembly modules, which the protos do not show.
pub(super) const WASM: &str = "v0.9.0";

/// The first release with an RPC for updates of pods; never tagged, but in CRI-O 1.33.
pub(super) const POD_UPDATES: &str = "v0.9.1-0.20250219030224-e597e7849f24";

/// The first release with an RPC for the validation of adjustments.
pub(super) const VALIDATION: &str = "v0.10.0";

/// The first release with a dedicated RPC for each event.
pub(super) const DEDICATED: &str = "v0.12.0";

/// The RPCs of the events that had no dedicated RPC before [`DEDICATED`].
pub(super) const DEDICATED_RPCS: [&str; 9] = [
    "RunPodSandbox",
    "StopPodSandbox",
    "RemovePodSandbox",
    "PostCreateContainer",
    "StartContainer",
    "PostStartContainer",
    "PostUpdateContainer",
    "PostUpdatePodSandbox",
    "RemoveContainer",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nri_codegen::history::History;
    use nri_codegen::model::Protocol;

    use super::*;

    /// Returns the first revision that fits.
    fn first(history: &History, fits: impl Fn(&Protocol) -> bool) -> &str {
        let mut revisions = history.revisions().iter();
        let found = revisions.find(|revision| fits(revision.protocol().unwrap()));
        found.unwrap().name()
    }

    fn has_rpc(protocol: &Protocol, rpc: &str) -> bool {
        let plugin = protocol.service("Plugin").unwrap();
        plugin.rpcs.iter().any(|one| one.name == rpc)
    }

    #[test]
    fn releases_are_those_of_the_tables() {
        let history = History::embedded().unwrap();
        assert_eq!(history.one_shot()[0].name, ONE_SHOT);
        assert_eq!(history.releases()[0].name, PROTOCOL);
        assert!(history.release(WASM).is_ok());
        let first = |rpc| first(&history, |protocol| has_rpc(protocol, rpc));
        assert_eq!(first("UpdatePodSandbox"), POD_UPDATES);
        assert_eq!(first("ValidateContainerAdjustment"), VALIDATION);
        for rpc in DEDICATED_RPCS {
            assert_eq!(first(rpc), DEDICATED, "{rpc}");
        }
    }

    #[test]
    fn the_dedicated_rpcs_are_those_that_replace_state_change() {
        let history = History::embedded().unwrap();
        let mut all = history.deprecations().iter();
        let state_change = all.find(|one| one.id == "state-change").unwrap();
        assert_eq!(state_change.deprecated_in.nri.as_deref(), Some(DEDICATED));
        let replaced: BTreeSet<&str> = state_change
            .replaced_by
            .iter()
            .map(|(_, rpc)| rpc.as_str())
            .collect();
        assert_eq!(replaced, BTreeSet::from(DEDICATED_RPCS));
    }
}
