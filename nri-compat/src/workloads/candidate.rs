//! Containers that may be NRI plugins.

use std::collections::HashMap;
use std::fmt;

use super::host_path::{self, Mounted};
use super::images;
use super::model::{Container, HostPath, PodTemplate, Volume, Workload};
use super::paths::{Reach, Resource, resources};

/// A container that may be an NRI plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate<'w> {
    /// The pod.
    pub template: &'w PodTemplate,
    /// The container.
    pub container: &'w Container,
    /// The reasons, at least one: mounts in the order given, then the image.
    pub reasons: Vec<Reason>,
}

/// A reason to take a container for an NRI plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It mounts a part of the host that belongs to NRI.
    Mounts {
        /// The path on the host, as written, with the path within the volume.
        path: String,
        /// The relation of this path to the resources.
        reach: Reach,
        /// The resources, at least one.
        resources: Vec<Resource>,
    },
    /// Its image is a published plugin.
    Published {
        /// The repository of the image.
        repository: String,
        /// A page of the publisher that names it.
        source: String,
    },
}

/// A volume that belongs to NRI, but that no container of the pod mounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmounted<'w> {
    /// The pod.
    pub template: &'w PodTemplate,
    /// The volume.
    pub volume: &'w Volume,
    /// The path on the host.
    pub path: &'w str,
    /// The resources, at least one.
    pub resources: Vec<Resource>,
}

/// Returns the containers that may be NRI plugins, in the order of the workload.
pub fn candidates(workload: &Workload) -> Vec<Candidate<'_>> {
    let of = |template| in_template(template);
    workload.templates.iter().flat_map(of).collect()
}

/// Returns the volumes that belong to NRI directly, and that no container mounts.
pub fn unmounted(workload: &Workload) -> Vec<Unmounted<'_>> {
    let mut all = Vec::new();
    for template in &workload.templates {
        let is_mounted = |volume: &Volume| {
            let mut mounts = template.containers.iter().flat_map(|one| &one.mounts);
            mounts.any(|mount| mount.name == volume.name)
        };
        for volume in template.volumes.iter().filter(|volume| !is_mounted(volume)) {
            all.extend(unmounted_volume(template, volume));
        }
    }
    all
}

fn unmounted_volume<'w>(template: &'w PodTemplate, volume: &'w Volume) -> Option<Unmounted<'w>> {
    let path = volume.host_path.as_ref()?;
    let whole = host_path::NodePath::parse(&path.path)?;
    let mounted = Mounted {
        path: whole,
        is_known: true,
    };
    let (reach, resources) = resources(&mounted, can_be_folder(path))?;
    (reach == Reach::Direct && !is_device(path)).then_some(Unmounted {
        template,
        volume,
        path: &path.path,
        resources,
    })
}

fn in_template(template: &PodTemplate) -> Vec<Candidate<'_>> {
    let volumes: HashMap<&str, &HostPath> = template
        .volumes
        .iter()
        .filter_map(|volume| Some((volume.name.as_str(), volume.host_path.as_ref()?)))
        .collect();
    let candidate = |container| {
        let reasons = reasons(container, &volumes);
        (!reasons.is_empty()).then_some(Candidate {
            template,
            container,
            reasons,
        })
    };
    template.containers.iter().filter_map(candidate).collect()
}

fn reasons(container: &Container, volumes: &HashMap<&str, &HostPath>) -> Vec<Reason> {
    let mounts = container.mounts.iter().filter_map(|mount| {
        let volume = *volumes.get(mount.name.as_str())?;
        let mounted = host_path::mounted(volume, mount, container)?;
        // A path within the volume makes a folder of it.
        let has_sub_path = mount.sub_path.is_some() || mount.sub_path_expr.is_some();
        let (reach, resources) = resources(&mounted, has_sub_path || can_be_folder(volume))?;
        let sub_path = mount.sub_path_expr.as_ref().or(mount.sub_path.as_ref());
        let path = match sub_path {
            Some(sub_path) => format!("{}/{sub_path}", volume.path.trim_end_matches('/')),
            None => volume.path.clone(),
        };
        (!is_device(volume)).then_some(Reason::Mounts {
            path,
            reach,
            resources,
        })
    });
    let published = container.image.as_deref().and_then(images::published);
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

/// Reports whether the required type of a path allows for a folder.
fn can_be_folder(path: &HostPath) -> bool {
    !matches!(
        path.required_type.as_deref(),
        Some("File" | "FileOrCreate" | "Socket")
    )
}

/// Reports whether the path must be a device, which NRI does not use.
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
                    Reach::Possible => ", which may contain",
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

impl fmt::Display for Unmounted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = crate::escape::bytes(self.volume.name.as_bytes());
        let path = crate::escape::bytes(self.path.as_bytes());
        let resources = listed(&self.resources);
        write!(
            f,
            "declares the volume `{name}` with {path} of the host ({resources}), but no container mounts it"
        )
    }
}

/// Returns `a`, `a and b`, or `a, b and c`.
fn listed(resources: &[Resource]) -> String {
    let names: Vec<String> = resources.iter().map(Resource::to_string).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
