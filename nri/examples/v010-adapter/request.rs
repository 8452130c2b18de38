//! The requests of NRI v0.1.0, with resources in the format of an OCI runtime configuration.

use std::collections::BTreeMap;

use nri::api::{Container, LinuxNamespace, LinuxResources, PodSandbox};
use serde::Serialize;
use serde_json::{Value, json};

/// A request as a program gets it.
#[derive(Serialize)]
pub(crate) struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conf: Option<Value>,
    pub(crate) version: String,
    pub(crate) state: &'static str,
    pub(crate) id: &'a str,
    /// The same as `id` if the request is for the pod itself.
    #[serde(rename = "sandboxID")]
    sandbox_id: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    pid: u32,
    spec: Spec<'a>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<&'a str, &'a str>,
    /// The results of earlier programs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) results: Vec<Value>,
}

/// The part of an OCI configuration that programs get.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Spec<'a> {
    resources: Value,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    namespaces: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    cgroups_path: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<&'a str, &'a str>,
}

fn is_zero(pid: &u32) -> bool {
    *pid == 0
}

impl<'a> Request<'a> {
    pub(crate) fn for_pod(state: &'static str, pod: &'a PodSandbox) -> Self {
        let linux = pod.linux.as_ref();
        let spec = Spec {
            resources: resources(linux.and_then(|linux| linux.resources.as_ref())),
            namespaces: namespaces(linux.map_or(&[], |linux| &linux.namespaces)),
            cgroups_path: linux.map_or("", |linux| &linux.cgroups_path),
            annotations: borrowed(&pod.annotations),
        };
        Request::new(state, pod, (&pod.id, pod.pid), spec)
    }

    pub(crate) fn for_container(
        state: &'static str,
        pod: &'a PodSandbox,
        container: &'a Container,
    ) -> Self {
        let linux = container.linux.as_ref();
        let spec = Spec {
            resources: resources(linux.and_then(|linux| linux.resources.as_ref())),
            namespaces: namespaces(linux.map_or(&[], |linux| &linux.namespaces)),
            cgroups_path: linux.map_or("", |linux| &linux.cgroups_path),
            annotations: borrowed(&container.annotations),
        };
        Request::new(state, pod, (&container.id, container.pid), spec)
    }

    fn new(
        state: &'static str,
        pod: &'a PodSandbox,
        (id, pid): (&'a str, u32),
        spec: Spec<'a>,
    ) -> Self {
        Request {
            conf: None,
            version: String::new(),
            state,
            id,
            sandbox_id: &pod.id,
            pid,
            spec,
            labels: borrowed(&pod.labels),
            results: Vec::new(),
        }
    }
}

fn borrowed<'a, M>(map: &'a M) -> BTreeMap<&'a str, &'a str>
where
    &'a M: IntoIterator<Item = (&'a String, &'a String)>,
{
    map.into_iter().map(|(key, value)| (&**key, &**value)).collect()
}

fn namespaces(namespaces: &[LinuxNamespace]) -> BTreeMap<&str, &str> {
    namespaces.iter().map(|it| (&*it.r#type, &*it.path)).collect()
}

/// Returns the resources as in an OCI runtime configuration.
fn resources(resources: Option<&LinuxResources>) -> Value {
    let Some(resources) = resources else {
        return Value::Null;
    };
    let devices = resources.devices.iter().map(|device| {
        json!({
            "allow": device.allow,
            "type": text(&device.r#type),
            "major": device.major,
            "minor": device.minor,
            "access": text(&device.access),
        })
    });
    let hugepages = resources
        .hugepage_limits
        .iter()
        .map(|limit| json!({ "pageSize": limit.page_size, "limit": limit.limit }));
    let mut value = json!({
        "devices": list(devices),
        "memory": memory(resources),
        "cpu": cpu(resources),
        "pids": resources.pids.as_ref().map(|pids| json!({ "limit": (pids.limit >= 0).then_some(pids.limit) })),
        "hugepageLimits": list(hugepages),
        "unified": (!resources.unified.is_empty()).then_some(&resources.unified),
    });
    remove_nulls(&mut value);
    value
}

fn memory(resources: &LinuxResources) -> Value {
    let memory = resources.memory.unwrap_or_default();
    json!({
        "limit": memory.limit,
        "reservation": memory.reservation,
        "swap": memory.swap,
        "kernel": memory.kernel,
        "kernelTCP": memory.kernel_tcp,
        "swappiness": memory.swappiness,
        "disableOOMKiller": memory.disable_oom_killer,
        "useHierarchy": memory.use_hierarchy,
    })
}

fn cpu(resources: &LinuxResources) -> Value {
    let cpu = resources.cpu.clone().unwrap_or_default();
    json!({
        "shares": cpu.shares,
        "quota": cpu.quota,
        "period": cpu.period,
        "realtimeRuntime": cpu.realtime_runtime,
        "realtimePeriod": cpu.realtime_period,
        "cpus": text(&cpu.cpus),
        "mems": text(&cpu.mems),
    })
}

fn text(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn list(values: impl Iterator<Item = Value>) -> Option<Vec<Value>> {
    let list: Vec<_> = values.collect();
    (!list.is_empty()).then_some(list)
}

/// Removes unset fields, because a program distinguishes 0 from "no limit".
fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(remove_nulls);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
