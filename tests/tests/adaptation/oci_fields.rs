//! Checks that `nri_adaptation::oci` applies every field of an adjustment and of an update, as the
//! newest proto defines them: without the field, the resulting spec differs.

use std::collections::{BTreeMap, BTreeSet};

use nri::api::{ContainerAdjustment, ContainerUpdate};
use nri_adaptation::oci::runtime::{LinuxBlockIo, LinuxIntelRdt};
use nri_adaptation::oci::{Generator, Propagation, from_value, to_value};
use nri_protos::REVISIONS;
use nri_tests::outline::{Kind, outline};
use serde_json::{Value, json};

/// Fields that do not concern the spec, with the reason.
const NOT_FOR_THE_SPEC: [(&str, &str, &str); 2] = [
    ("ContainerUpdate", "containerId", "says which spec"),
    ("ContainerUpdate", "ignoreFailure", "says what a failed update means for the request"),
];

/// The message and the JSON name of a field.
type Key = (String, String);
/// The type of the values of a field, and whether it is a map.
type Shape = (String, bool);
type Fields = BTreeMap<Key, Shape>;

#[test]
fn every_field_changes_the_spec() {
    let fields = fields();
    let mut tried = BTreeSet::new();
    for (root, asked) in samples() {
        let full = outcome(root, &asked);
        full.as_ref().unwrap_or_else(|error| panic!("{asked}: {error}"));
        for (field, path) in places(&fields, root, &asked, "") {
            let mut without = asked.clone();
            remove(&mut without, &path);
            if outcome(root, &without) != full {
                tried.insert(field);
            }
        }
    }
    for (message, field, _) in NOT_FOR_THE_SPEC {
        let is_new = tried.insert((message.to_owned(), field.to_owned()));
        assert!(is_new, "{message}.{field} is listed and changes the spec");
    }
    let all = reachable(&fields, &["ContainerAdjustment", "ContainerUpdate"]);
    let without_effect: Vec<_> = all.difference(&tried).collect();
    assert!(without_effect.is_empty(), "no effect: {without_effect:?}");
}

/// Returns the fields of all messages, from lines such as `field Hook.timeout = 4 OptionalInt
/// json=timeout`.
fn fields() -> Fields {
    let newest = REVISIONS.last().unwrap();
    let elements = outline(newest.proto).unwrap();
    let fields = elements.iter().filter(|it| it.kind == Kind::Field);
    fields.map(|it| field(&it.line)).collect()
}

fn field(line: &str) -> (Key, Shape) {
    let (name, rest) =
        line.strip_prefix("field ").and_then(|rest| rest.split_once(" = ")).expect(line);
    let (message, _) = name.rsplit_once('.').expect(line);
    let (declared, json_name) = rest.split_once(" json=").expect(line);
    let (_, kind) = declared.split_once(' ').expect(line);
    let value = kind.strip_prefix("map<string, ");
    let shape = match value.and_then(|value| value.strip_suffix('>')) {
        Some(value) => (value.to_owned(), true),
        None => (kind.trim_end_matches(" repeated").to_owned(), false),
    };
    let json_name = json_name.split(' ').next().expect(line);
    ((message.to_owned(), json_name.to_owned()), shape)
}

fn reachable(fields: &Fields, roots: &[&str]) -> BTreeSet<Key> {
    let mut messages: Vec<&str> = roots.to_vec();
    let mut found = BTreeSet::new();
    while let Some(message) = messages.pop() {
        for (key, (kind, _)) in fields.iter().filter(|((of, _), _)| of == message) {
            if found.insert(key.clone()) {
                messages.push(kind);
            }
        }
    }
    found
}

/// Returns every field in a message, with its JSON pointer.
fn places(fields: &Fields, message: &str, value: &Value, at: &str) -> Vec<(Key, String)> {
    let object = value.as_object().into_iter().flatten();
    let mut found = Vec::new();
    for (name, held) in object {
        let key = (message.to_owned(), name.clone());
        let (kind, is_map) =
            fields.get(&key).unwrap_or_else(|| panic!("{message} has no field {name}"));
        let place = format!("{at}/{name}");
        if fields.keys().any(|(of, _)| of == kind) {
            for (nested, pointer) in values(held, *is_map, &place) {
                found.extend(places(fields, kind, nested, &pointer));
            }
        }
        found.push((key, place));
    }
    found
}

/// Returns the values of a field, with their JSON pointers.
fn values<'a>(value: &'a Value, is_map: bool, at: &str) -> Vec<(&'a Value, String)> {
    let entries = value
        .as_object()
        .filter(|_| is_map)
        .into_iter()
        .flatten()
        .map(|(key, held)| (held, format!("{at}/{key}")));
    let list = value
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(index, element)| (element, format!("{at}/{index}")));
    let single = (!is_map && value.is_object()).then(|| (value, at.to_owned()));
    entries.chain(list).chain(single).collect()
}

fn remove(value: &mut Value, path: &str) {
    let (above, name) = path.rsplit_once('/').unwrap();
    let parent = value.pointer_mut(above).unwrap();
    parent.as_object_mut().unwrap().remove(name).unwrap();
}

