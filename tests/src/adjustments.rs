//! Random containers, and random answers of plugins that are likely to conflict: there are few
//! names to choose from.

use std::collections::BTreeMap;

use fastrand::Rng;
use nri::adjust::marker;
use nri::api::{
    CdiDevice, Container, ContainerAdjustment, ContainerUpdate, CreateContainerResponse, Hook,
    Hooks, HugepageLimit, KeyValue, LinuxContainer, LinuxContainerAdjustment, LinuxContainerUpdate,
    LinuxCpu, LinuxDevice, LinuxDeviceCgroup, LinuxIoPriority, LinuxMemory, LinuxMemoryPolicy,
    LinuxNamespace, LinuxNetDevice, LinuxPids, LinuxRdt, LinuxResources, LinuxScheduler,
    LinuxSeccomp, Mount, PosixRlimit,
};

/// The richness of random messages.
#[derive(Clone, Copy, Debug)]
pub struct Density {
    /// The probability that a field is set.
    pub field: f64,
    /// The number of names that keys are chosen from.
    pub names: usize,
}

/// A source of random messages.
pub struct Adjustments {
    rng: Rng,
    density: Density,
}

impl Adjustments {
    /// Creates the source for a seed. The same seed always gives the same messages.
    #[must_use]
    pub fn new(seed: u64, density: Density) -> Self {
        Adjustments { rng: Rng::with_seed(seed), density }
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.rng.usize(..limit)
    }

    /// Returns a container to be created.
    pub fn container(&mut self, id: &str) -> Container {
        Container {
            id: id.to_owned(),
            name: "web".to_owned(),
            annotations: self.map(false, Self::text),
            env: self.list(|it| format!("{}={}", it.name(), it.text())),
            args: self.list(Self::text),
            mounts: self.list(|it| it.mount(false)),
            hooks: self.maybe(Self::hooks).map(Box::new),
            rlimits: self.list(Self::rlimit),
            linux: self.maybe(|it| {
                Box::new(LinuxContainer {
                    namespaces: it.namespaces(),
                    devices: it.list(|it| it.device(false)),
                    resources: it.maybe(Self::resources),
                    oom_score_adj: it.maybe(Self::int64),
                    cgroups_path: it.maybe(Self::text).unwrap_or_default(),
                    sysctl: it.map(false, Self::text),
                    net_devices: it.map(false, Self::net_device),
                    rdt: it.maybe(Self::rdt),
                    ..LinuxContainer::default()
                })
            }),
            ..Container::default()
        }
    }

    /// Returns an answer to CreateContainer, with updates of these containers.
    pub fn created(&mut self, others: &[&str]) -> CreateContainerResponse {
        CreateContainerResponse {
            adjust: self.maybe(Self::adjustment),
            update: self.updates(others),
            evict: Vec::new(),
        }
    }

    /// Returns updates of these containers.
    pub fn updates(&mut self, containers: &[&str]) -> Vec<ContainerUpdate> {
        self.list(|it| ContainerUpdate {
            container_id: containers[it.below(containers.len())].to_owned(),
            linux: it.maybe(|it| {
                Box::new(LinuxContainerUpdate { resources: it.maybe(Self::resources) })
            }),
            ignore_failure: it.rng.bool(),
        })
    }

    /// Returns an adjustment.
    pub fn adjustment(&mut self) -> ContainerAdjustment {
        ContainerAdjustment {
            annotations: self.map(true, Self::text),
            mounts: self.list(|it| it.mount(true)),
            env: self.list(|it| KeyValue { key: it.key(true), value: it.text() }),
            hooks: self.maybe(Self::hooks),
            linux: self.maybe(Self::linux),
            rlimits: self.list(Self::rlimit),
            cdi_devices: self.list(|it| CdiDevice { name: it.name() }),
            args: self.arguments(),
        }
    }

    /// Returns the resources of an adjustment or update.
    pub fn resources(&mut self) -> LinuxResources {
        LinuxResources {
            memory: self.maybe(|it| LinuxMemory {
                limit: it.maybe(Self::int64),
                reservation: it.maybe(Self::int64),
                swap: it.maybe(Self::int64),
                kernel: it.maybe(Self::int64),
                kernel_tcp: it.maybe(Self::int64),
                swappiness: it.maybe(Self::uint64),
                disable_oom_killer: it.maybe(Self::boolean),
                use_hierarchy: it.maybe(Self::boolean),
            }),
            cpu: self.maybe(|it| LinuxCpu {
                shares: it.maybe(Self::uint64),
                quota: it.maybe(Self::int64),
                period: it.maybe(Self::uint64),
                realtime_runtime: it.maybe(Self::int64),
                realtime_period: it.maybe(Self::uint64),
                cpus: it.maybe(Self::text).unwrap_or_default(),
                mems: it.maybe(Self::text).unwrap_or_default(),
            }),
            hugepage_limits: self
                .list(|it| HugepageLimit { page_size: it.name(), limit: it.rng.u64(..) }),
            blockio_class: self.maybe(Self::text),
            rdt_class: self.maybe(Self::text),
            unified: self.map(false, Self::text),
            devices: self.list(|it| LinuxDeviceCgroup {
                allow: it.rng.bool(),
                access: it.text(),
                ..LinuxDeviceCgroup::default()
            }),
            pids: self.maybe(|it| LinuxPids { limit: it.rng.i64(..) }),
        }
    }

