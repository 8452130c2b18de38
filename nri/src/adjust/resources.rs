//! Resources of a new container ([`Adjustment`]) or a running one ([`ContainerUpdate`]).

use crate::adjust::Adjustment;
use crate::api::{
    ContainerUpdate, HugepageLimit, LinuxCpu, LinuxDeviceCgroup, LinuxMemory, LinuxPids,
    LinuxResources,
};

/// Implemented by types that hold resources: [`Adjustment`] for new containers, [`ContainerUpdate`]
/// for running ones, and [`LinuxResources`] itself.
///
/// Each method sets one value and leaves the others unchanged. Setting a value that another plugin
/// has set is a conflict; there is no removal.
///
/// ```
/// use nri::adjust::{Adjustment, SetResources};
/// use nri::api::ContainerUpdate;
///
/// let adjustment = Adjustment::new().cpu_shares(512).memory_limit(64 << 20);
/// let update = ContainerUpdate::new("f00d").cpuset_cpus("0-3");
/// assert!(adjustment.update(update).check().is_ok());
/// ```
pub trait SetResources: Sized + sealed::Sealed {
    /// Returns the resources set so far.
    fn resources_mut(&mut self) -> &mut LinuxResources;

    /// Replaces all resources set so far.
    #[must_use]
    fn resources(mut self, resources: LinuxResources) -> Self {
        *self.resources_mut() = resources;
        self
    }

