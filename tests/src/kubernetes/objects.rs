//! Objects to create in a cluster, and the status that a kubelet would write.

use serde_json::{Value, json};

/// Returns a namespace in which pods may mount folders of the node.
#[must_use]
pub fn namespace(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": {
        "name": name, "labels": { "pod-security.kubernetes.io/enforce": "privileged" },
    } })
}

/// Returns a node that reports a runtime, such as `containerd://2.4.2`.
#[must_use]
pub fn node(name: &str, runtime: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": name },
        "status": { "nodeInfo": {
            "machineID": "", "systemUUID": "", "bootID": "", "kernelVersion": "6.12.0", "osImage": "Debian GNU/Linux 13",
            "containerRuntimeVersion": runtime, "kubeletVersion": "v1.36.3", "kubeProxyVersion": "",
            "operatingSystem": "linux", "architecture": "amd64",
        } },
    })
}

/// A workload with one container, which may mount one folder of the node.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name, which is also that of the container.
    pub name: &'a str,
    /// The image of the container.
    pub image: &'a str,
    /// The folder that is mounted, at the same path.
    pub mounts: Option<&'a str>,
}

impl Workload<'_> {
    /// Returns a DaemonSet of it that tolerates everything.
    #[must_use]
    pub fn daemon_set(&self) -> Value {
        let labels = json!({ "app.kubernetes.io/name": self.name });
        json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": { "namespace": self.namespace, "name": self.name },
            "spec": {
                "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": self.spec() },
            },
        })
    }

    /// Returns a pod of it on a node, with the digest of its image.
    #[must_use]
    pub fn pod(&self, name: &str, node: &str, digest: &str) -> Value {
        let mut spec = self.spec();
        spec["nodeName"] = node.into();
        let repository =
            self.image.rsplit_once(':').map_or(self.image, |(repository, _)| repository);
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "namespace": self.namespace, "name": name },
            "spec": spec,
            "status": { "phase": "Running", "containerStatuses": [{
                "name": self.name, "image": self.image, "imageID": format!("{repository}@{digest}"),
                "containerID": "containerd://0", "ready": true, "started": true, "restartCount": 0,
                "state": { "running": { "startedAt": "2026-01-01T00:00:00Z" } }, "lastState": {},
            }] },
        })
    }

    fn spec(&self) -> Value {
        let mounts = self.mounts.iter().map(|path| json!({ "name": "host", "mountPath": path }));
        let volumes =
            self.mounts.iter().map(|path| json!({ "name": "host", "hostPath": { "path": path } }));
        json!({
            "tolerations": [{ "operator": "Exists" }],
            "automountServiceAccountToken": false,
            "containers": [{
                "name": self.name, "image": self.image, "imagePullPolicy": "IfNotPresent",
                "volumeMounts": mounts.collect::<Vec<_>>(),
            }],
            "volumes": volumes.collect::<Vec<_>>(),
        })
    }
}

/// Returns a pod with a controller, like those of an API server.
#[must_use]
pub fn owned(mut pod: Value, owner: &Value) -> Value {
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": true,
        "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
    }]);
    pod
}

/// Returns the mirror pod that a kubelet creates in the API server for a static pod.
#[must_use]
pub fn mirror(pod: Value, node: &Value) -> Value {
    let mut pod = owned(pod, node);
    pod["metadata"]["annotations"] = json!({
        "kubernetes.io/config.source": "file",
        "kubernetes.io/config.mirror": "0123456789abcdef0123456789abcdef",
        "kubernetes.io/config.hash": "0123456789abcdef0123456789abcdef",
    });
    pod
}
