//! Tests beside the comparison with the reference (`oci_go` in the tests of this workspace):
//! accepted differences, places of errors, updates, and filters. Each table has one case per line
//! or two: the part of the spec before, the adjustment as JSON, a place in the adjusted spec, and
//! the expected value there.

use oci_spec::runtime::{LinuxBlockIo, LinuxIntelRdt, Spec};
use serde_json::{Value, json};

use super::*;
use nri::api::ContainerUpdate;

/// Reads a spec. A process has user and working directory, which the crate requires.
fn spec(mut value: Value) -> Spec {
    if let Some(process) = value.get_mut("process") {
        process["user"] = json!({"uid": 0, "gid": 0});
        process["cwd"] = "/".into();
    }
    from_value(value).unwrap()
}

fn adjustment(value: &Value) -> ContainerAdjustment {
    serde_json::from_value(value.clone()).unwrap()
}

/// Returns the adjusted spec. A spec is unchanged after an error.
fn applied(before: &Value, asked: &Value) -> Result<Value, Error> {
    let before = spec(before.clone());
    let mut after = before.clone();
    let applied = apply(&mut after, &adjustment(asked));
    assert!(applied.is_ok() || after == before);
    applied.map(|()| to_value(&after).unwrap())
}

/// Checks cases of spec, adjustment, place and content.
fn check(apply: fn(&Value, &Value) -> Result<Value, Error>, cases: &Value) {
    for case in cases.as_array().unwrap() {
        let after = apply(&case[0], &case[1]).unwrap();
        let found = after.pointer(case[2].as_str().unwrap());
        assert_eq!(found.unwrap_or(&Value::Null), &case[3], "{case}");
    }
}

#[test]
fn the_process_is_adjusted() {
    let env = || json!({"process": {"env": ["A=1", "B=2", "C=3", "no value", "A=4"]}});
    let args = || json!({"process": {"args": ["old", "-v"]}});
    let core = json!({"type": "RLIMIT_CORE", "hard": 1, "soft": 1});
    let cpu = json!({"type": "RLIMIT_CPU", "hard": 2, "soft": 2});
    let limits = json!([
        {"type": "RLIMIT_CORE", "hard": 9, "soft": 8}, {"type": "RLIMIT_AS", "hard": u64::MAX},
    ]);
    let variables = json!([
        {"key": "NEW", "value": "x=y"}, {"key": "A", "value": "5"}, {"key": "-B"}, {"key": "-absent"},
        {"key": "-C"}, {"key": "C"},
    ]);
    check(
        applied,
        &json!([
            [env(), {"env": variables}, "/process/env", ["A=5", "C=", "no value", "NEW=x=y"]],
            [env(), {"env": [{"key": "D"}]}, "/process/env", ["A=4", "B=2", "C=3", "no value", "D="]],
            [env(), {"env": [{"key": "B", "value": "1"}, {"key": "-B"}]}, "/process/env/1", "B=1"],
            [args(), {}, "/process/args", ["old", "-v"]],
            [args(), {"args": ["new"]}, "/process/args", ["new"]],
            [args(), {"args": ["", "new", ""]}, "/process/args", ["new", ""]],
            [args(), {"args": [""]}, "/process/args", ["old", "-v"]],
            [{}, {"args": ["a"]}, "/process", {"user": {"uid": 0, "gid": 0}, "cwd": "", "args": ["a"]}],
            [{"process": {"rlimits": [core, cpu]}}, {"rlimits": limits}, "/process/rlimits", [
                {"type": "RLIMIT_CORE", "hard": 9, "soft": 8}, cpu, {"type": "RLIMIT_AS", "hard": u64::MAX, "soft": 0},
            ]],
            [{}, {"linux": {"oomScoreAdj": {"value": -1000}}}, "/process/oomScoreAdj", -1000],
            [{}, {"linux": {"oomScoreAdj": {"value": i32::MIN}}}, "/process/oomScoreAdj", i32::MIN],
        ]),
    );
}

#[test]
fn mounts_are_removed_replaced_added_and_sorted() {
    let before = json!({"mounts": [
        {"destination": "/sys/fs/cgroup", "type": "cgroup"}, {"destination": "/b"}, {"destination": "/proc", "type": "proc"},
        {"destination": "/b", "type": "on top"}, {"destination": "/gone"}, {"destination": "/gone"},
    ]});
    let asked = json!([
        {"destination": "/b", "type": "bind", "source": "/srv", "options": ["rbind", "ro"]},
        {"destination": "/a/b/c"}, {"destination": "/a"}, {"destination": "-/a"}, {"destination": "-/gone"}, {"destination": "-/absent"},
    ]);
    let unsorted = json!({"mounts": [{"destination": "/z/z"}, {"destination": "/a"}]});
    check(
        applied,
        &json!([
            [before, {"mounts": asked}, "/mounts", [
                {"destination": "/a"}, {"destination": "/b", "type": "bind", "source": "/srv", "options": ["rbind", "ro"]},
                {"destination": "/proc", "type": "proc"}, {"destination": "/a/b/c"}, {"destination": "/sys/fs/cgroup", "type": "cgroup"},
            ]],
            [unsorted, {}, "/mounts", [{"destination": "/z/z"}, {"destination": "/a"}]],
        ]),
    );
}

