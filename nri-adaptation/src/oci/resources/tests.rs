//! Unit tests of resources.

use oci_spec::runtime::{LinuxBlockIo, LinuxIntelRdt};
use serde_json::{Value, json};

use super::*;
use crate::oci::fixtures::spec;
use crate::oci::{ErrorKind, Generator, to_value};
use nri::api::{ContainerUpdate, LinuxContainerUpdate, LinuxDeviceCgroup};

/// Applies an update, with a callback for each kind of class and a check.
fn updated(before: Value, asked: LinuxResources) -> Result<Value, Error> {
    let update = ContainerUpdate {
        container_id: "other".to_owned(),
        linux: Some(LinuxContainerUpdate {
            resources: Some(asked),
        }),
        ignore_failure: true,
    };
    let mut spec = spec(json!({"linux": {"resources": before}}));
    Generator::new(&mut spec)
        .with_block_io(|class| {
            let mut settings = LinuxBlockIo::default();
            settings.set_weight(Some(class.parse()?));
            Ok(settings)
        })
        .with_rdt(|class| {
            let mut settings = LinuxIntelRdt::default();
            settings.set_clos_id(Some(class.to_owned()));
            Ok(settings)
        })
        .with_resource_check(|resources| {
            let unified = resources.unified().as_ref();
            if unified.is_some_and(|unified| unified.contains_key("refused")) {
                return Err("not here".into());
            }
            Ok(())
        })
        .apply_update(&update)?;
    Ok(to_value(&spec).unwrap()["linux"].clone())
}

#[test]
fn every_limit_is_set_and_the_others_stay() {
    let before = json!({
        "cpu": {"shares": 1, "idle": 1},
        "memory": {"limit": 1, "checkBeforeUpdate": true},
        "hugepageLimits": [{"pageSize": "2MB", "limit": 1}],
        "unified": {"memory.high": "1", "cpu.max": "1"},
        "devices": [{"allow": false, "access": "rwm"}],
        "rdma": {"mlx5": {"hcaHandles": 1}},
    });
    let asked = LinuxResources {
        cpu: Some(LinuxCpu {
            shares: Some(2.into()),
            quota: Some((-1).into()),
            period: Some(3.into()),
            realtime_runtime: Some(4.into()),
            realtime_period: Some(5.into()),
            cpus: "0-1".to_owned(),
            mems: "0".to_owned(),
        }),
        memory: Some(LinuxMemory {
            limit: Some(10.into()),
            reservation: Some(11.into()),
            swap: Some(12.into()),
            kernel: Some(13.into()),
            kernel_tcp: Some(14.into()),
            swappiness: Some(15.into()),
            disable_oom_killer: Some(true.into()),
            use_hierarchy: Some(false.into()),
        }),
        hugepage_limits: vec![page_limit("2MB", u64::MAX), page_limit("1GB", 7)],
        unified: [("memory.high".to_owned(), "2".to_owned())].into(),
        pids: Some(LinuxPids { limit: 0 }),
        devices: vec![LinuxDeviceCgroup {
            allow: true,
            r#type: "b".to_owned(),
            major: Some(8.into()),
            minor: None,
            access: "r".to_owned(),
        }],
        ..LinuxResources::default()
    };
    assert_eq!(
        updated(before, asked).unwrap()["resources"],
        json!({
            "cpu": {
                "shares": 2, "quota": -1, "period": 3, "realtimeRuntime": 4, "realtimePeriod": 5,
                "cpus": "0-1", "mems": "0", "idle": 1,
            },
            "memory": {
                "limit": 10, "reservation": 11, "swap": 12, "kernel": 13, "kernelTCP": 14, "swappiness": 15,
                "disableOOMKiller": true, "useHierarchy": false, "checkBeforeUpdate": true,
            },
            "hugepageLimits": [{"pageSize": "2MB", "limit": i64::MAX}, {"pageSize": "1GB", "limit": 7}],
            "unified": {"memory.high": "2", "cpu.max": "1"},
            "pids": {"limit": 0},
            "devices": [
                {"allow": false, "access": "rwm"},
                {"allow": true, "type": "b", "major": 8, "access": "r"},
            ],
            "rdma": {"mlx5": {"hcaHandles": 1}},
        })
    );
}

