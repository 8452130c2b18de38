//! Persistent volumes that are folders of a host, and the claims that they fulfil.
//!
//! A pod that mounts a claim mounts a folder of its node if the claim is bound to a persistent volume
//! with a path. In a manifest, either the claim names the volume, or the volume names the claim. If
//! neither does, the cluster may bind the claim to any volume that fits.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;

use super::claim::{Binding, Claim, Metadata};
use super::lenient;
use super::model::{HostPath, Volume, Workload};

/// The maximum number of persistent volumes that are listed for a claim without a binding.
const MAX_POSSIBLE: usize = 8;

/// A persistent volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "VolumeObject")]
pub struct PersistentVolume {
    name: String,
    path: Option<HostPath>,
    class: Option<String>,
    access_modes: BTreeSet<String>,
    labels: BTreeMap<String, String>,
    claim: Option<ClaimRef>,
}

/// The persistent volumes and claims of an input.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// The persistent volumes that are folders of a host.
    volumes: Vec<PersistentVolume>,
    /// The volumes by name, as positions in `volumes`.
    by_name: HashMap<String, Vec<usize>>,
    /// The volumes that name a claim, by its name.
    by_claim: HashMap<String, Vec<usize>>,
    /// The volumes that name no claim, by storage class.
    free: HashMap<Option<String>, Vec<usize>>,
    /// The claims by name.
    claims: HashMap<String, Vec<Claim>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct ClaimRef {
    #[serde(deserialize_with = "lenient::optional_text")]
    namespace: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct VolumeObject {
    #[serde(deserialize_with = "lenient::value")]
    metadata: Metadata,
    #[serde(deserialize_with = "lenient::value")]
    spec: VolumeSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct VolumeSpec {
    host_path: Option<HostPath>,
    local: Option<HostPath>,
    #[serde(deserialize_with = "lenient::optional_text")]
    storage_class_name: Option<String>,
    #[serde(deserialize_with = "lenient::list")]
    access_modes: Vec<String>,
    claim_ref: Option<ClaimRef>,
}

impl From<VolumeObject> for PersistentVolume {
    fn from(VolumeObject { metadata, spec }: VolumeObject) -> Self {
        Self {
            name: metadata.name,
            path: spec.host_path.or(spec.local),
            class: spec.storage_class_name,
            access_modes: spec.access_modes.into_iter().collect(),
            labels: metadata.labels,
            claim: spec.claim_ref,
        }
    }
}

impl Storage {
    /// Adds a persistent volume. A volume without a path on a host is ignored.
    pub fn add_volume(&mut self, volume: PersistentVolume) {
        if volume.path.is_none() {
            return;
        }
        let position = self.volumes.len();
        let same_name = self.by_name.entry(volume.name.clone()).or_default();
        same_name.push(position);
        let alike = match &volume.claim {
            Some(claim) => self.by_claim.entry(claim.name.clone()).or_default(),
            None => self.free.entry(volume.class.clone()).or_default(),
        };
        alike.push(position);
        self.volumes.push(volume);
    }

    /// Adds a claim.
    pub fn add_claim(&mut self, claim: Claim) {
        let same_name = self.claims.entry(claim.name.clone()).or_default();
        same_name.push(claim);
    }

    /// Adds all volumes and claims of `other`.
    pub fn add(&mut self, other: Self) {
        for volume in other.volumes {
            self.add_volume(volume);
        }
        for claim in other.claims.into_values().flatten() {
            self.add_claim(claim);
        }
    }

    /// Sets the paths of a workload's volumes that claim a persistent volume to the paths of the
    /// persistent volumes that they are, or may be, bound to.
    pub fn bind(&self, workload: &mut Workload) {
        if self.volumes.is_empty() {
            return;
        }
        let owner = ClaimOwner {
            namespace: workload.namespace.as_deref(),
            name: workload.name.trim_end_matches('-'),
        };
        for template in &mut workload.templates {
            let volumes = template.volumes.iter();
            let bound: Vec<Volume> = volumes
                .flat_map(|volume| self.bound(volume, &owner))
                .collect();
            template.volumes.extend(bound);
        }
    }

    /// Returns a volume with a path for each persistent volume that a volume of a pod is, or may be,
    /// bound to.
    fn bound(&self, volume: &Volume, owner: &ClaimOwner<'_>) -> Vec<Volume> {
        let (claims, mut positions) = match (&volume.claim, &volume.ephemeral) {
            (Some(source), _) => self.of_claim(&source.claim_name, owner),
            (None, Some(source)) => {
                let claims = vec![&source.volume_claim_template];
                (claims, self.of_template(&volume.name, owner))
            }
            (None, None) => return Vec::new(),
        };
        let names = claims.iter().filter_map(|claim| claim.volume.as_ref());
        positions.extend(names.filter_map(|name| self.by_name.get(name)).flatten());
        let is_certain = !positions.is_empty();
        if !is_certain {
            positions.extend(claims.iter().flat_map(|claim| self.fitting(claim)));
            positions.truncate(MAX_POSSIBLE);
        }
        positions.sort_unstable();
        positions.dedup();
        let persistent = positions.into_iter().filter_map(|at| self.volumes.get(at));
        persistent
            .map(|bound| bound.as_volume(volume, is_certain))
            .collect()
    }

    /// Returns the claims with this name, and the volumes that name it.
    fn of_claim(&self, name: &str, owner: &ClaimOwner<'_>) -> (Vec<&Claim>, Vec<usize>) {
        let claims = self.claims.get(name).into_iter().flatten();
        let claims = claims.filter(|claim| owner.is_in(claim.namespace.as_deref()));
        let volumes = self.by_claim.get(name).into_iter().flatten().copied();
        let volumes = volumes.filter(|at| self.is_for(*at, owner));
        (claims.collect(), volumes.collect())
    }

    /// Returns the volumes that name a claim which Kubernetes creates from a template.
    fn of_template(&self, volume: &str, owner: &ClaimOwner<'_>) -> Vec<usize> {
        let named = self.by_claim.iter();
        let made = named.filter(|(claim, _)| owner.makes(claim, volume));
        let volumes = made.flat_map(|(_, volumes)| volumes).copied();
        volumes.filter(|at| self.is_for(*at, owner)).collect()
    }

    /// Returns true if a volume names a claim in the namespace of the owner.
    fn is_for(&self, position: usize, owner: &ClaimOwner<'_>) -> bool {
        let volume = self.volumes.get(position);
        let claim = volume.and_then(|volume| volume.claim.as_ref());
        claim.is_some_and(|claim| owner.is_in(claim.namespace.as_deref()))
    }

    /// Returns the volumes that a cluster may bind a claim to.
    fn fitting<'s>(&'s self, claim: &'s Claim) -> impl Iterator<Item = usize> + use<'s> {
        let same_class = self.free.get(&claim.class).into_iter().flatten().copied();
        let fits = |position: &usize| {
            self.volumes
                .get(*position)
                .is_some_and(|volume| volume.fits(claim))
        };
        let fitting = same_class.filter(move |at| claim.volume.is_none() && fits(at));
        fitting.take(MAX_POSSIBLE)
    }
}

impl PersistentVolume {
    /// Returns true if a claim of the same class may be bound to it.
    fn fits(&self, claim: &Claim) -> bool {
        let mut labels = claim.labels.iter();
        claim.access_modes.is_subset(&self.access_modes)
            && labels.all(|(key, value)| self.labels.get(key) == Some(value))
    }

    /// Returns the volume of a pod with the path of this one.
    fn as_volume(&self, volume: &Volume, is_certain: bool) -> Volume {
        Volume {
            name: volume.name.clone(),
            host_path: self.path.clone(),
            binding: Some(Binding {
                volume: self.name.clone(),
                is_certain,
            }),
            line: volume.line,
            ..Volume::default()
        }
    }
}

/// The object whose pods create claims.
struct ClaimOwner<'w> {
    namespace: Option<&'w str>,
    name: &'w str,
}

impl ClaimOwner<'_> {
    /// Returns true if it is in a namespace, or if one of the two namespaces is unknown.
    fn is_in(&self, namespace: Option<&str>) -> bool {
        self.namespace.is_none() || namespace.is_none() || self.namespace == namespace
    }

    /// Returns true if its pods create a claim with this name for a volume: `VOLUME-OWNER-0` for those
    /// of a stateful set, `POD-VOLUME` for others.
    fn makes(&self, claim: &str, volume: &str) -> bool {
        let after = |text: Option<&str>| {
            let rest = text.and_then(|text| text.strip_prefix(self.name));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let of_set = claim.strip_prefix(volume);
        let of_pod = claim.strip_suffix(volume);
        !self.name.is_empty()
            && (after(of_set.and_then(|rest| rest.strip_prefix('-')))
                || after(of_pod.and_then(|rest| rest.strip_suffix('-'))))
    }
}

impl Workload {
    /// Returns true if a pod has volumes whose paths depend on persistent volumes.
    pub fn has_claims(&self) -> bool {
        let mut volumes = self.templates.iter().flat_map(|pod| &pod.volumes);
        volumes.any(|volume| volume.claim.is_some() || volume.ephemeral.is_some())
    }
}
