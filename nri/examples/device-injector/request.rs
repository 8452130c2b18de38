//! The devices that annotations request.

use nri::api::{IoPrioClass, LinuxDevice, LinuxIoPriority, Mount, PodSandbox};
use nri::view::Annotation;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A device as written in the annotation.
#[derive(Deserialize)]
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

/// The permissions of a device: a number, or digits that this version of YAML treats as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Mode {
    Number(u32),
    Octal(String),
}

/// A mount as written in the annotation.
#[derive(Deserialize)]
struct MountRequest {
    source: String,
    destination: String,
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    options: Vec<String>,
}

/// An I/O priority as written.
#[derive(Deserialize)]
struct IoPriority {
    /// The name of a class, such as `IOPRIO_CLASS_BE`.
    class: String,
    /// The level in the class, from 0 (highest) to 7.
    #[serde(default)]
    priority: i32,
}

impl Mode {
    /// `0666` is octal, as in the YAML that Kubernetes reads; 438 and `0o666` are the same number.
    fn bits(self) -> nri::Result<u32> {
        match self {
            Mode::Number(number) => Ok(number),
            Mode::Octal(digits) => u32::from_str_radix(&digits, 8).map_err(|_| {
                nri::Error::new(format!("file_mode {digits:?} is not a number"))
                    .with_help("write it in octal digits, such as 0666")
            }),
        }
    }
}

/// Returns a number that is given: 0 is the same as none, as in the Go plugin.
fn given<T: From<u32>>(number: Option<u32>) -> Option<T> {
    number.filter(|number| *number != 0).map(Into::into)
}

impl Device {
    fn into_nri(self) -> nri::Result<LinuxDevice> {
        let mode = self.file_mode.map(Mode::bits).transpose()?;
        Ok(LinuxDevice {
            path: self.path,
            r#type: self.r#type,
            major: self.major,
            minor: self.minor,
            file_mode: given(mode),
            uid: given(self.uid),
            gid: given(self.gid),
        })
    }
}

impl MountRequest {
    fn into_nri(self) -> Mount {
        Mount {
            source: self.source,
            destination: self.destination,
            r#type: self.r#type,
            options: self.options,
        }
    }
}

pub(crate) fn devices(pod: &PodSandbox, container: &str) -> nri::Result<Vec<LinuxDevice>> {
    let devices: Vec<Device> = list(pod, container, "devices")?;
    devices.into_iter().map(Device::into_nri).collect()
}

pub(crate) fn mounts(pod: &PodSandbox, container: &str) -> nri::Result<Vec<Mount>> {
    let mounts: Vec<MountRequest> = list(pod, container, "mounts")?;
    Ok(mounts.into_iter().map(MountRequest::into_nri).collect())
}

pub(crate) fn cdi_devices(pod: &PodSandbox, container: &str) -> nri::Result<Vec<String>> {
    list(pod, container, "cdi-devices")
}

/// Returns the I/O priority in the annotation for this container or for all of the pod.
pub(crate) fn io_priority(
    pod: &PodSandbox,
    container: &str,
) -> nri::Result<Option<LinuxIoPriority>> {
    let Some(annotation) = find(pod, container, "io-priority") else {
        return Ok(None);
    };
    let request: IoPriority = annotation.parse(serde_yaml_ng::from_str)?;
    let class = IoPrioClass::from_str_name(&request.class)
        .ok_or_else(|| annotation.invalid(format!("unknown class {:?}", request.class)))?;
    Ok(Some(LinuxIoPriority::new(class, request.priority)))
}

/// The domains of the annotations: the current one, and the one before it.
const DOMAINS: [&str; 2] = ["noderesource.dev", "nri.io"];

/// Returns the annotation of this kind, for this container or for all of the pod.
fn find<'p>(pod: &'p PodSandbox, container: &str, kind: &str) -> Option<Annotation<'p>> {
    let keys = DOMAINS.map(|domain| format!("{kind}.{domain}"));
    pod.find_annotation_for(&keys, container)
}

/// Returns the list in the annotation of this kind; empty if there is none, or if the annotation is
/// empty.
fn list<T: DeserializeOwned>(pod: &PodSandbox, container: &str, kind: &str) -> nri::Result<Vec<T>> {
    let Some(annotation) = find(pod, container, kind) else {
        return Ok(Vec::new());
    };
    let list: Option<Vec<T>> = annotation.parse(serde_yaml_ng::from_str)?;
    Ok(list.unwrap_or_default())
}
