//! The network devices that an annotation requests.

use std::net::IpAddr;

use nri::api::PodSandbox;
use serde::Deserialize;

/// The prefixes of the annotation, newest first: the one in the documentation of the Go plugin, the
/// one in its source, and the one that it had before.
const PREFIXES: [&str; 3] =
    ["netdevices.noderesource.dev", "netdevice.noderesource.dev", "netdevices.nri.containerd.io"];

/// A network device as written, except that what is left out has its default.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Device {
    /// Its name on the host.
    pub(crate) name: String,
    /// Its name in the pod; empty for the same.
    #[serde(default)]
    pub(crate) new_name: String,
    pub(crate) address: Option<IpAddr>,
    /// The length of the address's network prefix in bits.
    pub(crate) prefix: Option<u8>,
    /// The largest packet in bytes.
    pub(crate) mtu: Option<u32>,
}

impl Device {
    /// Returns the address with the length of its network prefix, which is by default that of a
    /// single address.
    pub(crate) fn network(&self) -> Option<(IpAddr, u8)> {
        let address = self.address?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        Some((address, self.prefix.unwrap_or(longest)))
    }

    /// Checks the device and fills in its name in the pod.
    fn checked(mut self) -> Result<Self, String> {
        if self.name.is_empty() {
            return Err("a device has no name".to_owned());
        }
        if self.new_name.is_empty() {
            self.new_name.clone_from(&self.name);
        }
        match self.network() {
            Some((address, prefix)) if prefix > if address.is_ipv4() { 32 } else { 128 } => {
                Err(format!("{address} has a prefix of {prefix} bits"))
            }
            Some(_) | None => Ok(self),
        }
    }
}

/// Returns the devices that a pod requests.
pub(crate) fn devices(pod: &PodSandbox) -> nri::Result<Vec<Device>> {
    let keys = ["/pod", ""].map(|suffix| PREFIXES.map(|prefix| format!("{prefix}{suffix}")));
    let Some(annotation) = pod.find_annotation(keys.into_iter().flatten()) else {
        return Ok(Vec::new());
    };
    // An empty annotation is an empty list.
    let devices: Option<Vec<Device>> = annotation.parse(serde_yaml_ng::from_str)?;
    let checked = |device: Device| device.checked().map_err(|error| annotation.invalid(error));
    devices.into_iter().flatten().map(checked).collect()
}
