//! Resources of a container: the same for a new one ([`Adjustment`]) and a running one ([`ContainerUpdate`]).

use crate::adjust::Adjustment;
use crate::api::{
    ContainerUpdate, HugepageLimit, LinuxCpu, LinuxDeviceCgroup, LinuxMemory, LinuxPids,
    LinuxResources,
};

/// Implemented by types that hold resources: [`Adjustment`] for a container to be created, [`ContainerUpdate`] for one that runs, and
/// [`LinuxResources`] themselves.
///
/// Each method sets one value and leaves the others as the container has them. A value that another plugin has set
/// before is a conflict; there is no removal.
///
/// ```
/// use nri::adjust::{Adjustment, SetResources};
/// use nri::api::ContainerUpdate;
///
/// let adjustment = Adjustment::new().cpu_shares(512).memory_limit(64 << 20);
/// let update = ContainerUpdate::new("f00d").cpuset_cpus("0-3");
/// assert!(adjustment.update(update).check().is_ok());
/// ```
pub trait SetResources: Sized {
    /// The resources set so far.
    fn resources_mut(&mut self) -> &mut LinuxResources;

    /// Sets all resources, in place of those set so far.
    #[must_use]
    fn resources(mut self, resources: LinuxResources) -> Self {
        *self.resources_mut() = resources;
        self
    }

    /// Memory limit in bytes; -1 is none.
    ///
    /// For a new container the reference runtime applies this one memory value only, to memory and swap together, and
    /// leaves the other ones out (up to v0.12.5); for a running one it hands all of them on.
    #[must_use]
    fn memory_limit(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.limit = Some(bytes.into()))
    }

    /// Soft memory limit in bytes; -1 is none.
    #[must_use]
    fn memory_reservation(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.reservation = Some(bytes.into()))
    }

    /// Limit of memory and swap together in bytes; -1 is none.
    #[must_use]
    fn memory_swap(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.swap = Some(bytes.into()))
    }

    /// Limit of kernel memory in bytes. Deprecated by the OCI runtime specification and ignored on cgroup v2.
    #[must_use]
    fn memory_kernel(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.kernel = Some(bytes.into()))
    }

    /// Limit of TCP buffer memory in bytes, on cgroup v1.
    #[must_use]
    fn memory_kernel_tcp(self, bytes: i64) -> Self {
        set_memory(self, |memory| memory.kernel_tcp = Some(bytes.into()))
    }

    /// How readily the kernel swaps, 0 to 100, on cgroup v1.
    #[must_use]
    fn memory_swappiness(self, swappiness: u64) -> Self {
        set_memory(self, |memory| memory.swappiness = Some(swappiness.into()))
    }

    /// Turns the OOM killer off for the container, on cgroup v1.
    #[must_use]
    fn disable_oom_killer(self) -> Self {
        set_memory(self, |memory| memory.disable_oom_killer = Some(true.into()))
    }

    /// Accounts memory by hierarchy, on cgroup v1.
    #[must_use]
    fn use_hierarchy(self) -> Self {
        set_memory(self, |memory| memory.use_hierarchy = Some(true.into()))
    }

    /// Relative CPU weight, 2 to 262144.
    #[must_use]
    fn cpu_shares(self, shares: u64) -> Self {
        set_cpu(self, |cpu| cpu.shares = Some(shares.into()))
    }

    /// CPU time in microseconds a [period](Self::cpu_period); -1 is no limit.
    #[must_use]
    fn cpu_quota(self, microseconds: i64) -> Self {
        set_cpu(self, |cpu| cpu.quota = Some(microseconds.into()))
    }

    /// Period of the [quota](Self::cpu_quota), in microseconds.
    #[must_use]
    fn cpu_period(self, microseconds: u64) -> Self {
        set_cpu(self, |cpu| cpu.period = Some(microseconds.into()))
    }

    /// Realtime CPU time in microseconds a [realtime period](Self::cpu_realtime_period).
    #[must_use]
    fn cpu_realtime_runtime(self, microseconds: i64) -> Self {
        set_cpu(self, |cpu| cpu.realtime_runtime = Some(microseconds.into()))
    }

    /// Period of realtime CPU time, in microseconds.
    #[must_use]
    fn cpu_realtime_period(self, microseconds: u64) -> Self {
        set_cpu(self, |cpu| cpu.realtime_period = Some(microseconds.into()))
    }

    /// The CPUs to run on, as the kernel lists them: `0-3,8`.
    #[must_use]
    fn cpuset_cpus(self, cpus: impl Into<String>) -> Self {
        set_cpu(self, |cpu| cpu.cpus = cpus.into())
    }

    /// The NUMA nodes to take memory from, as the kernel lists them: `0,2`.
    #[must_use]
    fn cpuset_mems(self, mems: impl Into<String>) -> Self {
        set_cpu(self, |cpu| cpu.mems = mems.into())
    }

    /// The most processes and threads the container may have. Since v0.7.0.
    #[must_use]
    fn pids_limit(mut self, limit: i64) -> Self {
        self.resources_mut().pids = Some(LinuxPids { limit });
        self
    }

    /// The most bytes of huge pages of this size, `2MB`.
    #[must_use]
    fn hugepage_limit(mut self, page_size: impl Into<String>, bytes: u64) -> Self {
        let limit = HugepageLimit {
            page_size: page_size.into(),
            limit: bytes,
        };
        self.resources_mut().hugepage_limits.push(limit);
        self
    }

    /// Puts the container into a block I/O class that the runtime has configured; an empty one takes it out.
    #[must_use]
    fn blockio_class(mut self, class: impl Into<String>) -> Self {
        self.resources_mut().blockio_class = Some(class.into().into());
        self
    }

    /// Puts the container into an RDT class that the runtime has configured; an empty one takes it out.
    #[must_use]
    fn rdt_class(mut self, class: impl Into<String>) -> Self {
        self.resources_mut().rdt_class = Some(class.into().into());
        self
    }

    /// Writes a file of the container's cgroup on cgroup v2, `memory.high`.
    #[must_use]
    fn unified(mut self, file: impl Into<String>, value: impl Into<String>) -> Self {
        self.resources_mut()
            .unified
            .insert(file.into(), value.into());
        self
    }

    /// Adds a rule of the device cgroup. Needed only beyond what [`device`](Adjustment::device) brings by itself.
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
        self.linux
            .get_or_insert_default()
            .resources
            .get_or_insert_default()
    }
}

fn set_memory<T: SetResources>(mut target: T, set: impl FnOnce(&mut LinuxMemory)) -> T {
    set(target.resources_mut().memory.get_or_insert_default());
    target
}

fn set_cpu<T: SetResources>(mut target: T, set: impl FnOnce(&mut LinuxCpu)) -> T {
    set(target.resources_mut().cpu.get_or_insert_default());
    target
}
