//! The accepted differences. `nri-adaptation/src/oci/differences.md` lists them in the same order,
//! with their reasons.

use std::collections::{BTreeMap, BTreeSet};

use nri::adjust::marker;
use nri::api::LinuxResources;
use nri_adaptation::oci::{Error, ErrorKind};
use serde_json::{Value, json};

use super::Case;

/// An accepted difference.
pub(crate) struct Difference {
    /// The name in the list.
    pub(crate) id: &'static str,
    /// How it is handled.
    pub(crate) how: &'static [How],
}

/// How a difference is handled.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// The input of the reference is changed so that it has the same meaning there.
    Asked(fn(&mut Case)),
    /// The resulting specs, those of the reference and ours, are changed to be equal in this
    /// respect.
    Result(fn(&Case, &mut Value, &mut Value)),
    /// An error of ours is accepted, whatever the reference returns.
    Error(fn(&Error) -> bool),
}

/// The option that marks an option added for the reference.
const SENTINEL: &str = "added for the reference";

/// The accepted differences. Those without an entry cannot occur in this test: both implementations
/// find the same mount for every source, the specs of failed cases are not compared, and there are
/// no labels to filter.
pub(crate) const DIFFERENCES: &[Difference] = &[
    difference("removed-and-set", &[How::Asked(removed_and_set)]),
    difference("memory", &[How::Result(memory)]),
    difference("seccomp-errno", &[How::Result(seccomp_errno)]),
    difference("unlimited-processes", &[How::Result(unlimited_processes)]),
    difference("huge-pages", &[How::Result(huge_pages)]),
    difference("rlimits", &[How::Result(rlimits)]),
    difference("several-in-spec", &[How::Asked(several_in_spec)]),
    difference("mount-ties", &[How::Result(mount_ties)]),
    difference("bare-variables", &[How::Result(bare_variables)]),
    difference("first-argument", &[How::Asked(first_argument)]),
    difference("missing-parts", &[How::Asked(missing_parts)]),
    difference("time-namespace", &[How::Asked(no_time_asked), How::Result(no_time_set)]),
    difference("names", &[How::Error(is_about_a_name)]),
    difference("nameless-variable", &[How::Error(is_nameless)]),
    difference("oom-score", &[How::Error(is_out_of_range)]),
    difference("callbacks", &[How::Error(is_without_callback)]),
    difference("empty-class", &[How::Result(empty_class)]),
    difference(
        "propagation-of-others",
        &[How::Asked(own_propagation), How::Result(without_sentinel)],
    ),
    difference("mount-of-source", &[]),
    difference("whole-or-nothing", &[]),
    difference("label-filter", &[]),
];

const fn difference(id: &'static str, how: &'static [How]) -> Difference {
    Difference { id, how }
}