/// Returns the resulting spec, or the error.
fn outcome(message: &str, asked: &Value) -> Result<Value, String> {
    let mut spec = from_value(before()).unwrap();
    let mut generator = Generator::new(&mut spec)
        .with_cdi(|spec, names| {
            let annotations = spec.annotations_mut().get_or_insert_default();
            annotations.insert("cdi".to_owned(), names.join(" "));
            Ok(())
        })
        .with_block_io(|class| {
            let mut settings = LinuxBlockIo::default();
            settings.set_weight(Some(u16::try_from(class.len())?));
            Ok(settings)
        })
        .with_rdt(|class| {
            let mut settings = LinuxIntelRdt::default();
            settings.set_l3_cache_schema(Some(class.to_owned()));
            Ok(settings)
        })
        .with_mount_propagation(|source| match source.to_str() {
            Some("/shared") => Ok(Propagation::Shared),
            Some(_) | None => Ok(Propagation::Private),
        });
    let result = match message {
        "ContainerAdjustment" => {
            let asked: ContainerAdjustment = serde_json::from_value(asked.clone()).unwrap();
            generator.apply(&asked)
        }
        "ContainerUpdate" => {
            let asked: ContainerUpdate = serde_json::from_value(asked.clone()).unwrap();
            generator.apply_update(&asked)
        }
        other => panic!("{other} cannot be applied"),
    };
    drop(generator);
    result.map_err(|error| error.to_string())?;
    Ok(to_value(&spec).unwrap())
}

fn before() -> Value {
    json!({"linux": {"intelRdt": {"memBwSchema": "MB:0=10"}}})
}

/// Returns messages that together have every field. RDT removal overrides the RDT class, so the
/// class has a message of its own.
fn samples() -> [(&'static str, Value); 3] {
    let text = |value: &str| json!({ "value": value });
    let number = |value: i64| json!({ "value": value.to_string() });
    let resources = json!({
        "memory": {
            "limit": number(1), "reservation": number(2), "swap": number(3), "kernel": number(4), "kernelTcp": number(5),
            "swappiness": number(6), "disableOomKiller": {"value": true}, "useHierarchy": {"value": true},
        },
        "cpu": {
            "shares": number(1), "quota": number(2), "period": number(3), "realtimeRuntime": number(4),
            "realtimePeriod": number(5), "cpus": "0", "mems": "1",
        },
        "hugepageLimits": [{"pageSize": "2MB", "limit": "1"}],
        "blockioClass": text("slow"),
        "rdtClass": text("gold"),
        "unified": {"memory.high": "1"},
        "devices": [{"allow": true, "type": "c", "major": number(1), "minor": number(2), "access": "rw"}],
        "pids": {"limit": "7"},
    });
    let hook = json!({"path": "/bin/hook", "args": ["hook"], "env": ["A=1"], "timeout": number(1)});
    let adjustment = json!({
        "annotations": {"a": "1"},
        "mounts": [{"destination": "/a", "type": "bind", "source": "/shared", "options": ["rshared"]}],
        "env": [{"key": "A", "value": "1"}],
        "hooks": {
            "prestart": [hook], "createRuntime": [hook], "createContainer": [hook], "startContainer": [hook],
            "poststart": [hook], "poststop": [hook],
        },
        "rlimits": [{"type": "RLIMIT_CORE", "hard": "2", "soft": "1"}],
        "CDIDevices": [{"name": "vendor.com/class=device"}],
        "args": ["sh"],
        "linux": {
            "devices": [{
                "path": "/dev/a", "type": "c", "major": "1", "minor": "2",
                "fileMode": {"value": 0o600}, "uid": {"value": 1}, "gid": {"value": 2},
            }],
            "resources": resources,
            "cgroupsPath": "/path",
            "oomScoreAdj": number(5),
            "ioPriority": {"class": "IOPRIO_CLASS_IDLE", "priority": 1},
            "seccompPolicy": {
                "defaultAction": "SCMP_ACT_ERRNO", "defaultErrno": {"value": 1}, "architectures": ["SCMP_ARCH_X86"],
                "flags": ["SECCOMP_FILTER_FLAG_LOG"], "listenerPath": "/l", "listenerMetadata": "m",
                "syscalls": [{
                    "names": ["a"], "action": "SCMP_ACT_LOG", "errnoRet": {"value": 1},
                    "args": [{"index": 1, "value": "2", "valueTwo": "3", "op": "SCMP_CMP_EQ"}],
                }],
            },
            "namespaces": [{"type": "network", "path": "/run/ns"}],
            "sysctl": {"net.a": "1"},
            "netDevices": {"eth0": {"name": "net0"}},
            "scheduler": {
                "policy": "SCHED_FIFO", "nice": 1, "priority": 2, "flags": ["SCHED_FLAG_RECLAIM"],
                "runtime": "1", "deadline": "2", "period": "3",
            },
            "rdt": {
                "closId": text("b"), "schemata": {"value": ["L3:0=f"]}, "enableMonitoring": {"value": true}, "remove": true,
            },
            "memoryPolicy": {"mode": "MPOL_BIND", "nodes": "0", "flags": ["MPOL_F_STATIC_NODES"]},
        },
    });
    let class = json!({"linux": {"resources": {"rdtClass": text("gold")}}});
    let update = json!({
        "containerId": "c", "ignoreFailure": true, "linux": {"resources": resources},
    });
    [
        ("ContainerAdjustment", adjustment),
        ("ContainerAdjustment", class),
        ("ContainerUpdate", update),
    ]
}
