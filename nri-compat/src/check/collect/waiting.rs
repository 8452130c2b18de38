//! Workloads whose volumes are claims, which wait until all manifests are read.

use super::demand::Demand;
use crate::place::Place;
use crate::workloads::{Storage, Workload};

/// The maximum number of workloads of a manifest that wait. Further ones are judged without the
/// persistent volumes of other manifests.
pub(super) const MAX_WAITING: usize = 50_000;

/// A manifest, and what is known about it so far.
#[derive(Clone, Debug)]
pub(super) struct ManifestFile {
    /// The file.
    pub(super) place: Place,
    /// The reason why it is read.
    pub(super) demand: Demand,
    /// True if the text has the word `nri`, so that documents that cannot be read matter.
    pub(super) mentions_nri: bool,
    /// The number of objects.
    pub(super) objects: u64,
    /// The number of objects with pods.
    pub(super) workloads: u64,
    /// True if something about it is reported, or will be.
    pub(super) is_reported: bool,
}

/// The workloads of a manifest that wait, with their documents.
#[derive(Clone, Debug)]
pub(super) struct WaitingFile {
    /// The manifest.
    pub(super) file: ManifestFile,
    /// The workloads.
    pub(super) workloads: Vec<(u32, Workload)>,
}

/// The workloads that wait, and the persistent volumes and claims that were found.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// The manifests with workloads that wait.
    pub(super) files: Vec<WaitingFile>,
    /// The persistent volumes and claims of all manifests.
    pub(super) storage: Storage,
}
