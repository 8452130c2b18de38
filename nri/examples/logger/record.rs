//! One event as text.

use std::collections::BTreeMap;

use nri::api::ContainerState;
use nri::prelude::*;
use serde::Serialize;

/// How events are printed.
#[derive(Clone, Copy, Default)]
pub(crate) enum Format {
    /// A document for each event.
    #[default]
    Yaml,
    /// A line for each event.
    Json,
}

pub(crate) fn format(name: &str) -> Result<Format, String> {
    match name {
        "yaml" => Ok(Format::Yaml),
        "json" => Ok(Format::Json),
        other => Err(format!("{other} is neither yaml nor json")),
    }
}

/// What is printed of an event.
#[derive(Serialize)]
pub(crate) struct Record<'a> {
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pod: Option<Pod<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<ContainerRecord<'a>>,
}

#[derive(Serialize)]
struct Pod<'a> {
    id: &'a str,
    namespace: &'a str,
    name: &'a str,
    uid: &'a str,
    labels: &'a BTreeMap<String, String>,
    annotations: &'a BTreeMap<String, String>,
    runtime_handler: &'a str,
    cgroup_parent: &'a str,
    pid: u32,
    ips: &'a [String],
}

#[derive(Serialize)]
struct ContainerRecord<'a> {
    id: &'a str,
    name: &'a str,
    state: &'static str,
    labels: &'a BTreeMap<String, String>,
    annotations: &'a BTreeMap<String, String>,
    args: &'a [String],
    env: &'a [String],
    mounts: Vec<MountRecord<'a>>,
    devices: Vec<&'a str>,
    cdi_devices: Vec<&'a str>,
    pid: u32,
    exit_code: i32,
}

#[derive(Serialize)]
struct MountRecord<'a> {
    destination: &'a str,
    r#type: &'a str,
    source: &'a str,
    options: &'a [String],
}

impl<'a> Record<'a> {
    pub(crate) fn new(
        event: &'a str,
        pod: Option<&'a PodSandbox>,
        container: Option<&'a Container>,
    ) -> Self {
        Record {
            event,
            pod: pod.map(Pod::new),
            container: container.map(ContainerRecord::new),
        }
    }

    pub(crate) fn render(&self, format: Format) -> nri::Result<String> {
        match format {
            Format::Yaml => serde_yaml_ng::to_string(self)
                .map(|text| format!("---\n{text}"))
                .map_err(nri::Error::other),
            Format::Json => serde_json::to_string(self)
                .map(|text| text + "\n")
                .map_err(nri::Error::other),
        }
    }
}

impl<'a> Pod<'a> {
    fn new(pod: &'a PodSandbox) -> Self {
        Pod {
            id: &pod.id,
            namespace: &pod.namespace,
            name: &pod.name,
            uid: &pod.uid,
            labels: &pod.labels,
            annotations: &pod.annotations,
            runtime_handler: &pod.runtime_handler,
            cgroup_parent: pod.cgroup_parent(),
            pid: pod.pid,
            ips: &pod.ips,
        }
    }
}

impl<'a> ContainerRecord<'a> {
    fn new(container: &'a Container) -> Self {
        let devices = container.linux.iter().flat_map(|linux| &linux.devices);
        ContainerRecord {
            id: &container.id,
            name: &container.name,
            state: state(container),
            labels: &container.labels,
            annotations: &container.annotations,
            args: &container.args,
            env: &container.env,
            mounts: container.mounts.iter().map(MountRecord::new).collect(),
            devices: devices.map(|device| &*device.path).collect(),
            cdi_devices: container
                .cdi_devices
                .iter()
                .map(|device| &*device.name)
                .collect(),
            pid: container.pid,
            exit_code: container.exit_code,
        }
    }
}

impl<'a> MountRecord<'a> {
    fn new(mount: &'a nri::api::Mount) -> Self {
        MountRecord {
            destination: &mount.destination,
            r#type: &mount.r#type,
            source: &mount.source,
            options: &mount.options,
        }
    }
}

fn state(container: &Container) -> &'static str {
    match container.state() {
        ContainerState::ContainerUnknown => "unknown",
        ContainerState::ContainerCreated => "created",
        ContainerState::ContainerPaused => "paused",
        ContainerState::ContainerRunning => "running",
        ContainerState::ContainerStopped => "stopped",
    }
}
