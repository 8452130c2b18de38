//! Objects of a cluster, and a server that lists them.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::api_server::{ApiServer, page};
use crate::command::SMALL;

/// The digest of the image that runs.
pub(crate) const DIGEST: &str =
    "sha256:abababababababababababababababababababababababababababababababab";

/// Returns the specification of a pod that mounts the socket of NRI.
pub(crate) fn spec() -> Value {
    json!({
        "volumes": [{ "name": "nri", "hostPath": { "path": "/var/run/nri", "type": "" } }],
        "containers": [container("plugin")],
    })
}

/// Returns a container with the socket of NRI.
pub(crate) fn container(name: &str) -> Value {
    json!({
        "name": name, "image": "localhost:1/logger:1",
        "volumeMounts": [{ "name": "nri", "mountPath": "/var/run/nri" }],
    })
}

/// Returns the status of a container with an image id.
pub(crate) fn status(name: &str, image_id: &str) -> Value {
    json!({ "name": name, "image": "localhost:1/logger:1", "imageID": image_id })
}

/// Returns a running pod with a plugin, without an owner.
pub(crate) fn pod(name: &str, node: &str) -> Value {
    let mut spec = spec();
    spec["nodeName"] = node.into();
    json!({
        "metadata": { "namespace": "n", "name": name },
        "spec": spec,
        "status": {
            "phase": "Running",
            "containerStatuses": [status("plugin", &format!("localhost:1/logger@{DIGEST}"))],
        },
    })
}

/// Returns the pod by which a kubelet shows a static pod to the API server.
pub(crate) fn mirror(name: &str, node: &str) -> Value {
    let mut pod = owned(pod(&format!("{name}-{node}"), node), "Node", node);
    pod["metadata"]["annotations"] = json!({ "kubernetes.io/config.mirror": "x" });
    pod
}

/// Returns an object that creates pods with a plugin.
pub(crate) fn workload(name: &str) -> Value {
    json!({
        "metadata": { "namespace": "n", "name": name },
        "spec": { "template": { "spec": spec() } },
    })
}

/// Returns a cron job with a plugin.
pub(crate) fn cron_job(name: &str) -> Value {
    json!({
        "metadata": { "namespace": "n", "name": name },
        "spec": { "jobTemplate": { "spec": { "template": { "spec": spec() } } } },
    })
}

/// Returns an object with a controller.
pub(crate) fn owned(mut object: Value, kind: &str, name: &str) -> Value {
    object["metadata"]["ownerReferences"] =
        json!([{ "kind": kind, "name": name, "controller": true }]);
    object
}

/// Starts a server with these lists, by the plural of the kind, and with the nodes of [`SMALL`].
pub(crate) fn serve(lists: &[(&str, &[Value])]) -> ApiServer {
    let text = |objects: &[Value]| objects.iter().map(Value::to_string).collect();
    let lists: HashMap<String, Vec<String>> =
        lists.iter().map(|(plural, objects)| ((*plural).to_owned(), text(objects))).collect();
    ApiServer::start(move |request| {
        let plural = request.path.rsplit('/').next().unwrap_or_default();
        if plural == "nodes" {
            return SMALL.answer(request);
        }
        let objects = lists.get(plural).map(Vec::as_slice).unwrap_or_default();
        page(request, objects.len(), |nth| objects[nth].clone())
    })
}