fn removed_and_set(case: &mut Case) {
    let asked = &mut case.adjustment;
    drop_from_map(&mut asked.annotations);
    remove_first(&mut asked.env, |it| &it.key);
    remove_first(&mut asked.mounts, |it| &it.destination);
    if let Some(linux) = &mut asked.linux {
        drop_from_map(&mut linux.sysctl);
        drop_from_map(&mut linux.net_devices);
        remove_first(&mut linux.devices, |it| &it.path);
        remove_first(&mut linux.namespaces, |it| &it.r#type);
    }
}

/// Drops the removal of each entry that is also set.
fn drop_from_map<V>(map: &mut BTreeMap<String, V>) {
    let keys: BTreeSet<String> = map.keys().cloned().collect();
    map.retain(|key, _| !marker::removed(key).is_some_and(|key| keys.contains(key)));
}

/// Moves removals to the front.
fn remove_first<T>(list: &mut [T], key: fn(&T) -> &String) {
    list.sort_by_key(|it| marker::removed(key(it)).is_none());
}

fn resources(case: &Case) -> Option<&LinuxResources> {
    case.adjustment.linux.as_ref()?.resources.as_ref()
}

fn memory(case: &Case, theirs: &mut Value, _ours: &mut Value) {
    let Some(asked) = resources(case).and_then(|it| it.memory.as_ref()) else {
        return;
    };
    let values = [
        ("reservation", asked.reservation.map(|it| json!(it))),
        ("swap", asked.swap.map(|it| json!(it))),
        ("kernel", asked.kernel.map(|it| json!(it))),
        ("kernelTCP", asked.kernel_tcp.map(|it| json!(it))),
        ("swappiness", asked.swappiness.map(|it| json!(it))),
        ("disableOOMKiller", asked.disable_oom_killer.map(|it| json!(it))),
        ("useHierarchy", asked.use_hierarchy.map(|it| json!(it))),
    ];
    for (name, value) in values {
        if let Some(value) = value {
            theirs["linux"]["resources"]["memory"][name] = value;
        }
    }
}

fn seccomp_errno(case: &Case, theirs: &mut Value, _ours: &mut Value) {
    let linux = case.adjustment.linux.as_ref();
    let policy = linux.and_then(|linux| linux.seccomp_policy.as_ref());
    if let Some(errno) = policy.and_then(|policy| policy.default_errno) {
        theirs["linux"]["seccomp"]["defaultErrnoRet"] = errno.into();
    }
}

fn unlimited_processes(case: &Case, theirs: &mut Value, _ours: &mut Value) {
    let pids = resources(case).and_then(|it| it.pids);
    if pids.is_some_and(|pids| pids.limit < 0) {
        theirs["linux"]["resources"]["pids"]["limit"] = (-1).into();
    }
}

fn huge_pages(_case: &Case, theirs: &mut Value, _ours: &mut Value) {
    change(theirs, "/linux/resources/hugepageLimits", |limits| {
        for limit in limits {
            if limit["limit"].as_u64() > Some(i64::MAX.unsigned_abs()) {
                limit["limit"] = i64::MAX.into();
            }
        }
    });
}

fn rlimits(_case: &Case, theirs: &mut Value, _ours: &mut Value) {
    change(theirs, "/process/rlimits", |limits| {
        let mut merged: Vec<Value> = Vec::new();
        for limit in limits.drain(..) {
            match merged.iter_mut().find(|it| it["type"] == limit["type"]) {
                Some(present) => *present = limit,
                None => merged.push(limit),
            }
        }
        *limits = merged;
    });
}

fn several_in_spec(case: &mut Case) {
    let asked = &case.adjustment;
    let names = asked.env.iter().map(|it| marker::key(&it.key));
    keep_first(&mut case.spec, "/process/env", names, |entry| {
        let entry = entry.as_str().unwrap_or_default();
        entry.split('=').next().unwrap_or_default()
    });
    let destinations = asked.mounts.iter().map(|it| marker::key(&it.destination));
    keep_first(&mut case.spec, "/mounts", destinations, |mount| {
        mount["destination"].as_str().unwrap_or_default()
    });
    let devices = asked.linux.iter().flat_map(|linux| &linux.devices);
    let paths = devices.map(|it| marker::key(&it.path));
    keep_first(&mut case.spec, "/linux/devices", paths, |device| {
        device["path"].as_str().unwrap_or_default()
    });
}

/// Keeps only the first entry of each name that the adjustment mentions.
fn keep_first<'a>(
    spec: &mut Value,
    pointer: &str,
    names: impl Iterator<Item = &'a str>,
    name: fn(&Value) -> &str,
) {
    let names: BTreeSet<&str> = names.collect();
    let mut kept = BTreeSet::new();
    change(spec, pointer, |list| {
        list.retain(|it| {
            let name = name(it);
            !names.contains(name) || kept.insert(name.to_owned())
        });
    });
}

fn mount_ties(_case: &Case, theirs: &mut Value, ours: &mut Value) {
    for spec in [theirs, ours] {
        change(spec, "/mounts", |mounts| {
            let is_tie = |one: &Value, other: &Value| one["destination"] == other["destination"];
            if mounts.len() > 12 {
                for tied in mounts.chunk_by_mut(is_tie) {
                    tied.sort_by_key(Value::to_string);
                }
            }
        });
    }
}