    /// Sets the memory limit in bytes; -1 means no limit.
    ///
    /// For a new container, the reference runtime (up to v0.12.5) applies only this memory value,
    /// to both memory and swap, and ignores the others. For a running container it applies all of
    /// them.
    #[must_use]
    fn memory_limit(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.limit = Some(bytes))
    }

    /// Sets the soft memory limit in bytes; -1 means no limit.
    #[must_use]
    fn memory_reservation(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.reservation = Some(bytes))
    }

    /// Sets the limit of memory plus swap in bytes; -1 means no limit.
    #[must_use]
    fn memory_swap(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.swap = Some(bytes))
    }

    /// Sets the limit of kernel memory in bytes. Deprecated by the OCI runtime specification and
    /// ignored on cgroup v2.
    #[must_use]
    fn memory_kernel(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.kernel = Some(bytes))
    }

    /// Sets the limit of TCP buffer memory in bytes, on cgroup v1.
    #[must_use]
    fn memory_kernel_tcp(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.kernel_tcp = Some(bytes))
    }

    /// Sets the kernel's tendency to swap, 0 to 100, on cgroup v1.
    #[must_use]
    fn memory_swappiness(self, swappiness: u64) -> Self {
        set_memory(self, |memory| memory.swappiness = Some(swappiness))
    }

    /// Disables the OOM killer for the container, on cgroup v1.
    #[must_use]
    fn disable_oom_killer(self) -> Self {
        set_memory(self, |memory| memory.disable_oom_killer = Some(true))
    }

    /// Enables hierarchical memory accounting, on cgroup v1.
    #[must_use]
    fn use_hierarchy(self) -> Self {
        set_memory(self, |memory| memory.use_hierarchy = Some(true))
    }

    /// Sets the relative CPU weight, 2 to 262144.
    #[must_use]
    fn cpu_shares(self, shares: u64) -> Self {
        set_cpu(self, |cpu| cpu.shares = Some(shares))
    }

    /// Sets the CPU time in microseconds per [period](Self::cpu_period); -1 means no limit.
    #[must_use]
    fn cpu_quota(self, microseconds: i64) -> Self {
        set_cpu(self, |cpu| cpu.quota = Some(microseconds))
    }

    /// Sets the period of the [quota](Self::cpu_quota) in microseconds.
    #[must_use]
    fn cpu_period(self, microseconds: u64) -> Self {
        set_cpu(self, |cpu| cpu.period = Some(microseconds))
    }

    /// Sets the realtime CPU time in microseconds per [realtime period](Self::cpu_realtime_period).
    #[must_use]
    fn cpu_realtime_runtime(self, microseconds: i64) -> Self {
        set_cpu(self, |cpu| cpu.realtime_runtime = Some(microseconds))
    }

    /// Sets the period of realtime CPU time in microseconds.
    #[must_use]
    fn cpu_realtime_period(self, microseconds: u64) -> Self {
        set_cpu(self, |cpu| cpu.realtime_period = Some(microseconds))
    }

    /// Sets the CPUs to run on, in the kernel's list format, such as `0-3,8`.
    #[must_use]
    fn cpuset_cpus(self, cpus: impl Into<String>) -> Self {
        set_cpu(self, |cpu| cpu.cpus = cpus.into())
    }

    /// Sets the NUMA nodes to allocate memory from, in the kernel's list format, such as `0,2`.
    #[must_use]
    fn cpuset_mems(self, mems: impl Into<String>) -> Self {
        set_cpu(self, |cpu| cpu.mems = mems.into())
    }

    /// Sets the maximum number of processes and threads of the container. Since v0.7.0.
    #[must_use]
    fn pids_limit(mut self, limit: i64) -> Self {
        self.resources_mut().pids = Some(LinuxPids { limit });
        self
    }

    /// Sets the maximum size in bytes of huge pages of this size, such as `2MB`.
    #[must_use]
    fn hugepage_limit(mut self, page_size: impl Into<String>, bytes: u64) -> Self {
        let limit = HugepageLimit { page_size: page_size.into(), limit: bytes };
        self.resources_mut().hugepage_limits.push(limit);
        self
    }

    /// Puts the container into a block I/O class from the configuration of the runtime; an empty
    /// name removes it from its class.
    #[must_use]
    fn blockio_class(mut self, class: impl Into<String>) -> Self {
        self.resources_mut().blockio_class = Some(class.into());
        self
    }

    /// Puts the container into an RDT class from the configuration of the runtime; an empty name
    /// removes it from its class.
    #[must_use]
    fn rdt_class(mut self, class: impl Into<String>) -> Self {
        self.resources_mut().rdt_class = Some(class.into());
        self
    }

    /// Writes a file of the container's cgroup on cgroup v2, such as `memory.high`.
    #[must_use]
    fn unified(mut self, file: impl Into<String>, value: impl Into<String>) -> Self {
        self.resources_mut().unified.insert(file.into(), value.into());
        self
    }

    /// Adds a rule to the device cgroup. [`device`](Adjustment::device) already adds the rules for
    /// its device.
    #[must_use]
    fn device_rule(mut self, rule: LinuxDeviceCgroup) -> Self {
        self.resources_mut().devices.push(rule);
        self
    }
}

impl SetResources for LinuxResources {
    fn resources_mut(&mut self) -> &mut LinuxResources {
        self
    }
}

impl SetResources for Adjustment {
    fn resources_mut(&mut self) -> &mut LinuxResources {
        self.linux().resources.get_or_insert_default()
    }
}

impl SetResources for ContainerUpdate {
    fn resources_mut(&mut self) -> &mut LinuxResources {
        self.linux.get_or_insert_default().resources.get_or_insert_default()
    }
}

mod sealed {
    use super::{Adjustment, ContainerUpdate, LinuxResources};

    /// Keeps [`SetResources`](super::SetResources) from being implemented elsewhere, so that it can
    /// get more setters.
    pub trait Sealed {}

    impl Sealed for LinuxResources {}
    impl Sealed for Adjustment {}
    impl Sealed for ContainerUpdate {}
}

fn set_memory<T: SetResources>(mut target: T, set: impl FnOnce(&mut LinuxMemory)) -> T {
    set(target.resources_mut().memory.get_or_insert_default());
    target
}

fn set_cpu<T: SetResources>(mut target: T, set: impl FnOnce(&mut LinuxCpu)) -> T {
    set(target.resources_mut().cpu.get_or_insert_default());
    target
}
