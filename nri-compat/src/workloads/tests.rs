//! Tests of the mounts and images that make a container a candidate.

use serde_json::{Value, json};

use super::node::Node;
use super::search::Content;
use super::*;

/// Returns a pod with this specification.
fn workload(spec: &Value) -> Workload {
    let object = json!({"kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": spec});
    let object = Node::from(object);
    Workload::new(&object, "", Content::new(&object).templates)
}

/// Returns the reasons for a container that mounts one volume.
fn reasons(volume: &Value, mount: &Value) -> Vec<String> {
    let mut volume = json!({"name": "v", "hostPath": volume});
    if volume["hostPath"].is_null() {
        volume["hostPath"].take();
    }
    let mut mount = mount.clone();
    mount["name"] = json!("v");
    let container = json!({
        "name": "c", "image": "example.org/p:1", "volumeMounts": [mount],
        "env": [{"name": "DIR", "value": "nri"}, {"name": "NODE", "valueFrom": {}}],
    });
    let pod = workload(&json!({"volumes": [volume], "containers": [container]}));
    let found = candidates(&pod);
    found.iter().map(Candidate::reason).collect()
}

#[test]
fn paths_of_nri_count() {
    for (path, resource) in [
        ("/var/run/nri", "socket"),
        ("/var/run/nri/", "socket"),
        ("/run/nri/nri.sock", "socket"),
        ("//run//nri/./nri.sock", "socket"),
        ("/var/../run/nri", "socket"),
        ("/opt/nri", "folder"),
        ("/opt/nri/plugins", "folder"),
        ("/opt/nri/plugins/10-logger", "folder"),
        ("/opt/nri/bin", "folder"),
        ("/etc/nri", "configuration"),
        ("/etc/nri/conf.d", "configuration"),
        ("/etc/nri/conf.d/10-logger.conf", "configuration"),
        ("/etc/nri/conf.json", "configuration"),
        // Configured paths.
        ("/run/k3s/nri/nri.sock", "socket"),
        ("/run/k0s/nri", "socket"),
        ("/var/run/nri.sock", "socket"),
        ("/var/snap/microk8s/common/run/nri.sock", "socket"),
        ("/var/lib/rancher/rke2/nri/plugins", "folder"),
        ("/srv/nri/conf.d", "configuration"),
    ] {
        let found = reasons(&json!({"path": path}), &json!({})).join("");
        assert!(
            found.contains(&format!("{path} of the host: ")),
            "{path}: {found}"
        );
        assert!(found.contains(resource), "{path}: {found}");
    }
}

#[test]
fn the_folders_around_those_of_nri_count() {
    for (path, contents) in [
        ("/run", "the NRI socket"),
        ("/var/run/", "the NRI socket"),
        ("/var/snap/microk8s/common/run", "the NRI socket"),
        ("/opt", "the folder of NRI plugins"),
    ] {
        let found = reasons(&json!({"path": path}), &json!({}));
        let expected = format!("mounts {path} of the host, which contains {contents}");
        assert_eq!(found, [expected]);
    }
}

#[test]
fn other_paths_do_not_count() {
    for path in [
        "/",
        "/etc",
        "/var",
        "/var/lib",
        "/var/log",
        "/run/containerd",
        "/run/containerd/containerd.sock",
        "/var/running/x",
        "/home/var/run",
        "/etc/cni",
        "/opt/cni/bin",
        "/opt/nrix",
        "/sys",
        "",
        "run/nri",
        r"C:\run\nri",
        r"\\.\pipe\nri",
        "/run/nri/../containerd",
    ] {
        let found = reasons(&json!({"path": path}), &json!({}));
        assert!(found.is_empty(), "{path}: {found:?}");
    }
    assert!(reasons(&Value::Null, &json!({})).is_empty());
}

#[test]
fn the_path_within_the_volume_counts() {
    let parent = json!({"path": "/var/run"});
    for (mount, expected) in [
        (
            json!({"subPath": "nri"}),
            "/var/run/nri of the host: the NRI socket",
        ),
        (
            json!({"subPath": "nri/nri.sock"}),
            "/var/run/nri/nri.sock of the host:",
        ),
        // The path depends on the container, and may be any in the volume.
        (
            json!({"subPathExpr": "nri/$(NODE)"}),
            "/var/run of the host, which contains",
        ),
        (
            json!({"subPath": ""}),
            "/var/run of the host, which contains",
        ),
    ] {
        let found = reasons(&parent, &mount).join("");
        assert!(found.contains(expected), "{mount}: {found}");
    }
    for mount in [
        json!({"subPath": "containerd"}),
        json!({"subPath": "dbus/system_bus_socket"}),
    ] {
        let found = reasons(&parent, &mount);
        assert!(found.is_empty(), "{mount}: {found:?}");
    }
}

#[test]
fn only_containers_that_mount_the_volume_count() {
    let pod = workload(&json!({
        "volumes": [
            {"name": "nri", "hostPath": {"path": "/run/nri"}},
            {"name": "root", "hostPath": {"path": "/"}},
            {"name": "other", "emptyDir": {}},
        ],
        "initContainers": [{"name": "i", "volumeMounts": [{"name": "nri"}]}],
        "containers": [{"name": "c", "volumeMounts": [{"name": "other"}, {"name": "none"}]}],
        "ephemeralContainers": [{"name": "e", "volumeMounts": [{"name": "nri"}, {"name": "nri"}]}],
    }));
    let found = candidates(&pod);
    let names: Vec<&str> = found
        .iter()
        .map(|one| one.container.name.as_str())
        .collect();
    assert_eq!(names, ["i", "e"]);
    assert_eq!(
        found[1].reason(),
        "mounts /run/nri of the host: the NRI socket"
    );
    assert_eq!(pod.to_string(), "Pod n/p");
}
