//! Containers that may be NRI plugins.

use super::images::published;
use super::paths::{around, direct};
use super::pod::{Container, ImageVolume, Mount, PodTemplate, Volume, Workload};

/// A container that may be an NRI plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate<'w> {
    /// The container.
    pub container: &'w Container,
    /// The images that it mounts as volumes.
    pub image_volumes: Vec<&'w ImageVolume>,
    reasons: Vec<String>,
}

/// Returns the containers that may be NRI plugins, in the order of the workload.
pub fn candidates(workload: &Workload) -> Vec<Candidate<'_>> {
    let containers = workload.templates.iter().flat_map(|template| {
        let containers = template.containers.iter();
        containers.map(move |container| (template, container))
    });
    containers
        .filter_map(|(template, container)| candidate(template, container))
        .collect()
}

fn candidate<'w>(template: &'w PodTemplate, container: &'w Container) -> Option<Candidate<'w>> {
    let volume = |mount: &Mount| {
        let mut volumes = template.volumes.iter();
        volumes.find(|volume| volume.name == mount.name)
    };
    let mounts = container.mounts.iter();
    let mounts: Vec<(&Mount, &Volume)> = mounts
        .filter_map(|mount| Some((mount, volume(mount)?)))
        .collect();
    let image_volumes: Vec<&ImageVolume> = mounts
        .iter()
        .filter_map(|(_, volume)| volume.image.as_ref())
        .collect();
    let images = container.image.iter();
    let images = images.chain(image_volumes.iter().map(|image| &image.reference));
    let mut reasons: Vec<String> = mounts
        .iter()
        .filter_map(|(mount, volume)| mounts_nri(mount, volume))
        .chain(images.filter_map(|image| is_published(image)))
        .collect();
    reasons.dedup();
    (!reasons.is_empty()).then_some(Candidate {
        container,
        image_volumes,
        reasons,
    })
}

/// Returns a reason if a mount makes a path of NRI on the host visible.
fn mounts_nri(mount: &Mount, volume: &Volume) -> Option<String> {
    let path = volume.host_path.as_ref()?;
    let path = match &mount.sub_path {
        Some(sub_path) => format!("{}/{sub_path}", path.trim_end_matches('/')),
        None => path.clone(),
    };
    let shown = crate::escape::bytes(path.as_bytes());
    match (direct(&path), around(&path)) {
        (Some(resource), _) => Some(format!("mounts {shown} of the host: {resource}")),
        (None, Some(resource)) => Some(format!(
            "mounts {shown} of the host, which contains {resource}"
        )),
        (None, None) => None,
    }
}

/// Returns a reason if an image is a published plugin.
fn is_published(image: &str) -> Option<String> {
    let image = published(image)?;
    Some(format!(
        "its image is the published plugin {} ({})",
        image.repository, image.source
    ))
}

impl Candidate<'_> {
    /// Returns the reasons for treating the container as a plugin, as one line: mounts in their order, then
    /// images.
    pub fn reason(&self) -> String {
        self.reasons.join("; ")
    }
}
