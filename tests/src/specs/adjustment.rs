//! Random adjustments: those of the merge tests, with values that match a spec.

use nri::adjust::marker;
use nri::api::{
    ContainerAdjustment, Hook, Hooks, KeyValue, LinuxContainerAdjustment, LinuxDevice,
    LinuxDeviceCgroup, LinuxMemoryPolicy, LinuxNamespace, LinuxResources, LinuxScheduler,
    LinuxSeccomp, LinuxSeccompArg, LinuxSyscall, Mount, PosixRlimit,
};

use super::sources::SOURCES;
use super::{
    ACTIONS, ARCHITECTURES, DEVICE_TYPES, NAMESPACES, OPERATORS, PAGE_SIZES, RLIMITS,
    SECCOMP_FLAGS, Specs,
};

/// The base of the probability of a name or number that no specification defines.
const ONE_IN: usize = 60;

impl Specs {
    /// Returns a random adjustment.
    pub fn adjustment(&mut self) -> ContainerAdjustment {
        let mut adjustment = self.adjustments.adjustment();
        self.fit(&mut adjustment);
        adjustment
    }

    /// Replaces values of an adjustment with values that match a spec.
    pub fn fit(&mut self, adjustment: &mut ContainerAdjustment) {
        for mount in &mut adjustment.mounts {
            self.fit_mount(mount);
        }
        for limit in &mut adjustment.rlimits {
            self.fit_rlimit(limit);
        }
        if let Some(hooks) = &mut adjustment.hooks {
            self.fit_hooks(hooks);
        }
        if let Some(linux) = &mut adjustment.linux {
            self.fit_linux(linux);
        }
        if self.rarely(ONE_IN * 4) {
            adjustment.env.push(KeyValue::default());
        }
    }

    fn defined(&mut self, names: &[&str]) -> String {
        if self.rarely(ONE_IN * 4) {
            return self.text();
        }
        self.choose(names).to_owned()
    }

    fn number(&mut self, end: i32) -> i32 {
        if self.rarely(ONE_IN * 2) {
            return end;
        }
        self.rng.i32(..end).rem_euclid(end)
    }

    fn fit_mount(&mut self, mount: &mut Mount) {
        mount.destination += self.choose(&["", "", "", "/sub", "/../sub2", "//deep/er"]);
        if self.some() {
            mount.r#type = self.choose(&["bind", "tmpfs"]).to_owned();
        }
        mount.options =
            self.list(|it| it.choose(&["rbind", "ro", "rprivate", "shared"]).to_owned());
        if self.rarely(8) {
            mount.source = SOURCES[self.rng.usize(..SOURCES.len())].clone();
            let propagation = self.choose(&["rshared", "rslave"]);
            mount.options.push(propagation.to_owned());
        }
    }

    fn fit_rlimit(&mut self, limit: &mut PosixRlimit) {
        limit.r#type = self.defined(&RLIMITS);
    }

    fn fit_hooks(&mut self, hooks: &mut Hooks) {
        let lists = [
            &mut hooks.prestart,
            &mut hooks.create_runtime,
            &mut hooks.create_container,
            &mut hooks.start_container,
            &mut hooks.poststart,
            &mut hooks.poststop,
        ];
        for Hook { path: _, args, env, timeout } in lists.into_iter().flatten() {
            *args = self.list(Self::text);
            *env = self.list(Self::text);
            *timeout = self.some().then(|| self.rng.i64(..));
        }
    }