    fn linux(&mut self) -> LinuxContainerAdjustment {
        LinuxContainerAdjustment {
            devices: self.list(|it| it.device(true)),
            resources: self.maybe(Self::resources),
            cgroups_path: self.maybe(Self::text).unwrap_or_default(),
            oom_score_adj: self.maybe(Self::int64),
            io_priority: self.maybe(|it| LinuxIoPriority {
                class: it.rng.i32(0..4),
                priority: it.rng.i32(0..8),
            }),
            seccomp_policy: self
                .maybe(|it| LinuxSeccomp { listener_path: it.text(), ..LinuxSeccomp::default() }),
            namespaces: self.list(|it| LinuxNamespace { r#type: it.key(true), path: it.text() }),
            sysctl: self.map(true, Self::text),
            net_devices: self.map(true, Self::net_device),
            scheduler: self
                .maybe(|it| LinuxScheduler { nice: it.rng.i32(..), ..LinuxScheduler::default() }),
            rdt: self.maybe(Self::rdt),
            memory_policy: self
                .maybe(|it| LinuxMemoryPolicy { nodes: it.text(), ..LinuxMemoryPolicy::default() }),
        }
    }

    fn arguments(&mut self) -> Vec<String> {
        let mut arguments = self.list(Self::text);
        if !arguments.is_empty() && self.rng.bool() {
            arguments.insert(0, String::new());
        }
        arguments
    }

    fn rdt(&mut self) -> LinuxRdt {
        LinuxRdt {
            clos_id: self.maybe(Self::text),
            schemata: self.maybe(|it| it.list(Self::text)),
            enable_monitoring: self.maybe(Self::boolean),
            remove: self.rng.bool(),
        }
    }

    fn hooks(&mut self) -> Hooks {
        Hooks {
            prestart: self.list(Self::hook),
            create_runtime: self.list(Self::hook),
            create_container: self.list(Self::hook),
            start_container: self.list(Self::hook),
            poststart: self.list(Self::hook),
            poststop: self.list(Self::hook),
        }
    }

    fn hook(&mut self) -> Hook {
        Hook { path: self.text(), ..Hook::default() }
    }

    /// Returns namespaces of different types, because the reference does not define the order of
    /// several of one type.
    fn namespaces(&mut self) -> Vec<LinuxNamespace> {
        let paths: BTreeMap<String, String> = self.map(false, Self::text);
        paths.into_iter().map(|(r#type, path)| LinuxNamespace { r#type, path }).collect()
    }

    fn mount(&mut self, removable: bool) -> Mount {
        Mount { destination: self.key(removable), source: self.text(), ..Mount::default() }
    }

    fn device(&mut self, removable: bool) -> LinuxDevice {
        LinuxDevice { path: self.key(removable), r#type: self.text(), ..LinuxDevice::default() }
    }

    fn net_device(&mut self) -> LinuxNetDevice {
        LinuxNetDevice { name: self.text() }
    }

    fn rlimit(&mut self) -> PosixRlimit {
        PosixRlimit { r#type: self.name(), hard: self.rng.u64(..), soft: self.rng.u64(..) }
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.rng.f64() < self.density.field).then(|| make(self))
    }

    fn list<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut list = Vec::new();
        while let Some(entry) = self.maybe(&mut make) {
            list.push(entry);
        }
        list
    }

    fn map<T>(
        &mut self,
        removable: bool,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> BTreeMap<String, T> {
        self.list(|it| (it.key(removable), make(it))).into_iter().collect()
    }

    /// Returns a name, marked for removal in one of three cases if that is allowed.
    fn key(&mut self, removable: bool) -> String {
        let name = self.name();
        if removable && self.rng.u8(..3) == 0 {
            return marker::mark(&name);
        }
        name
    }

    fn name(&mut self) -> String {
        format!("/name/{}", self.below(self.density.names))
    }

    fn text(&mut self) -> String {
        format!("text {}", self.rng.u8(..))
    }

    fn int64(&mut self) -> i64 {
        self.rng.i64(..)
    }

    fn uint64(&mut self) -> u64 {
        self.rng.u64(..)
    }

    fn boolean(&mut self) -> bool {
        self.rng.bool()
    }
}
