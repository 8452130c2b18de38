//! Reads pods and containers from specs: the opposite direction of [`apply`](crate::oci::apply).

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::path::Path;

use oci_spec::runtime::{
    Hook as OciHook, Hooks as OciHooks, Linux, LinuxCpu as OciCpu, LinuxDevice as OciDevice,
    LinuxDeviceCgroup as OciRule, LinuxIOPriority as OciIoPriority, LinuxIntelRdt,
    LinuxMemory as OciMemory, LinuxNamespace as OciNamespace, LinuxResources as OciResources,
    LinuxSeccomp as OciSeccomp, LinuxSeccompArg as OciArg, LinuxSyscall as OciSyscall,
    Mount as OciMount, Process, Scheduler as OciScheduler, Spec,
};

use crate::oci::linux::namespace_name;
use crate::oci::process::RESET_ON_FORK;
use nri::api::{
    Container, Hook, Hooks, HugepageLimit, IoPrioClass, LinuxContainer, LinuxCpu, LinuxDevice,
    LinuxDeviceCgroup, LinuxIoPriority, LinuxMemory, LinuxNamespace, LinuxNetDevice, LinuxPids,
    LinuxPodSandbox, LinuxRdt, LinuxResources, LinuxScheduler, LinuxSchedulerFlag,
    LinuxSchedulerPolicy, LinuxSeccomp, LinuxSeccompArg, LinuxSyscall, Mount, PodSandbox,
    PosixRlimit, User,
};

/// Returns the container with everything that its spec says about it: arguments, environment,
/// annotations, mounts, hooks, limits, user, and the Linux part.
///
/// The spec does not have the rest, which the runtime fills in: ids, name, labels, state, image,
/// times, CDI devices, and the seccomp profile, block I/O class and RDT class that the CRI names.
///
/// A test compares the container with what the helpers of the reference make of the same spec. They
/// have none for RDT.
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
        annotations: map(spec.annotations()),
        args: process.map_or_else(Vec::new, |it| list(it.args())),
        env: process.map_or_else(Vec::new, |it| list(it.env())),
        mounts: each(spec.mounts(), mount),
        hooks: spec.hooks().as_ref().map(|it| Box::new(hooks(it))),
        linux: linux(spec),
        rlimits: process.map_or_else(Vec::new, rlimits),
        user: process.map(user),
        ..Container::default()
    }
}

/// Returns the pod with everything that the spec of its sandbox says about it: annotations,
/// namespaces, resources and cgroup.
///
/// The spec does not have the rest, which the runtime fills in: id, name, namespace, labels,
/// addresses, and what the CRI says about the resources of the pod.
#[must_use]
pub fn pod_sandbox(spec: &Spec) -> PodSandbox {
    PodSandbox {
        annotations: map(spec.annotations()),
        linux: spec.linux().as_ref().map(|it| {
            Box::new(LinuxPodSandbox {
                cgroups_path: text(it.cgroups_path().as_deref()),
                namespaces: each(it.namespaces(), namespace),
                resources: it.resources().as_ref().map(resources),
                ..LinuxPodSandbox::default()
            })
        }),
        ..PodSandbox::default()
    }
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
        timeout: hook.timeout(),
    }
}

/// Returns the Linux part, which also has the out-of-memory score, I/O priority and scheduler of
/// the process.
fn linux(spec: &Spec) -> Option<Box<LinuxContainer>> {
    let (linux, process) = (spec.linux().as_ref(), spec.process().as_ref());
    let of_linux = linux.map_or_else(LinuxContainer::default, from_linux);
    let container = match process {
        Some(process) => with_process(of_linux, process),
        None => of_linux,
    };
    (linux.is_some() || container != LinuxContainer::default()).then(|| Box::new(container))
}

