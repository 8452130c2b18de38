//! Network devices that are moved into the container, by their name on the host.

use std::collections::BTreeMap;

use oci_spec::runtime::{LinuxNetDevice as OciNetDevice, Spec};

use crate::oci::names::filled;
use crate::oci::{parts, strings};
use nri::api::LinuxNetDevice;

pub(super) fn apply(spec: &mut Spec, asked: &BTreeMap<String, LinuxNetDevice>) {
    if asked.is_empty() {
        return;
    }
    let devices = asked.iter().map(|(host, LinuxNetDevice { name })| {
        let mut device = OciNetDevice::default();
        device.set_name(filled(name));
        (host.clone(), device)
    });
    strings::merge(parts::linux(spec).net_devices_mut(), devices.collect());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::oci::fixtures::{applied, spec};
    use nri::adjust::Adjustment;

    #[test]
    fn devices_are_moved_renamed_and_left_out() {
        let before = spec(json!({"linux": {"netDevices": {"eth1": {}, "eth2": {"name": "old"}}}}));
        let adjustment = Adjustment::new()
            .remove_net_device("eth1")
            .replace_net_device("eth2", "new")
            .net_device("eth3", "");
        let after = applied(before, &adjustment).unwrap();
        assert_eq!(
            after["linux"]["netDevices"],
            json!({"eth2": {"name": "new"}, "eth3": {}})
        );
    }
}
