//! Devices in the container, and the cgroup rules that allow access to them.

use std::ffi::OsStr;

use oci_spec::runtime::{LinuxDevice as OciDevice, LinuxDeviceCgroup as OciRule, Spec};

use crate::oci::error::Error;
use crate::oci::names::{filled, parse};
use crate::oci::parts;
use nri::adjust::marker;
use nri::api::{LinuxDevice, LinuxDeviceCgroup};
use nri::optional::Optional;

const DEVICE_TYPE: &str = "a device type: a, b, c, p or u";

/// Removes devices, then adds devices. Each added device gets a cgroup rule that allows reading and
/// writing, and `mknod` if it is a block device. As in the reference, the rules of removed devices
/// stay.
pub(super) fn apply(spec: &mut Spec, asked: &[LinuxDevice]) -> Result<(), Error> {
    for path in asked.iter().filter_map(|it| marker::removed(&it.path)) {
        remove(spec, path);
    }
    for (index, asked) in asked.iter().enumerate() {
        if marker::removed(&asked.path).is_none() {
            let device = convert(asked, index)?;
            remove(spec, device.path());
            parts::resources(spec)
                .devices_mut()
                .get_or_insert_default()
                .push(access_rule(&device, asked.access()));
            parts::linux(spec)
                .devices_mut()
                .get_or_insert_default()
                .push(device);
        }
    }
    Ok(())
}

/// Converts a device rule of the resources.
pub(super) fn rule(asked: &LinuxDeviceCgroup, index: usize) -> Result<OciRule, Error> {
    let LinuxDeviceCgroup {
        allow,
        r#type,
        major,
        minor,
        access,
    } = asked;
    let field = || format!("linux.resources.devices[{index}].type");
    let kind = filled::<String>(r#type)
        .map(|kind| parse(&kind, DEVICE_TYPE, field))
        .transpose()?;
    let mut rule = OciRule::default();
    rule.set_allow(*allow)
        .set_typ(kind)
        .set_major(major.get())
        .set_minor(minor.get())
        .set_access(filled(access));
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
    let LinuxDevice {
        path,
        r#type,
        major,
        minor,
        file_mode,
        uid,
        gid,
    } = asked;
    let field = || format!("linux.devices[{index}].type");
    let mut device = OciDevice::default();
    device
        .set_path(path.into())
        .set_typ(parse(r#type, DEVICE_TYPE, field)?)
        .set_major(*major)
        .set_minor(*minor)
        .set_file_mode(file_mode.get())
        .set_uid(uid.get())
        .set_gid(gid.get());
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::oci::ErrorKind;
    use crate::oci::fixtures::{applied, spec};
    use nri::adjust::Adjustment;
    use nri::api::LinuxDevice;

    fn device(path: &str, kind: &str, major: i64, minor: i64) -> LinuxDevice {
        LinuxDevice {
            path: path.to_owned(),
            r#type: kind.to_owned(),
            major,
            minor,
            ..LinuxDevice::default()
        }
    }

    #[test]
    fn devices_are_replaced_removed_and_added_with_rules() {
        let before = spec(json!({"linux": {"devices": [
            {"path": "/dev/gone", "type": "c"},
            {"path": "/dev/fuse", "type": "c", "major": 1, "minor": 1},
            {"path": "/dev/kept", "type": "p"},
        ]}}));
        let mut fuse = device("/dev/fuse", "c", 10, 229);
        fuse.file_mode = Some(0o666.into());
        fuse.uid = Some(1.into());
        fuse.gid = Some(0.into());
        let adjustment = Adjustment::new()
            .remove_device("/dev/gone")
            .device(fuse)
            .device(device("/dev/sda", "b", 8, 0));
        let after = applied(before, &adjustment).unwrap();
        assert_eq!(
            after["linux"]["devices"],
            json!([
                {"path": "/dev/kept", "type": "p", "major": 0, "minor": 0},
                {"path": "/dev/fuse", "type": "c", "major": 10, "minor": 229, "fileMode": 0o666, "uid": 1, "gid": 0},
                {"path": "/dev/sda", "type": "b", "major": 8, "minor": 0},
            ])
        );
        assert_eq!(
            after["linux"]["resources"]["devices"],
            json!([
                {"allow": true, "type": "c", "major": 10, "minor": 229, "access": "rw"},
                {"allow": true, "type": "b", "major": 8, "minor": 0, "access": "rwm"},
            ])
        );
    }

    #[test]
    fn a_device_that_is_removed_and_added_is_added() {
        let adjustment = Adjustment::new()
            .device(device("/dev/a", "c", 1, 1))
            .remove_device("/dev/a");
        let after = applied(spec(json!({})), &adjustment).unwrap();
        assert_eq!(after["linux"]["devices"][0]["path"], "/dev/a");
    }

    #[test]
    fn a_type_that_there_is_not_is_an_error() {
        for kind in ["", "x", "char", "C"] {
            let adjustment = Adjustment::new()
                .remove_device("/dev/b")
                .device(device("/dev/a", kind, 1, 1));
            let error = applied(spec(json!({})), &adjustment).unwrap_err();
            assert_eq!(error.field(), "linux.devices[1].type");
            assert!(matches!(error.kind(), ErrorKind::UnknownName { value, .. } if value == kind));
        }
    }
}
