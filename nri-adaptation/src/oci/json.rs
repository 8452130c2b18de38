//! Specs as JSON, where the `oci-spec` crate deviates from the runtime specification.
//!
//! For each deviation, a test fails when the crate no longer has it.

use oci_spec::runtime::Spec;
use serde_json::{Map, Value};

/// Scheduler flags: the name in the specification and the name that the crate uses.
const FLAGS: [(&str, &str); 2] = [
    ("SCHED_FLAG_RESET_ON_FORK", "SCHED_RESET_ON_FORK"),
    ("SCHED_FLAG_DL_OVERRUN", "SCHED_FLAG_D_L_OVERRUN"),
];

/// Converts a spec to JSON that every runtime can read.
///
/// Version 0.10 of the `oci-spec` crate writes two scheduler flags (`SCHED_FLAG_RESET_ON_FORK`,
/// `SCHED_FLAG_DL_OVERRUN`) with names that no runtime knows, and writes `null` if a network device
/// has no name or a device rule has no access. This function writes them as specified.
///
/// # Errors
///
/// If a path of the spec is not UTF-8.
pub fn to_value(spec: &Spec) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(spec)?;
    for flag in scheduler_flags(&mut value) {
        rename(flag, |(specified, written)| (written, specified));
    }
    let devices = value.pointer_mut("/linux/netDevices");
    for device in devices.and_then(Value::as_object_mut).into_iter().flatten() {
        remove_null(device.1, "name");
    }
    let rules = value.pointer_mut("/linux/resources/devices");
    for rule in rules.and_then(Value::as_array_mut).into_iter().flatten() {
        remove_null(rule, "access");
    }
    Ok(value)
}

/// Converts JSON to a spec.
///
/// Version 0.10 of the `oci-spec` crate rejects the two scheduler flags mentioned at [`to_value`],
/// reads a missing limit of processes as 0, and rejects huge page limits above `i64::MAX`. This
/// function accepts the flags, keeps the limit of processes unset, and reads such a huge page limit
/// as `i64::MAX`, which is no limit for the kernel either.
///
/// # Errors
///
/// If the value is not a spec. Fields that the crate does not have are lost.
pub fn from_value(mut value: Value) -> Result<Spec, serde_json::Error> {
    for flag in scheduler_flags(&mut value) {
        rename(flag, |(specified, written)| (specified, written));
    }
    let resources = value.pointer_mut("/linux/resources");
    if let Some(resources) = resources.and_then(Value::as_object_mut) {
        mend_resources(resources);
    }
    serde_json::from_value(value)
}

fn mend_resources(resources: &mut Map<String, Value>) {
    let pids = resources.get("pids").and_then(Value::as_object);
    if pids.is_some_and(|pids| pids.get("limit").is_none_or(Value::is_null)) {
        resources.remove("pids");
    }
    let limits = resources.get_mut("hugepageLimits");
    for limit in limits.and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(limit) = limit.get_mut("limit")
            && limit.as_u64() > Some(i64::MAX.unsigned_abs())
        {
            *limit = i64::MAX.into();
        }
    }
}

fn scheduler_flags(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    let flags = value.pointer_mut("/process/scheduler/flags");
    flags.and_then(Value::as_array_mut).into_iter().flatten()
}

fn rename(
    flag: &mut Value,
    direction: fn((&'static str, &'static str)) -> (&'static str, &'static str),
) {
    let renamed = FLAGS.into_iter().map(direction).find(|(old, _)| flag == old);
    if let Some((_, new)) = renamed {
        *flag = new.into();
    }
}

fn remove_null(value: &mut Value, key: &str) {
    if let Some(object) = value.as_object_mut()
        && object.get(key).is_some_and(Value::is_null)
    {
        object.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A spec that the crate writes differently or cannot read.
    fn specified() -> Value {
        json!({
            "ociVersion": "1.3.0",
            "process": {
                "user": {"uid": 0, "gid": 0},
                "cwd": "/",
                "scheduler": {
                    "policy": "SCHED_DEADLINE",
                    "flags": ["SCHED_FLAG_RESET_ON_FORK", "SCHED_FLAG_RECLAIM", "SCHED_FLAG_DL_OVERRUN"],
                },
            },
            "linux": {
                "netDevices": {"eth0": {}, "eth1": {"name": "net0"}},
                "resources": {"devices": [{"allow": false}, {"allow": true, "access": "rw"}]},
            },
        })
    }

    #[test]
    fn a_spec_comes_back_as_it_was() {
        let spec = from_value(specified()).unwrap();
        assert_eq!(to_value(&spec).unwrap(), specified());
    }

    #[test]
    fn the_crate_still_deviates() {
        serde_json::from_value::<Spec>(specified()).unwrap_err();
        let spec = from_value(specified()).unwrap();
        let written = serde_json::to_value(&spec).unwrap();
        let flags = &written["process"]["scheduler"]["flags"];
        assert_eq!(
            flags,
            &json!(["SCHED_RESET_ON_FORK", "SCHED_FLAG_RECLAIM", "SCHED_FLAG_D_L_OVERRUN"])
        );
        let name = written.pointer("/linux/netDevices/eth0/name");
        let access = written.pointer("/linux/resources/devices/0/access");
        assert_eq!((name, access), (Some(&Value::Null), Some(&Value::Null)));

        let unlimited = json!({"linux": {"resources": {"pids": {}}}});
        let limited: Spec = serde_json::from_value(unlimited).unwrap();
        let written_again = serde_json::to_value(&limited).unwrap();
        assert_eq!(written_again["linux"]["resources"]["pids"], json!({"limit": 0}));
        let huge = json!({"linux": {"resources": {"hugepageLimits": [{"pageSize": "2MB", "limit": u64::MAX}]}}});
        serde_json::from_value::<Spec>(huge).unwrap_err();
    }

    #[test]
    fn limits_without_a_value_or_beyond_the_crate_are_read() {
        let resources = json!({
            "pids": {},
            "hugepageLimits": [{"pageSize": "2MB", "limit": u64::MAX}, {"pageSize": "1GB", "limit": 5}],
        });
        let spec = from_value(json!({"linux": {"resources": resources}})).unwrap();
        assert_eq!(
            to_value(&spec).unwrap()["linux"]["resources"],
            json!({"hugepageLimits": [
                {"pageSize": "2MB", "limit": i64::MAX}, {"pageSize": "1GB", "limit": 5},
            ]})
        );
    }
}
