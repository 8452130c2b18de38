//! Adjustments of the Linux part of a container, except resources: devices, namespaces, scheduling,
//! and Resource Director Technology (RDT), which is about cache and memory bandwidth.

use crate::adjust::{Adjustment, marker};
use crate::api::{
    LinuxContainerAdjustment, LinuxDevice, LinuxIoPriority, LinuxMemoryPolicy, LinuxNamespace,
    LinuxNetDevice, LinuxRdt, LinuxScheduler, LinuxSeccomp,
};

impl Adjustment {
    /// Adds a device node. It replaces one that the container already has at this path. The runtime
    /// also allows access to it in the device cgroup.
    ///
    /// ```
    /// use nri::adjust::Adjustment;
    /// use nri::api::LinuxDevice;
    ///
    /// let fuse = LinuxDevice::char("/dev/fuse", 10, 229).mode(0o666);
    /// let adjustment = Adjustment::new().device(fuse);
    /// assert!(adjustment.check().is_ok());
    /// ```
    #[must_use]
    pub fn device(mut self, device: LinuxDevice) -> Self {
        self.linux().devices.push(device);
        self
    }

    /// Removes a device that an earlier plugin has added at this path.
    ///
    /// The reference runtime (up to v0.12.5) does not apply the removal to devices of the container
    /// itself.
    #[must_use]
    pub fn remove_device(self, path: &str) -> Self {
        self.device(LinuxDevice { path: marker::mark(path), ..LinuxDevice::default() })
    }

    /// Adds a device node, even if an earlier plugin has added one at the same path.
    #[must_use]
    pub fn replace_device(self, device: LinuxDevice) -> Self {
        self.remove_device(&device.path).device(device)
    }