fn from_linux(linux: &Linux) -> LinuxContainer {
    let net_devices = linux.net_devices().iter().flatten().map(|(host, device)| {
        let name = device.name().clone().unwrap_or_default();
        (host.clone(), LinuxNetDevice { name })
    });
    LinuxContainer {
        namespaces: each(linux.namespaces(), namespace),
        devices: each(linux.devices(), device),
        resources: linux.resources().as_ref().map(resources),
        cgroups_path: text(linux.cgroups_path().as_deref()),
        seccomp_policy: linux.seccomp().as_ref().map(seccomp),
        sysctl: map(linux.sysctl()),
        net_devices: net_devices.collect(),
        rdt: linux.intel_rdt().as_ref().map(rdt),
        ..LinuxContainer::default()
    }
}

fn with_process(container: LinuxContainer, process: &Process) -> LinuxContainer {
    LinuxContainer {
        oom_score_adj: process.oom_score_adj().map(i64::from),
        io_priority: process.io_priority().as_ref().map(io_priority),
        scheduler: process.scheduler().as_ref().map(scheduler),
        ..container
    }
}

fn namespace(namespace: &OciNamespace) -> LinuxNamespace {
    LinuxNamespace {
        r#type: namespace_name(namespace.typ()),
        path: text(namespace.path().as_deref()),
    }
}

fn device(device: &OciDevice) -> LinuxDevice {
    LinuxDevice {
        path: text(Some(device.path())),
        r#type: device.typ().as_str().to_owned(),
        major: device.major(),
        minor: device.minor(),
        file_mode: device.file_mode(),
        uid: device.uid(),
        gid: device.gid(),
    }
}

fn rdt(rdt: &LinuxIntelRdt) -> LinuxRdt {
    LinuxRdt {
        clos_id: rdt.clos_id().clone(),
        schemata: rdt.schemata().clone(),
        enable_monitoring: *rdt.enable_monitoring(),
        remove: false,
    }
}

fn user(process: &Process) -> User {
    let user = process.user();
    User { uid: user.uid(), gid: user.gid(), additional_gids: list(user.additional_gids()) }
}

fn rlimits(process: &Process) -> Vec<PosixRlimit> {
    each(process.rlimits(), |limit| PosixRlimit {
        r#type: limit.typ().to_string(),
        hard: limit.hard(),
        soft: limit.soft(),
    })
}

fn io_priority(priority: &OciIoPriority) -> LinuxIoPriority {
    let class = IoPrioClass::from_str_name(&priority.class().to_string());
    LinuxIoPriority {
        class: number(class),
        priority: priority.priority().try_into().unwrap_or(i32::MAX),
    }
}

fn scheduler(scheduler: &OciScheduler) -> LinuxScheduler {
    let policy = LinuxSchedulerPolicy::from_str_name(&scheduler.policy().to_string());
    LinuxScheduler {
        policy: number(policy),
        nice: scheduler.nice().unwrap_or_default(),
        priority: scheduler.priority().unwrap_or_default(),
        flags: each(scheduler.flags(), flag),
        runtime: scheduler.runtime().unwrap_or_default(),
        deadline: scheduler.deadline().unwrap_or_default(),
        period: scheduler.period().unwrap_or_default(),
    }
}

/// Returns the number of a scheduler flag.
fn flag(flag: &impl Display) -> i32 {
    let name = flag.to_string();
    if name == RESET_ON_FORK {
        return LinuxSchedulerFlag::SchedFlagResetOnFork.into();
    }
    number(LinuxSchedulerFlag::from_str_name(&name))
}

/// Returns the number of an enum, or one that no enum has if the protocol lacks the name of the
/// crate.
fn number(known: Option<impl Into<i32>>) -> i32 {
    known.map_or(-1, Into::into)
}

/// Returns the resources. Block I/O settings have no class any more, so that they are left out.
fn resources(resources: &OciResources) -> LinuxResources {
    LinuxResources {
        memory: resources.memory().as_ref().map(memory),
        cpu: resources.cpu().as_ref().map(cpu),
        hugepage_limits: each(resources.hugepage_limits(), |it| HugepageLimit {
            page_size: it.page_size().clone(),
            limit: it.limit().try_into().unwrap_or_default(),
        }),
        blockio_class: None,
        rdt_class: None,
        unified: map(resources.unified()),
        devices: each(resources.devices(), rule),
        pids: resources.pids().as_ref().map(|pids| LinuxPids { limit: pids.limit() }),
    }
}