    fn fit_linux(&mut self, linux: &mut LinuxContainerAdjustment) {
        for device in &mut linux.devices {
            self.fit_device(device);
        }
        for namespace in &mut linux.namespaces {
            self.fit_namespace(namespace);
        }
        if let Some(resources) = &mut linux.resources {
            self.fit_resources(resources);
        }
        if let Some(score) = &mut linux.oom_score_adj
            && !self.rarely(ONE_IN)
        {
            *score = self.rng.i64(-1000..=1000);
        }
        if let Some(priority) = &mut linux.io_priority {
            priority.class = self.number(4);
        }
        if let Some(policy) = &mut linux.seccomp_policy {
            *policy = self.policy();
        }
        if let Some(scheduler) = &mut linux.scheduler {
            *scheduler = self.scheduler();
        }
        if let Some(policy) = &mut linux.memory_policy {
            *policy = LinuxMemoryPolicy {
                mode: self.number(7),
                nodes: self.text(),
                flags: self.list(|it| it.number(3)),
            };
        }
    }

    fn fit_device(&mut self, device: &mut LinuxDevice) {
        device.r#type = self.defined(&DEVICE_TYPES);
        device.major = self.rng.i64(..);
        device.minor = self.rng.u8(..).into();
        device.file_mode = self.some().then(|| u32::from(self.rng.u16(..)));
        device.uid = self.some().then(|| self.rng.u32(..));
        device.gid = self.some().then(|| self.rng.u32(..));
    }

    fn fit_namespace(&mut self, namespace: &mut LinuxNamespace) {
        let kind = if self.rarely(ONE_IN) {
            self.choose(&["time", "net", ""]).to_owned()
        } else {
            self.choose(&NAMESPACES).to_owned()
        };
        let is_removal = marker::removed(&namespace.r#type).is_some();
        namespace.r#type = if is_removal { marker::mark(&kind) } else { kind };
    }

    fn fit_resources(&mut self, resources: &mut LinuxResources) {
        for LinuxDeviceCgroup { allow: _, r#type, major, minor, access } in &mut resources.devices {
            *r#type = self.rule_type();
            *major = self.some().then(|| self.rng.i64(..));
            *minor = self.some().then(|| self.rng.i64(..));
            *access = self.choose(&["", "r", "rw", "rwm"]).to_owned();
        }
        for limit in &mut resources.hugepage_limits {
            limit.page_size = self.choose(&PAGE_SIZES).to_owned();
        }
        if let Some(pids) = &mut resources.pids {
            pids.limit = self.choose(&[i64::MIN, -2, -1, 0, 1, 100, i64::MAX]);
        }
        if let Some(memory) = &mut resources.memory
            && self.rarely(5)
        {
            memory.limit = Some(0);
        }
        for class in [&mut resources.blockio_class, &mut resources.rdt_class] {
            if self.rarely(5) {
                *class = Some(String::new());
            }
        }
    }

    fn policy(&mut self) -> LinuxSeccomp {
        LinuxSeccomp {
            default_action: self.defined(&ACTIONS),
            default_errno: self.some().then(|| self.rng.u32(..)),
            architectures: self.list(|it| it.defined(&ARCHITECTURES)),
            flags: self.list(|it| it.defined(&SECCOMP_FLAGS)),
            listener_path: if self.some() { self.text() } else { String::new() },
            listener_metadata: if self.some() { self.text() } else { String::new() },
            syscalls: self.list(Self::syscall),
        }
    }

    fn syscall(&mut self) -> LinuxSyscall {
        LinuxSyscall {
            names: self.list(Self::text),
            action: self.defined(&ACTIONS),
            errno_ret: self.some().then(|| self.rng.u32(..)),
            args: self.list(|it| LinuxSeccompArg {
                index: it.rng.u32(..),
                value: it.rng.u64(..),
                value_two: it.rng.u64(..3),
                op: it.defined(&OPERATORS),
            }),
        }
    }

    fn scheduler(&mut self) -> LinuxScheduler {
        LinuxScheduler {
            policy: self.number(8),
            nice: self.rng.i32(-20..20),
            priority: self.rng.i32(0..3),
            flags: self.list(|it| it.number(7)),
            runtime: self.rng.u64(..3),
            deadline: self.rng.u64(..3),
            period: self.rng.u64(..),
        }
    }
}
