//! Devices in the container, and the cgroup rules that allow access to them.

use std::ffi::OsStr;

use oci_spec::runtime::{LinuxDevice as OciDevice, LinuxDeviceCgroup as OciRule, Spec};

use crate::oci::error::Error;
use crate::oci::parts::{self, filled, parse};
use nri::adjust::marker;
use nri::api::{LinuxDevice, LinuxDeviceCgroup};

const DEVICE_TYPE: &str = "a device type: a, b, c, p or u";

/// Removes devices, then adds devices. Each added device gets a cgroup rule that allows reading and
/// writing, and `mknod` if it is a block device. As in the reference, the rules of removed devices
/// stay.
pub(super) fn apply(spec: &mut Spec, asked: &[LinuxDevice]) -> Result<(), Error> {
    for path in asked.iter().filter_map(|it| marker::removed(&it.path)) {
        remove(spec, path);
    }
    for (index, added) in asked.iter().enumerate() {
        if marker::removed(&added.path).is_none() {
            let device = convert(added, index)?;
            remove(spec, device.path());
            parts::resources(spec)
                .devices_mut()
                .get_or_insert_default()
                .push(access_rule(&device, added.access()));
            parts::linux(spec).devices_mut().get_or_insert_default().push(device);
        }
    }
    Ok(())
}

/// Converts a device rule of the resources.
pub(super) fn rule(asked: &LinuxDeviceCgroup, index: usize) -> Result<OciRule, Error> {
    let field = || format!("linux.resources.devices[{index}].type");
    let kind =
        filled::<String>(&asked.r#type).map(|kind| parse(&kind, DEVICE_TYPE, field)).transpose()?;
    let mut rule = OciRule::default();
    rule.set_allow(asked.allow)
        .set_typ(kind)
        .set_major(asked.major)
        .set_minor(asked.minor)
        .set_access(filled(&asked.access));
    Ok(rule)
}

/// Removes the devices with exactly this path. Paths are compared as text, not by component.
fn remove(spec: &mut Spec, path: impl AsRef<OsStr>) {
    let linux = spec.linux_mut().as_mut();
    if let Some(devices) = linux.and_then(|linux| linux.devices_mut().as_mut()) {
        devices.retain(|device| device.path().as_os_str() != path.as_ref());
    }
}

fn convert(asked: &LinuxDevice, index: usize) -> Result<OciDevice, Error> {
    let field = || format!("linux.devices[{index}].type");
    let mut device = OciDevice::default();
    device
        .set_path((&asked.path).into())
        .set_typ(parse(&asked.r#type, DEVICE_TYPE, field)?)
        .set_major(asked.major)
        .set_minor(asked.minor)
        .set_file_mode(asked.file_mode)
        .set_uid(asked.uid)
        .set_gid(asked.gid);
    Ok(device)
}

fn access_rule(device: &OciDevice, access: &str) -> OciRule {
    let mut rule = OciRule::default();
    rule.set_allow(true)
        .set_typ(Some(device.typ()))
        .set_major(Some(device.major()))
        .set_minor(Some(device.minor()))
        .set_access(Some(access.to_owned()));
    rule
}