fn page_limit(page_size: &str, limit: u64) -> HugepageLimit {
    HugepageLimit {
        page_size: page_size.to_owned(),
        limit,
    }
}

#[test]
fn swap_follows_the_limit_unless_it_is_given() {
    let cases = [
        (Some(5), None, json!({"limit": 5, "swap": 5})),
        (Some(5), Some(9), json!({"limit": 5, "swap": 9})),
        (Some(0), None, json!({"limit": 1, "swap": 2})),
        (None, Some(9), json!({"limit": 1, "swap": 9})),
        (Some(-1), None, json!({"limit": -1, "swap": -1})),
    ];
    for (limit, swap, expected) in cases {
        let asked = LinuxResources {
            memory: Some(LinuxMemory {
                limit: Optional::of(limit),
                swap: Optional::of(swap),
                ..LinuxMemory::default()
            }),
            ..LinuxResources::default()
        };
        let after = updated(json!({"memory": {"limit": 1, "swap": 2}}), asked).unwrap();
        assert_eq!(after["resources"]["memory"], expected);
    }
}

#[test]
fn a_negative_limit_of_processes_lifts_the_limit() {
    for limit in [-1, -2, i64::MIN] {
        let pids = Some(LinuxPids { limit });
        let asked = LinuxResources {
            pids,
            ..LinuxResources::default()
        };
        let after = updated(json!({"pids": {"limit": 100}}), asked).unwrap();
        assert_eq!(after["resources"]["pids"]["limit"], -1);
    }
}

#[test]
fn classes_are_resolved_and_cleared() {
    let classes = |block_io: &str, rdt: &str| LinuxResources {
        blockio_class: Some(block_io.to_owned().into()),
        rdt_class: Some(rdt.to_owned().into()),
        ..LinuxResources::default()
    };
    let before = || json!({"blockIO": {"leafWeight": 5}});
    let after = updated(before(), classes("10", "gold")).unwrap();
    assert_eq!(after["resources"]["blockIO"], json!({"weight": 10}));
    assert_eq!(after["intelRdt"], json!({"closID": "gold"}));
    let after = updated(before(), classes("", "")).unwrap();
    assert_eq!(after["resources"]["blockIO"], json!(null));
    assert_eq!(after["intelRdt"], json!(null));
    let error = updated(before(), classes("x", "gold")).unwrap_err();
    assert_eq!(error.field(), "linux.resources.blockio_class");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_class_without_a_callback_is_an_error_that_names_the_method() {
    let asked = LinuxResources {
        rdt_class: Some("gold".to_owned().into()),
        ..LinuxResources::default()
    };
    let update = ContainerUpdate {
        linux: Some(LinuxContainerUpdate {
            resources: Some(asked),
        }),
        ..ContainerUpdate::default()
    };
    let mut spec = spec(json!({}));
    let error = Generator::new(&mut spec).apply_update(&update).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoCallback { .. }));
    assert!(error.help().contains("Generator::with_rdt"));
}

#[test]
fn the_check_sees_the_result_and_may_refuse_it() {
    let asked = LinuxResources {
        unified: [("refused".to_owned(), "1".to_owned())].into(),
        ..LinuxResources::default()
    };
    let error = updated(json!({}), asked).unwrap_err();
    assert_eq!(error.to_string(), "cannot apply linux.resources: not here");
}

#[test]
fn the_cgroup_path_is_replaced() {
    let mut spec = spec(json!({"linux": {"cgroupsPath": "/old"}}));
    cgroups_path(&mut spec, "");
    assert_eq!(to_value(&spec).unwrap()["linux"]["cgroupsPath"], "/old");
    cgroups_path(&mut spec, "/new");
    assert_eq!(to_value(&spec).unwrap()["linux"]["cgroupsPath"], "/new");
}