fn bare_variables(case: &Case, _theirs: &mut Value, ours: &mut Value) {
    if case.adjustment.env.is_empty() {
        return;
    }
    change(ours, "/process/env", |env| {
        env.retain(|entry| {
            let name = entry.as_str().and_then(|entry| entry.split_once('='));
            name.is_some_and(|(name, _)| !name.is_empty())
        });
    });
}

fn first_argument(case: &mut Case) {
    let args = &mut case.adjustment.args;
    if args.first().is_some_and(String::is_empty) {
        args.remove(0);
    }
}

fn missing_parts(case: &mut Case) {
    let asked = &case.adjustment;
    if case.spec.get("process").is_none() && !asked.rlimits.is_empty() {
        case.spec["process"] = json!({"user": {"uid": 0, "gid": 0}, "cwd": ""});
    }
    let linux = asked.linux.as_ref();
    let policy = linux.and_then(|linux| linux.seccomp_policy.as_ref());
    let options = asked.mounts.iter().flat_map(|mount| &mount.options);
    let is_slave = options.into_iter().any(|option| option == "rslave");
    if case.spec.get("linux").is_none() && (policy.is_some() || is_slave) {
        case.spec["linux"] = json!({});
    }
}

fn no_time_asked(case: &mut Case) {
    if let Some(linux) = &mut case.adjustment.linux {
        linux.namespaces.retain(|namespace| marker::key(&namespace.r#type) != "time");
    }
}

fn no_time_set(_case: &Case, _theirs: &mut Value, ours: &mut Value) {
    change(ours, "/linux/namespaces", |namespaces| {
        namespaces.retain(|namespace| namespace["type"] != "time");
    });
}

fn is_about_a_name(error: &Error) -> bool {
    let is_name =
        matches!(error.kind(), ErrorKind::UnknownName { .. } | ErrorKind::UnknownNumber(_));
    // The reference rejects unknown types of namespaces too.
    is_name && !error.field().starts_with("linux.namespaces")
}

fn is_nameless(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unnamed)
}

fn is_out_of_range(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::OutOfRange { .. })
}

fn is_without_callback(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NoCallback { .. })
}

fn empty_class(case: &Case, theirs: &mut Value, _ours: &mut Value) {
    let Some(asked) = resources(case).filter(|_| !case.callbacks) else {
        return;
    };
    if asked.blockio_class.as_ref().is_some_and(|class| class.is_empty()) {
        theirs["linux"]["resources"]["blockIO"].take();
    }
    if asked.rdt_class.as_ref().is_some_and(|class| class.is_empty()) {
        let rdt = case.adjustment.linux.as_ref().and_then(|linux| linux.rdt.clone());
        let rdt = rdt.unwrap_or_default();
        theirs["linux"]["intelRdt"] = json!({
            "closID": rdt.clos_id,
            "schemata": rdt.schemata,
            "enableMonitoring": rdt.enable_monitoring.filter(|it| *it),
        });
    }
}

/// Adds `rprivate` to mounts without an option for propagation, where the reference would use that
/// of a mount before.
fn own_propagation(case: &mut Case) {
    let is_set = |option: &String| ["rprivate", "rshared", "rslave"].contains(&option.as_str());
    let mut before = None;
    for mount in &mut case.adjustment.mounts {
        if marker::removed(&mount.destination).is_some() {
            continue;
        }
        let own = mount.options.iter().rev().find(|it| is_set(it)).cloned();
        if own.is_none() && before.take().is_some_and(|it| it != "rprivate") {
            mount.options.extend([SENTINEL, "rprivate"].map(str::to_owned));
        }
        before = own.or(before);
    }
}

fn without_sentinel(_case: &Case, theirs: &mut Value, _ours: &mut Value) {
    change(theirs, "/mounts", |mounts| {
        for mount in mounts {
            change(mount, "/options", |options| {
                let end = options.iter().position(|option| option == SENTINEL);
                options.truncate(end.unwrap_or(options.len()));
            });
        }
    });
}

/// Changes a list in a spec if the list exists.
fn change(spec: &mut Value, pointer: &str, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(list) = spec.pointer_mut(pointer).and_then(Value::as_array_mut) {
        change(list);
    }
}
