//! The devices that annotations ask for.

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
    file_mode: Option<Mode>,
    uid: Option<u32>,
    gid: Option<u32>,
}

/// The permissions of a device: a number, or digits that YAML of this age takes for text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Mode {
    Number(u32),
    Octal(String),
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

impl Mode {
    /// `0666` is octal, as in the YAML that Kubernetes reads; 438 and `0o666` are the same number.
    fn bits(self) -> nri::Result<u32> {
        match self {
            Mode::Number(number) => Ok(number),
            Mode::Octal(digits) => u32::from_str_radix(&digits, 8).map_err(|_| {
                nri::Error::new(format!("file_mode {digits:?} is no number"))
                    .with_help("write it in octal digits, such as 0666")
            }),
        }
    }
}

impl Device {
    fn into_nri(self) -> nri::Result<LinuxDevice> {
        let mode = self.file_mode.map(Mode::bits).transpose()?;
        Ok(LinuxDevice {
            path: self.path,
            r#type: self.r#type,
            major: self.major,
            minor: self.minor,
            file_mode: mode.map(Into::into),
            uid: self.uid.map(Into::into),
            gid: self.gid.map(Into::into),
        })
    }
}

pub(crate) fn devices(pod: &PodSandbox, container: &str) -> nri::Result<Vec<LinuxDevice>> {
    let devices: Vec<Device> = list(pod, container, "devices")?;
    devices.into_iter().map(Device::into_nri).collect()
}

pub(crate) fn mounts(pod: &PodSandbox, container: &str) -> nri::Result<Vec<Mount>> {
    let mounts: Vec<MountRequest> = list(pod, container, "mounts")?;
    let mount = |mount: MountRequest| Mount {
        source: mount.source,
        destination: mount.destination,
        r#type: mount.r#type,
        options: mount.options,
    };
    Ok(mounts.into_iter().map(mount).collect())
}

pub(crate) fn cdi_devices(pod: &PodSandbox, container: &str) -> nri::Result<Vec<String>> {
    list(pod, container, "cdi-devices")
}

/// The domains of the annotations: the one of today, and the one that the sample had before.
const DOMAINS: [&str; 2] = ["noderesource.dev", "nri.io"];

/// Returns the list in the annotation of this kind, for this container or for all of the pod; empty
/// without.
fn list<T: DeserializeOwned>(pod: &PodSandbox, container: &str, kind: &str) -> nri::Result<Vec<T>> {
    let keys = DOMAINS.map(|domain| format!("{kind}.{domain}"));
    let annotations = keys
        .iter()
        .map(|key| (key, pod.annotation_for(key, container)));
    let Some((key, text)) = annotations
        .into_iter()
        .find_map(|(key, text)| Some((key, text?)))
    else {
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
