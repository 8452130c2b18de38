//! Containers that may be NRI plugins.

use std::collections::HashMap;
use std::fmt;

use super::host_path::NodePath;
use super::images;
use super::model::{Container, HostPath, Mount, PodTemplate, Volume, Workload};
use super::paths::{Reach, Resource, resources};

/// A container that may be an NRI plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate<'w> {
    /// The pod.
    pub template: &'w PodTemplate,
    /// The container.
    pub container: &'w Container,
    /// The reasons, at least one: mounts in their order, then images.
    pub reasons: Vec<Reason>,
    /// The images that it mounts as volumes.
    pub image_volumes: Vec<CandidateImage<'w>>,
}

/// A reason for treating a container as an NRI plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It mounts a path of the host that belongs to NRI.
    Mounts {
        /// The path on the host, as written, with the path within the volume.
        path: String,
        /// The relation of this path to the resources.
        reach: Reach,
        /// The resources, at least one.
        resources: Vec<Resource>,
    },
    /// Its image, or that of a volume that it mounts, is a published plugin.
    Published {
        /// The repository of the image.
        repository: String,
        /// A page of the publisher that names it.
        source: String,
    },
}

/// An image that a candidate mounts as a volume, and whose programs it may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateImage<'w> {
    /// The reference, as written.
    pub reference: &'w str,
    /// The line in a manifest, counted from 1.
    pub line: Option<u32>,
}

/// Returns the containers that may be NRI plugins, in the order of the workload.
pub fn candidates(workload: &Workload) -> Vec<Candidate<'_>> {
    let of = |template| in_template(template);
    workload.templates.iter().flat_map(of).collect()
}

/// Returns the resources of NRI that a path is or belongs to; `None` if there are none.
pub(super) fn direct(path: &HostPath) -> Option<Vec<Resource>> {
    let whole = NodePath::parse(&path.path)?;
    let (reach, resources) = resources(&whole, can_be_folder(path))?;
    (reach == Reach::Direct && !is_device(path)).then_some(resources)
}

fn in_template(template: &PodTemplate) -> Vec<Candidate<'_>> {
    let volumes = template.volumes.iter();
    let volumes: Volumes<'_> = volumes
        .map(|volume| (volume.name.as_str(), volume))
        .collect();
    let candidate = |container| {
        let reasons = reasons(container, &volumes);
        (!reasons.is_empty()).then_some(Candidate {
            template,
            container,
            reasons,
            image_volumes: image_volumes(container, &volumes).collect(),
        })
    };
    template.containers.iter().filter_map(candidate).collect()
}

/// Volumes by name.
type Volumes<'w> = HashMap<&'w str, &'w Volume>;

fn reasons(container: &Container, volumes: &Volumes<'_>) -> Vec<Reason> {
    let mounts = container.mounts.iter();
    let mounts = mounts.filter_map(|mount| mounts_nri(mount, volumes.get(mount.name.as_str())?));
    let images = container.image.as_deref().into_iter();
    let images = images.chain(image_volumes(container, volumes).map(|image| image.reference));
    let published = images.filter_map(images::published);
    let published = published.map(|image| Reason::Published {
        repository: image.repository.clone(),
        source: image.source.clone(),
    });
    let mut reasons: Vec<Reason> = Vec::new();
    for reason in mounts.chain(published) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

/// Returns a reason if a mount makes a path of NRI on the host visible.
fn mounts_nri(mount: &Mount, volume: &Volume) -> Option<Reason> {
    let host_path = volume.host_path.as_ref()?;
    let sub_path = mount.sub_path.as_deref().filter(|path| !path.is_empty());
    let mounted = NodePath::parse(&host_path.path)?.join(sub_path.unwrap_or_default());
    // A volume with a path within it must be a folder.
    let can_be_folder = sub_path.is_some() || can_be_folder(host_path);
    let (reach, resources) = resources(&mounted, can_be_folder)?;
    let path = match sub_path {
        Some(sub_path) => format!("{}/{sub_path}", host_path.path.trim_end_matches('/')),
        None => host_path.path.clone(),
    };
    (!is_device(host_path)).then_some(Reason::Mounts {
        path,
        reach,
        resources,
    })
}

/// Returns the images whose files a container sees as volumes.
fn image_volumes<'w>(
    container: &'w Container,
    volumes: &Volumes<'w>,
) -> impl Iterator<Item = CandidateImage<'w>> {
    let mounts = container.mounts.iter();
    let mounted = mounts.filter_map(|mount| volumes.get(mount.name.as_str()));
    mounted.filter_map(|volume| {
        Some(CandidateImage {
            reference: volume.image.as_ref()?.reference.as_deref()?,
            line: volume.line,
        })
    })
}

/// Returns true if the required type of a path allows a folder.
fn can_be_folder(path: &HostPath) -> bool {
    !matches!(
        path.required_type.as_deref(),
        Some("File" | "FileOrCreate" | "Socket")
    )
}

/// Returns true if the path must be a device, which NRI does not use.
fn is_device(path: &HostPath) -> bool {
    matches!(
        path.required_type.as_deref(),
        Some("CharDevice" | "BlockDevice")
    )
}

impl Candidate<'_> {
    /// Returns the reasons as one line, without line breaks.
    pub fn reason(&self) -> String {
        let reasons: Vec<String> = self.reasons.iter().map(Reason::to_string).collect();
        reasons.join("; ")
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mounts {
                path,
                reach,
                resources,
            } => {
                let path = crate::escape::bytes(path.as_bytes());
                let relation = match reach {
                    Reach::Direct => ":",
                    Reach::Parent => ", which contains",
                };
                write!(
                    f,
                    "mounts {path} of the host{relation} {}",
                    listed(resources)
                )
            }
            Self::Published { repository, source } => {
                write!(
                    f,
                    "its image is the published plugin {repository} ({source})"
                )
            }
        }
    }
}

/// Returns resources as a text: `a`, `a and b`, or `a, b and c`.
pub(super) fn listed(resources: &[Resource]) -> String {
    let names: Vec<String> = resources.iter().map(Resource::to_string).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