    /// Joins a namespace instead of the container's own one of this kind. Since v0.10.0.
    ///
    /// An empty path requests a new namespace. Unlike other fields, removing and adding the same
    /// kind in one adjustment is a conflict.
    #[must_use]
    pub fn namespace(mut self, kind: NamespaceKind, path: impl Into<String>) -> Self {
        self.linux()
            .namespaces
            .push(LinuxNamespace { r#type: kind.as_str().to_owned(), path: path.into() });
        self
    }

    /// Removes the container's own namespace of this kind, so that it shares the namespace of the
    /// runtime. Since v0.10.0.
    #[must_use]
    pub fn remove_namespace(mut self, kind: NamespaceKind) -> Self {
        self.linux()
            .namespaces
            .push(LinuxNamespace { r#type: marker::mark(kind.as_str()), path: String::new() });
        self
    }

    /// Sets a kernel parameter, such as `net.core.somaxconn`.
    #[must_use]
    pub fn sysctl(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.linux().sysctl.insert(name.into(), value.into());
        self
    }

    /// Removes a kernel parameter.
    ///
    /// **Runtimes up to NRI v0.12.2 handle this incorrectly**: the container keeps the parameter
    /// and gets an annotation whose key is `-` followed by the parameter's name. Fixed in v0.12.3.
    /// To support older runtimes, set the desired value; use
    /// [`replace_sysctl`](Self::replace_sysctl) only if another plugin may have set it before.
    #[must_use]
    pub fn remove_sysctl(mut self, name: &str) -> Self {
        self.linux().sysctl.insert(marker::mark(name), String::new());
        self
    }

    /// Sets a kernel parameter, even if an earlier plugin has set it.
    ///
    /// Up to NRI v0.12.2 this leaves an annotation behind, see
    /// [`remove_sysctl`](Self::remove_sysctl).
    #[must_use]
    pub fn replace_sysctl(self, name: &str, value: impl Into<String>) -> Self {
        self.remove_sysctl(name).sysctl(name, value)
    }

    /// Moves a network device of the host into the container, and renames it unless `name` is
    /// empty.
    #[must_use]
    pub fn net_device(mut self, host_name: impl Into<String>, name: impl Into<String>) -> Self {
        self.linux().net_devices.insert(host_name.into(), LinuxNetDevice { name: name.into() });
        self
    }

    /// Keeps a network device on the host.
    #[must_use]
    pub fn remove_net_device(mut self, host_name: &str) -> Self {
        self.linux().net_devices.insert(marker::mark(host_name), LinuxNetDevice::default());
        self
    }

    /// Moves a network device of the host into the container, even if an earlier plugin does so.
    #[must_use]
    pub fn replace_net_device(self, host_name: &str, name: impl Into<String>) -> Self {
        self.remove_net_device(host_name).net_device(host_name, name)
    }

    /// Sets the path of the container's cgroup, in the notation of the runtime's cgroup driver.
    #[must_use]
    pub fn cgroups_path(mut self, path: impl Into<String>) -> Self {
        self.linux().cgroups_path = path.into();
        self
    }

    /// Sets the score of the container for the kernel's OOM killer, from -1000 (never killed) to
    /// 1000 (killed first).
    ///
    /// A containerd that runs with `restrict_oom_score_adj` rejects values below its own.
    #[must_use]
    pub fn oom_score_adj(mut self, score: i64) -> Self {
        self.linux().oom_score_adj = Some(score);
        self
    }

    /// Sets the class and level of I/O scheduling.
    #[must_use]
    pub fn io_priority(mut self, priority: LinuxIoPriority) -> Self {
        self.linux().io_priority = Some(priority);
        self
    }

    /// Replaces the whole seccomp policy.
    #[must_use]
    pub fn seccomp_policy(mut self, policy: LinuxSeccomp) -> Self {
        self.linux().seccomp_policy = Some(policy);
        self
    }

    /// Sets the scheduling policy and its parameters.
    #[must_use]
    pub fn scheduler(mut self, scheduler: LinuxScheduler) -> Self {
        self.linux().scheduler = Some(scheduler);
        self
    }

    /// Sets the NUMA nodes that the container's memory comes from. Runtimes before v0.12.0 ignore
    /// it.
    #[must_use]
    pub fn memory_policy(mut self, policy: LinuxMemoryPolicy) -> Self {
        self.linux().memory_policy = Some(policy);
        self
    }

    /// Puts the container into this RDT class of service.
    #[must_use]
    pub fn rdt_clos(mut self, id: impl Into<String>) -> Self {
        self.rdt().clos_id = Some(id.into());
        self
    }

    /// Sets the RDT schemata of the container's class of service, one per line, such as `L3:0=ff`.
    #[must_use]
    pub fn rdt_schemata<S: Into<String>>(mut self, lines: impl IntoIterator<Item = S>) -> Self {
        let value = lines.into_iter().map(Into::into).collect();
        self.rdt().schemata = Some(value);
        self
    }

    /// Turns monitoring of the container's cache and memory bandwidth on or off.
    #[must_use]
    pub fn rdt_monitoring(mut self, enable: bool) -> Self {
        self.rdt().enable_monitoring = Some(enable);
        self
    }

    /// Removes the RDT settings of the container and of earlier plugins. Settings of this
    /// adjustment stay.
    #[must_use]
    pub fn remove_rdt(mut self) -> Self {
        self.rdt().remove = true;
        self
    }

    pub(super) fn linux(&mut self) -> &mut LinuxContainerAdjustment {
        self.adjust.linux.get_or_insert_default()
    }

    fn rdt(&mut self) -> &mut LinuxRdt {
        self.linux().rdt.get_or_insert_default()
    }
}

/// A kind of Linux namespace, named as in the OCI runtime specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NamespaceKind {
    /// Control groups.
    Cgroup,
    /// System V IPC and POSIX message queues.
    Ipc,
    /// Mounts.
    Mount,
    /// Network.
    Network,
    /// Processes.
    Pid,
    /// Clocks.
    Time,
    /// Users and groups.
    User,
    /// Host and domain name.
    Uts,
}

impl NamespaceKind {
    /// All kinds, in the order of their names.
    pub const ALL: &'static [Self] = &[
        Self::Cgroup,
        Self::Ipc,
        Self::Mount,
        Self::Network,
        Self::Pid,
        Self::Time,
        Self::User,
        Self::Uts,
    ];

    /// Returns the name in messages and in OCI configurations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cgroup => "cgroup",
            Self::Ipc => "ipc",
            Self::Mount => "mount",
            Self::Network => "network",
            Self::Pid => "pid",
            Self::Time => "time",
            Self::User => "user",
            Self::Uts => "uts",
        }
    }

    /// Returns the kind with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }
}
