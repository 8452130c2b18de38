//! The result of a collection.

use crate::report::check::{ClusterView, Summary};
use crate::sighting::Sighting;
use crate::skipped::Skipped;

/// A runtime that is installed on a machine, or runs there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineRuntime {
    /// Its id in the tables: `containerd` or `cri-o`.
    pub runtime: String,
    /// Its release as its program or it itself names it: `v2.2.1`; `None` if unknown.
    pub release: Option<String>,
    /// The release of NRI that it links: `v0.11.0`; `None` if unknown.
    pub nri: Option<String>,
    /// How this is known: `the build information of /usr/bin/containerd`.
    pub known_from: String,
}

/// The result of a scan.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The sightings of the readers, sorted by path, kind and name.
    pub sightings: Vec<Sighting>,
    /// Places that could not be checked, sorted.
    pub skipped: Vec<Skipped>,
    /// Named paths that do not exist; they are in `skipped` too.
    pub missing: Vec<String>,
    /// Logs of which a part could not be read that may have warnings; they are in `sightings` and
    /// `skipped` too.
    pub unread: Vec<String>,
    /// The images that could not be fetched, with the reasons; they are in `sightings` too.
    pub not_fetched: Vec<String>,
    /// The cluster whose plugins were checked, if any.
    pub cluster: Option<ClusterView>,
    /// The runtimes of the machine, if one was checked.
    pub runtimes: Vec<MachineRuntime>,
    /// The places that were checked, with counts. The number of plugins is added later, with the
    /// verdicts.
    pub summary: Summary,
}

impl Collected {
    /// Adds the result of another source: a cluster, or the status of a runtime.
    pub(crate) fn join(&mut self, other: Self) {
        let Self { sightings, skipped, missing, unread, not_fetched, cluster, runtimes, summary } =
            other;
        self.sightings.extend(sightings);
        self.skipped.extend(skipped);
        self.missing.extend(missing);
        self.unread.extend(unread);
        self.not_fetched.extend(not_fetched);
        self.cluster = cluster.or(self.cluster.take());
        self.runtimes.extend(runtimes);
        self.summary.join(summary);
    }
}
