//! What the annotations ask for.

use nri::api::{LinuxDevice, Mount, PodSandbox};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A device as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Device {
    path: String,
    r#type: String,
    #[serde(default)]
    major: i64,
    #[serde(default)]
    minor: i64,
    file_mode: Option<u32>,
    uid: Option<u32>,
    gid: Option<u32>,
}

/// A mount as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MountRequest {
    source: String,
    destination: String,
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    options: Vec<String>,
}

pub(crate) fn devices(pod: &PodSandbox, container: &str) -> nri::Result<Vec<LinuxDevice>> {
    let devices: Vec<Device> = list(pod, container, "devices.noderesource.dev")?;
    let device = |device: Device| LinuxDevice {
        path: device.path,
        r#type: device.r#type,
        major: device.major,
        minor: device.minor,
        file_mode: device.file_mode.map(Into::into),
        uid: device.uid.map(Into::into),
        gid: device.gid.map(Into::into),
    };
    Ok(devices.into_iter().map(device).collect())
}

pub(crate) fn mounts(pod: &PodSandbox, container: &str) -> nri::Result<Vec<Mount>> {
    let mounts: Vec<MountRequest> = list(pod, container, "mounts.noderesource.dev")?;
    let mount = |mount: MountRequest| Mount {
        source: mount.source,
        destination: mount.destination,
        r#type: mount.r#type,
        options: mount.options,
    };
    Ok(mounts.into_iter().map(mount).collect())
}

pub(crate) fn cdi_devices(pod: &PodSandbox, container: &str) -> nri::Result<Vec<String>> {
    list(pod, container, "cdi-devices.noderesource.dev")
}

/// The list in the annotation of this key, for this container or for all of the pod; empty without.
fn list<T: DeserializeOwned>(pod: &PodSandbox, container: &str, key: &str) -> nri::Result<Vec<T>> {
    let Some(text) = pod.annotation_for(key, container) else {
        return Ok(Vec::new());
    };
    serde_yaml_ng::from_str(text).map_err(|error| {
        let name = pod.full_name();
        nri::Error::new(format!(
            "annotation {key} of {name} cannot be read for container {container}: {error}"
        ))
        .with_help("write a list in YAML")
    })
}
