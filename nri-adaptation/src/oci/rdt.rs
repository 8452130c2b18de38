//! Resource Director Technology: cache and memory bandwidth.

use oci_spec::runtime::Spec;

use crate::oci::parts;
use nri::api::LinuxRdt;
use nri::optional::Optional;

/// Clears the settings if the adjustment removes them, then applies those that it has.
pub(super) fn apply(spec: &mut Spec, asked: Option<&LinuxRdt>) {
    let Some(LinuxRdt {
        clos_id,
        schemata,
        enable_monitoring,
        remove,
    }) = asked
    else {
        return;
    };
    if *remove {
        parts::linux(spec).set_intel_rdt(None);
    }
    if let Some(id) = clos_id.get() {
        parts::rdt(spec).set_clos_id(Some(id));
    }
    if let Some(schemata) = schemata.get() {
        parts::rdt(spec).set_schemata(Some(schemata));
    }
    if let Some(is_enabled) = enable_monitoring.get() {
        parts::rdt(spec).set_enable_monitoring(Some(is_enabled));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::oci::fixtures::{applied, raw, spec};
    use nri::api::{ContainerAdjustment, LinuxContainerAdjustment};

    fn after(rdt: LinuxRdt) -> Value {
        let before = spec(json!({"linux": {"intelRdt": {
            "closID": "old", "l3CacheSchema": "L3:0=f", "enableMonitoring": true,
        }}}));
        let adjustment = raw(ContainerAdjustment {
            linux: Some(LinuxContainerAdjustment {
                rdt: Some(rdt),
                ..LinuxContainerAdjustment::default()
            }),
            ..ContainerAdjustment::default()
        });
        applied(before, &adjustment).unwrap()["linux"]["intelRdt"].clone()
    }

    #[test]
    fn settings_are_changed_one_by_one() {
        let asked = LinuxRdt {
            clos_id: Some("new".to_owned().into()),
            schemata: Some(vec!["MB:0=50".to_owned()].into()),
            enable_monitoring: Some(false.into()),
            remove: false,
        };
        assert_eq!(
            after(asked),
            json!({"closID": "new", "l3CacheSchema": "L3:0=f", "schemata": ["MB:0=50"], "enableMonitoring": false})
        );
    }

    #[test]
    fn settings_are_cleared_before_new_ones_are_set() {
        let mut asked = LinuxRdt {
            remove: true,
            ..LinuxRdt::default()
        };
        assert_eq!(after(asked.clone()), json!(null));
        asked.clos_id = Some("new".to_owned().into());
        assert_eq!(after(asked), json!({"closID": "new"}));
    }
}