#[test]
fn devices_are_replaced_removed_and_added_with_rules() {
    let before = json!({"linux": {"devices": [
        {"path": "/dev/gone", "type": "c"}, {"path": "/dev/fuse", "type": "c", "major": 1, "minor": 1}, {"path": "/dev/kept", "type": "p"},
    ]}});
    let asked = json!({"linux": {"devices": [
        {"path": "-/dev/gone"},
        {"path": "/dev/fuse", "type": "c", "major": 10, "minor": 229, "fileMode": {"value": 0o666}, "uid": {"value": 1}, "gid": {}},
        {"path": "/dev/sda", "type": "b", "major": 8}, {"path": "-/dev/sda"},
    ]}});
    check(
        applied,
        &json!([
            [before, asked, "/linux/devices", [
                {"path": "/dev/kept", "type": "p", "major": 0, "minor": 0},
                {"path": "/dev/fuse", "type": "c", "major": 10, "minor": 229, "fileMode": 0o666, "uid": 1, "gid": 0},
                {"path": "/dev/sda", "type": "b", "major": 8, "minor": 0},
            ]],
            [before, asked, "/linux/resources/devices", [
                {"allow": true, "type": "c", "major": 10, "minor": 229, "access": "rw"},
                {"allow": true, "type": "b", "major": 8, "minor": 0, "access": "rwm"},
            ]],
        ]),
    );
}

fn seccomp() -> Value {
    json!({
        "defaultAction": "SCMP_ACT_ERRNO", "default_errno": {"value": 38},
        "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_MIPS64N32"], "flags": ["SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"],
        "listenerPath": "/run/listener", "listenerMetadata": "who",
        "syscalls": [{"names": ["clone"], "action": "SCMP_ACT_NOTIFY", "errno_ret": {}, "args": [
            {"index": 1, "value": u64::MAX, "value_two": 2, "op": "SCMP_CMP_MASKED_EQ"},
        ]}],
    })
}

#[test]
fn what_the_specification_does_not_have_is_an_error_with_its_place() {
    let mut table = json!([
        [{"env": [{"key": "A"}, {"key": ""}]}, "env[1]: name is empty"],
        [{"rlimits": [{"type": "nofile"}]}, "rlimits[0].type: \"nofile\" is not a limit such as RLIMIT_NOFILE"],
        [{"linux": {"oomScoreAdj": {"value": "2147483648"}}}, "linux.oom_score_adj: 2147483648 is not in"],
        [{"linux": {"scheduler": {"policy": 1, "flags": [0, 99]}}}, "linux.scheduler.flags[1]: 99 is not known"],
        [{"linux": {"scheduler": {"policy": 99}}}, "linux.scheduler.policy: 99 is not known"],
        [{"linux": {"ioPriority": {"class": 4}}}, "linux.io_priority.class: 4 is not known"],
        [{"linux": {"memoryPolicy": {"mode": 99}}}, "linux.memory_policy.mode: 99 is not known"],
        [{"linux": {"memoryPolicy": {"mode": 1, "flags": [0, -1]}}}, "linux.memory_policy.flags[1]: -1 is not known"],
        [{"CDI_devices": [{"name": "a=b"}]}, "cdi_devices: no callback is set to resolve \"a=b\""],
    ]);
    let cases = table.as_array_mut().unwrap();
    for kind in ["", "x", "char", "C"] {
        let devices = json!([{"path": "-/dev/b"}, {"path": "/dev/a", "type": kind}]);
        cases.push(json!([{"linux": {"devices": devices}}, "linux.devices[1].type: "]));
    }
    for kind in ["net", "mnt", "-", "", "-nett", "NETWORK"] {
        let linux = json!({"namespaces": [{"type": "pid"}, {"type": kind}]});
        let asked = json!({"annotations": {"a": "2"}, "linux": linux});
        cases.push(json!([asked, "linux.namespaces[1].type: "]));
    }
    for (place, name, field) in [
        ("/defaultAction", "", "default_action"),
        ("/architectures/1", "amd64", "architectures[1]"),
        ("/flags/0", "LOG", "flags[0]"),
        ("/syscalls/0/action", "allow", "syscalls[0].action"),
        ("/syscalls/0/args/0/op", "", "syscalls[0].args[0].op"),
    ] {
        let mut policy = seccomp();
        *policy.pointer_mut(place).unwrap() = name.into();
        let message = format!("linux.seccomp_policy.{field}: ");
        cases.push(json!([{"linux": {"seccomp_policy": policy}}, message]));
    }
    for case in cases {
        let error = applied(&json!({}), &case[0]).unwrap_err().to_string();
        let message = error.strip_prefix("cannot apply ").unwrap();
        assert!(message.starts_with(case[1].as_str().unwrap()), "{error}");
    }
}