fn memory(memory: &OciMemory) -> LinuxMemory {
    LinuxMemory {
        limit: memory.limit(),
        reservation: memory.reservation(),
        swap: memory.swap(),
        kernel: deprecated_kernel(memory),
        kernel_tcp: memory.kernel_tcp(),
        swappiness: memory.swappiness(),
        disable_oom_killer: memory.disable_oom_killer(),
        use_hierarchy: memory.use_hierarchy(),
    }
}

#[allow(deprecated, reason = "specs may still have this limit")]
fn deprecated_kernel(memory: &OciMemory) -> Option<i64> {
    memory.kernel()
}

fn cpu(cpu: &OciCpu) -> LinuxCpu {
    LinuxCpu {
        shares: cpu.shares(),
        quota: cpu.quota(),
        period: cpu.period(),
        realtime_runtime: cpu.realtime_runtime(),
        realtime_period: cpu.realtime_period(),
        cpus: cpu.cpus().clone().unwrap_or_default(),
        mems: cpu.mems().clone().unwrap_or_default(),
    }
}

fn rule(rule: &OciRule) -> LinuxDeviceCgroup {
    LinuxDeviceCgroup {
        allow: rule.allow(),
        r#type: rule.typ().map_or_else(String::new, |it| it.as_str().to_owned()),
        major: rule.major(),
        minor: rule.minor(),
        access: rule.access().clone().unwrap_or_default(),
    }
}

fn seccomp(policy: &OciSeccomp) -> LinuxSeccomp {
    LinuxSeccomp {
        default_action: policy.default_action().to_string(),
        default_errno: policy.default_errno_ret(),
        architectures: each(policy.architectures(), ToString::to_string),
        flags: each(policy.flags(), ToString::to_string),
        listener_path: text(policy.listener_path().as_deref()),
        listener_metadata: policy.listener_metadata().clone().unwrap_or_default(),
        syscalls: each(policy.syscalls(), syscall),
    }
}

fn syscall(syscall: &OciSyscall) -> LinuxSyscall {
    LinuxSyscall {
        names: syscall.names().clone(),
        action: syscall.action().to_string(),
        errno_ret: syscall.errno_ret(),
        args: each(syscall.args(), argument),
    }
}

fn argument(argument: &OciArg) -> LinuxSeccompArg {
    LinuxSeccompArg {
        // The kernel has six arguments.
        index: argument.index().try_into().unwrap_or(u32::MAX),
        value: argument.value(),
        value_two: argument.value_two().unwrap_or_default(),
        op: argument.op().to_string(),
    }
}

/// Returns the path as text, which is what the protocol has.
fn text(path: Option<&Path>) -> String {
    path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
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
    use crate::oci::from_value;

    /// The reference, with which the rest is compared, reads no RDT and no pods.
    #[test]
    fn rdt_and_pods_are_read() {
        let empty = from_value(json!({})).unwrap();
        assert_eq!(pod_sandbox(&empty), PodSandbox::default());
        let spec = from_value(json!({"linux": {
            "cgroupsPath": "/pods/web", "namespaces": [{"type": "network", "path": "/run/ns"}, {"type": "mount"}],
            "intelRdt": {"closID": "gold", "schemata": ["L3:0=ff"], "enableMonitoring": true},
        }}))
        .unwrap();
        let linux = container(&spec).linux.unwrap();
        let pod = pod_sandbox(&spec).linux.unwrap();
        assert_eq!((&*pod.cgroups_path, pod.namespaces.len()), ("/pods/web", 2));
        assert_eq!(pod.namespaces, linux.namespaces);
        let rdt = LinuxRdt {
            clos_id: Some("gold".to_owned()),
            schemata: Some(vec!["L3:0=ff".to_owned()]),
            enable_monitoring: Some(true),
            remove: false,
        };
        assert_eq!(linux.rdt, Some(rdt));
    }
}
