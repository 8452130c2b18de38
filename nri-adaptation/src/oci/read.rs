//! Reads pods and containers from specs: the opposite direction of [`apply`](crate::oci::apply).

mod linux;
mod process;
mod resources;
mod seccomp;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use oci_spec::runtime::{Hook as OciHook, Hooks as OciHooks, Mount as OciMount, Spec};

use nri::api::{Container, Hook, Hooks, LinuxPodSandbox, Mount, PodSandbox};
use nri::optional::Optional;

/// Returns the container with everything that its spec says about it: arguments, environment, annotations, mounts, hooks,
/// limits, user, and the Linux part.
///
/// The spec does not have the rest, which the runtime fills in: ids, name, labels, state, image, times, CDI devices, and the
/// seccomp profile, block I/O class and RDT class that the CRI names.
///
/// A test compares the container with what the helpers of the reference make of the same spec. They have none for RDT.
///
/// ```
/// let spec = nri_adaptation::oci::from_value(serde_json::json!({
///     "ociVersion": "1.3.0",
///     "process": {"user": {"uid": 5, "gid": 0}, "cwd": "/", "args": ["sh"], "env": ["PATH=/bin"]},
///     "linux": {"resources": {"memory": {"limit": 67108864}}},
/// }))?;
/// let container = nri_adaptation::oci::container(&spec);
/// assert_eq!(container.args, ["sh"]);
/// assert_eq!(container.env_var("PATH"), Some("/bin"));
/// assert_eq!(container.memory_limit(), Some(64 << 20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn container(spec: &Spec) -> Container {
    let process = spec.process().as_ref();
    Container {
        annotations: annotations(spec),
        args: process.map_or_else(Vec::new, |it| list(it.args())),
        env: process.map_or_else(Vec::new, |it| list(it.env())),
        mounts: each(spec.mounts(), mount),
        hooks: spec.hooks().as_ref().map(hooks),
        linux: linux::container(spec),
        rlimits: process.map_or_else(Vec::new, process::rlimits),
        user: process.map(process::user),
        ..Container::default()
    }
}

/// Returns the pod with everything that the spec of its sandbox says about it: annotations, namespaces, resources and cgroup.
///
/// The spec does not have the rest, which the runtime fills in: id, name, namespace, labels, addresses, and what the CRI says
/// about the resources of the pod.
#[must_use]
pub fn pod_sandbox(spec: &Spec) -> PodSandbox {
    PodSandbox {
        annotations: annotations(spec),
        linux: spec.linux().as_ref().map(|it| LinuxPodSandbox {
            cgroups_path: text(it.cgroups_path().as_deref()),
            namespaces: linux::namespaces(it),
            resources: it.resources().as_ref().map(resources::resources),
            ..LinuxPodSandbox::default()
        }),
        ..PodSandbox::default()
    }
}

fn annotations(spec: &Spec) -> BTreeMap<String, String> {
    map(spec.annotations())
}

fn mount(mount: &OciMount) -> Mount {
    Mount {
        destination: text(Some(mount.destination())),
        r#type: mount.typ().clone().unwrap_or_default(),
        source: text(mount.source().as_deref()),
        options: list(mount.options()),
    }
}

#[allow(deprecated, reason = "specs may still have prestart hooks")]
fn hooks(hooks: &OciHooks) -> Hooks {
    Hooks {
        prestart: each(hooks.prestart(), hook),
        create_runtime: each(hooks.create_runtime(), hook),
        create_container: each(hooks.create_container(), hook),
        start_container: each(hooks.start_container(), hook),
        poststart: each(hooks.poststart(), hook),
        poststop: each(hooks.poststop(), hook),
    }
}

fn hook(hook: &OciHook) -> Hook {
    Hook {
        path: text(Some(hook.path())),
        args: list(hook.args()),
        env: list(hook.env()),
        timeout: Optional::of(hook.timeout()),
    }
}

/// Returns the path as text, which is what the protocol has.
fn text(path: Option<&Path>) -> String {
    path.map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn list<T: Clone>(list: &Option<Vec<T>>) -> Vec<T> {
    list.clone().unwrap_or_default()
}

fn map(map: &Option<HashMap<String, String>>) -> BTreeMap<String, String> {
    map.clone().unwrap_or_default().into_iter().collect()
}

fn each<T, U>(list: &Option<Vec<T>>, convert: impl FnMut(&T) -> U) -> Vec<U> {
    list.iter().flatten().map(convert).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::oci::fixtures::{process, spec};

    #[test]
    fn a_spec_without_a_linux_part_has_none() {
        assert_eq!(container(&spec(json!({}))), Container::default());
        assert_eq!(pod_sandbox(&spec(json!({}))), PodSandbox::default());
        let linux = container(&process(json!({"oomScoreAdj": 5})))
            .linux
            .unwrap();
        assert_eq!(linux.oom_score_adj.unwrap().value, 5);
    }

    #[test]
    fn the_sandbox_of_a_pod_has_namespaces_cgroup_and_resources() {
        let pod = pod_sandbox(&spec(json!({
            "annotations": {"a": "1"},
            "linux": {
                "cgroupsPath": "/pods/web",
                "namespaces": [{"type": "network", "path": "/run/netns/web"}, {"type": "mount"}],
                "resources": {"cpu": {"shares": 2}},
            },
        })));
        assert_eq!(pod.annotation("a"), Some("1"));
        assert_eq!(pod.namespace_path("network"), Some("/run/netns/web"));
        assert_eq!(pod.namespace_path("mount"), Some(""));
        let linux = pod.linux.unwrap();
        assert_eq!(linux.cgroups_path, "/pods/web");
        let cpu = linux.resources.and_then(|it| it.cpu).unwrap();
        assert_eq!(cpu.shares.unwrap().value, 2);
    }

    #[test]
    fn the_class_for_cache_and_memory_bandwidth_is_read() {
        let rdt = json!({"closID": "gold", "schemata": ["L3:0=ff"], "enableMonitoring": true});
        let container = container(&spec(json!({"linux": {"intelRdt": rdt}})));
        let rdt = container.linux.and_then(|it| it.rdt).unwrap();
        assert_eq!(rdt.clos_id.unwrap().value, "gold");
        assert_eq!(rdt.schemata.unwrap().value, ["L3:0=ff"]);
        assert!(rdt.enable_monitoring.unwrap().value);
    }
}