/// Applies an update to resources, with a callback for each kind of class and a check.
fn updated(before: &Value, asked: &Value) -> Result<Value, Error> {
    let update =
        json!({"containerId": "other", "linux": {"resources": asked}, "ignoreFailure": true});
    let update: ContainerUpdate = serde_json::from_value(update).unwrap();
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
        "cpu": {"shares": 1, "idle": 1}, "memory": {"limit": 1, "checkBeforeUpdate": true},
        "hugepageLimits": [{"pageSize": "2MB", "limit": 1}], "unified": {"memory.high": "1", "cpu.max": "1"},
        "devices": [{"allow": false, "access": "rwm"}], "rdma": {"mlx5": {"hcaHandles": 1}},
    });
    let asked = json!({
        "cpu": {
            "shares": {"value": 2}, "quota": {"value": -1}, "period": {"value": 3}, "realtime_runtime": {"value": 4},
            "realtime_period": {"value": 5}, "cpus": "0-1", "mems": "0",
        },
        "memory": {
            "limit": {"value": 10}, "reservation": {"value": 11}, "swap": {"value": 12}, "kernel": {"value": 13},
            "kernel_tcp": {"value": 14}, "swappiness": {"value": 15}, "disable_oom_killer": {"value": true}, "use_hierarchy": {},
        },
        "hugepage_limits": [{"pageSize": "2MB", "limit": u64::MAX}, {"pageSize": "1GB", "limit": 7}],
        "unified": {"memory.high": "2"}, "pids": {},
        "devices": [{"allow": true, "type": "b", "major": {"value": 8}, "access": "r"}],
    });
    assert_eq!(
        updated(&before, &asked).unwrap()["resources"],
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
            "unified": {"memory.high": "2", "cpu.max": "1"}, "pids": {"limit": 0},
            "devices": [{"allow": false, "access": "rwm"}, {"allow": true, "type": "b", "major": 8, "access": "r"}],
            "rdma": {"mlx5": {"hcaHandles": 1}},
        })
    );
    assert_eq!(updated(&before, &json!({})).unwrap()["resources"], before);
}

#[test]
fn limits_and_classes_follow_their_rules() {
    let memory = json!({"memory": {"limit": 1, "swap": 2}});
    let weight = json!({"blockIO": {"leafWeight": 5}});
    check(
        updated,
        &json!([
            [memory, {"memory": {"limit": {"value": 5}}}, "/resources/memory", {"limit": 5, "swap": 5}],
            [memory, {"memory": {"limit": {"value": 5}, "swap": {"value": 9}}}, "/resources/memory", {"limit": 5, "swap": 9}],
            [memory, {"memory": {"limit": {}}}, "/resources/memory", {"limit": 1, "swap": 2}],
            [memory, {"memory": {"swap": {"value": 9}}}, "/resources/memory", {"limit": 1, "swap": 9}],
            [memory, {"memory": {"limit": {"value": -1}}}, "/resources/memory", {"limit": -1, "swap": -1}],
            [{"pids": {"limit": 100}}, {"pids": {"limit": i64::MIN}}, "/resources/pids", {"limit": -1}],
            [weight, {"blockio_class": {"value": "10"}}, "/resources", {"blockIO": {"weight": 10}}],
            [weight, {"blockio_class": {}}, "/resources", {}],
            [{}, {"rdt_class": {"value": "gold"}}, "/intelRdt", {"closID": "gold"}],
        ]),
    );
    let unknown = updated(&json!({}), &json!({"blockio_class": {"value": "x"}})).unwrap_err();
    assert_eq!(unknown.field(), "linux.resources.blockio_class");
    assert!(std::error::Error::source(&unknown).is_some());
    let refused = updated(&json!({}), &json!({"unified": {"refused": "1"}})).unwrap_err();
    assert_eq!(refused.to_string(), "cannot apply linux.resources: not here");
    let rdt = json!({"linux": {"resources": {"rdt_class": {"value": "gold"}}}});
    let unset = nri::Error::from(applied(&json!({}), &rdt).unwrap_err());
    assert_eq!(unset.help(), Some("set one with `Generator::with_rdt`"));
    assert_eq!(format!("{unset:#}"), unset.to_string(), "nothing twice");
}

#[test]
fn a_filter_changes_the_sysctls_or_refuses_them() {
    let asked = adjustment(&json!({"linux": {"sysctl": {"a": "1"}}}));
    let mut spec = spec(json!({}));
    let filtered = Generator::new(&mut spec)
        .with_sysctl_filter(|sysctl| {
            sysctl.clear();
            sysctl.insert("b".to_owned(), "2".to_owned());
            Ok(())
        })
        .apply(&asked);
    filtered.unwrap();
    let after = to_value(&spec).unwrap();
    assert_eq!(after["linux"]["sysctl"], json!({"b": "2"}));
    let mut refusing = Generator::new(&mut spec).with_sysctl_filter(|_| Err("not here".into()));
    let refused = refusing.apply(&asked).unwrap_err();
    assert_eq!(refused.to_string(), "cannot apply linux.sysctl: not here");
}
