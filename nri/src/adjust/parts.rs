//! Constructors for the parts of answers: mounts, devices, seccomp policies, scheduling, memory
//! policies, limits, updates and evictions.

use crate::api::{
    ContainerEviction, ContainerUpdate, IoPrioClass, LinuxDevice, LinuxDeviceCgroup,
    LinuxIoPriority, LinuxMemoryPolicy, LinuxScheduler, LinuxSchedulerFlag, LinuxSchedulerPolicy,
    LinuxSeccomp, LinuxSeccompArg, LinuxSyscall, Mount, MpolFlag, MpolMode, PosixRlimit,
};

impl Mount {
    /// Creates a mount of this filesystem type.
    pub fn new(
        r#type: impl Into<String>,
        source: impl Into<String>,
        destination: impl Into<String>,
    ) -> Self {
        Mount {
            destination: destination.into(),
            r#type: r#type.into(),
            source: source.into(),
            options: Vec::new(),
        }
    }

    /// Creates a recursive bind mount of a file or folder of the host.
    ///
    /// ```
    /// use nri::api::Mount;
    ///
    /// let mount = Mount::bind("/srv/data", "/data").read_only().option("nosuid");
    /// assert_eq!(mount.options, ["rbind", "ro", "nosuid"]);
    /// ```
    pub fn bind(source: impl Into<String>, destination: impl Into<String>) -> Self {
        Self::new("bind", source, destination).option("rbind")
    }

    /// Creates a mount of an empty in-memory filesystem.
    pub fn tmpfs(destination: impl Into<String>) -> Self {
        Self::new("tmpfs", "tmpfs", destination)
    }

    /// Adds a [mount
    /// option](https://github.com/opencontainers/runtime-spec/blob/main/config.md#linux-mount-options).
    #[must_use]
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Adds the option `ro`.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.option("ro")
    }

    /// Adds the pseudo-option `relabel`, which asks the runtime to relabel the source for SELinux.
    #[must_use]
    pub fn selinux_relabel(self) -> Self {
        self.option("relabel")
    }
}

impl LinuxDevice {
    /// Creates a character device.
    ///
    /// ```
    /// use nri::api::LinuxDevice;
    ///
    /// let device = LinuxDevice::char("/dev/kvm", 10, 232).mode(0o660).owner(0, 108);
    /// assert_eq!((device.r#type.as_str(), device.access()), ("c", "rw"));
    /// ```
    pub fn char(path: impl Into<String>, major: i64, minor: i64) -> Self {
        LinuxDevice {
            path: path.into(),
            r#type: "c".to_owned(),
            major,
            minor,
            ..LinuxDevice::default()
        }
    }

    /// Creates a block device.
    pub fn block(path: impl Into<String>, major: i64, minor: i64) -> Self {
        LinuxDevice { r#type: "b".to_owned(), ..Self::char(path, major, minor) }
    }

    /// Creates a named pipe.
    pub fn fifo(path: impl Into<String>) -> Self {
        LinuxDevice { path: path.into(), r#type: "p".to_owned(), ..LinuxDevice::default() }
    }

    /// Sets the permissions of the node, such as `0o660`.
    #[must_use]
    pub fn mode(mut self, permissions: u32) -> Self {
        self.file_mode = Some(permissions);
        self
    }

    /// Sets the owner and group of the node, as seen in the container.
    #[must_use]
    pub fn owner(mut self, uid: u32, gid: u32) -> Self {
        self.uid = Some(uid);
        self.gid = Some(gid);
        self
    }

    /// Returns the access that the runtime allows in the device cgroup: `rw`, or `rwm` for a block
    /// device.
    pub fn access(&self) -> &'static str {
        if self.r#type == "b" { "rwm" } else { "rw" }
    }
}

impl LinuxDeviceCgroup {
    /// Creates a rule that allows access (any of `r`, `w` and `m`) to devices of a type (`a`, `b`
    /// or `c`); a number of `None` means any.
    pub fn allow(r#type: &str, major: Option<i64>, minor: Option<i64>, access: &str) -> Self {
        LinuxDeviceCgroup {
            allow: true,
            r#type: r#type.to_owned(),
            major,
            minor,
            access: access.to_owned(),
        }
    }

    /// Creates a rule that denies what [`allow`](Self::allow) would allow.
    pub fn deny(r#type: &str, major: Option<i64>, minor: Option<i64>, access: &str) -> Self {
        LinuxDeviceCgroup { allow: false, ..Self::allow(r#type, major, minor, access) }
    }
}

impl LinuxSeccomp {
    /// Creates a policy with the action for calls that match no rule, such as `SCMP_ACT_ERRNO`.
    /// Actions are named as in the [OCI runtime
    /// specification](https://github.com/opencontainers/runtime-spec/blob/main/config-linux.md#seccomp).
    ///
    /// ```
    /// use nri::api::{LinuxSeccomp, LinuxSyscall};
    ///
    /// let policy = LinuxSeccomp::new("SCMP_ACT_ALLOW")
    ///     .architecture("SCMP_ARCH_X86_64")
    ///     .rule(LinuxSyscall::new("SCMP_ACT_ERRNO", ["mount", "umount2"]).errno(1));
    /// assert_eq!(policy.syscalls[0].names.len(), 2);
    /// ```
    pub fn new(default_action: impl Into<String>) -> Self {
        LinuxSeccomp { default_action: default_action.into(), ..LinuxSeccomp::default() }
    }

    /// Adds an architecture, such as `SCMP_ARCH_X86_64`.
    #[must_use]
    pub fn architecture(mut self, architecture: impl Into<String>) -> Self {
        self.architectures.push(architecture.into());
        self
    }

    /// Adds a flag, such as `SECCOMP_FILTER_FLAG_LOG`.
    #[must_use]
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Adds a rule.
    #[must_use]
    pub fn rule(mut self, rule: LinuxSyscall) -> Self {
        self.syscalls.push(rule);
        self
    }
}

impl LinuxSyscall {
    /// Creates a rule with an action for these system calls.
    pub fn new<S: Into<String>>(
        action: impl Into<String>,
        names: impl IntoIterator<Item = S>,
    ) -> Self {
        LinuxSyscall {
            names: names.into_iter().map(Into::into).collect(),
            action: action.into(),
            ..LinuxSyscall::default()
        }
    }

    /// Sets the error number that a rejected call returns.
    #[must_use]
    pub fn errno(mut self, errno: u32) -> Self {
        self.errno_ret = Some(errno);
        self
    }

    /// Limits the rule to calls with a matching argument.
    #[must_use]
    pub fn arg(mut self, arg: LinuxSeccompArg) -> Self {
        self.args.push(arg);
        self
    }
}

impl LinuxScheduler {
    /// Creates a scheduler with this policy and nothing else set. See
    /// [sched(7)](https://man7.org/linux/man-pages/man7/sched.7.html).
    pub fn new(policy: LinuxSchedulerPolicy) -> Self {
        LinuxScheduler { policy: policy.into(), ..LinuxScheduler::default() }
    }

    /// Creates the default policy with a nice value from -20 (highest priority) to 19 (lowest).
    pub fn other(nice: i32) -> Self {
        LinuxScheduler { nice, ..Self::new(LinuxSchedulerPolicy::SchedOther) }
    }

    /// Creates the policy for non-interactive work, with a nice value from -20 to 19.
    pub fn batch(nice: i32) -> Self {
        LinuxScheduler { nice, ..Self::new(LinuxSchedulerPolicy::SchedBatch) }
    }

    /// Creates the policy for work that runs only when the CPU is otherwise idle.
    pub fn idle() -> Self {
        Self::new(LinuxSchedulerPolicy::SchedIdle)
    }

    /// Creates the realtime first-in-first-out policy, with a priority from 1 to 99.
    pub fn fifo(priority: i32) -> Self {
        LinuxScheduler { priority, ..Self::new(LinuxSchedulerPolicy::SchedFifo) }
    }

    /// Creates the realtime round-robin policy, with a priority from 1 to 99.
    pub fn round_robin(priority: i32) -> Self {
        LinuxScheduler { priority, ..Self::new(LinuxSchedulerPolicy::SchedRr) }
    }

    /// Creates the deadline policy, which guarantees `runtime` until the deadline of each period,
    /// all in nanoseconds.
    pub fn deadline_within(runtime: u64, deadline: u64, period: u64) -> Self {
        LinuxScheduler {
            runtime,
            deadline,
            period,
            ..Self::new(LinuxSchedulerPolicy::SchedDeadline)
        }
    }

    /// Adds a flag.
    #[must_use]
    pub fn flag(mut self, flag: LinuxSchedulerFlag) -> Self {
        self.flags.push(flag.into());
        self
    }
}

impl LinuxIoPriority {
    /// Creates an I/O priority from a class and a level from 0 (highest) to 7 (lowest). See
    /// [ioprio_set(2)](https://man7.org/linux/man-pages/man2/ioprio_set.2.html).
    pub fn new(class: IoPrioClass, level: i32) -> Self {
        LinuxIoPriority { class: class.into(), priority: level }
    }
}

impl LinuxMemoryPolicy {
    /// Creates a policy for NUMA nodes in the kernel's list format, such as `0-1,3`. See
    /// [set_mempolicy(2)](https://man7.org/linux/man-pages/man2/set_mempolicy.2.html).
    ///
    /// ```
    /// use nri::adjust::Adjustment;
    /// use nri::api::{LinuxMemoryPolicy, MpolMode};
    ///
    /// let spread = LinuxMemoryPolicy::new(MpolMode::MpolInterleave, "0-1");
    /// assert!(Adjustment::new().memory_policy(spread).check().is_ok());
    /// ```
    pub fn new(mode: MpolMode, nodes: impl Into<String>) -> Self {
        LinuxMemoryPolicy { mode: mode.into(), nodes: nodes.into(), flags: Vec::new() }
    }

    /// Adds a flag.
    #[must_use]
    pub fn flag(mut self, flag: MpolFlag) -> Self {
        self.flags.push(flag.into());
        self
    }
}

impl PosixRlimit {
    /// The value that means no limit.
    pub const INFINITY: u64 = u64::MAX;

    /// Creates a limit of this type, such as `RLIMIT_NOFILE`, with both values unlimited.
    ///
    /// ```
    /// use nri::api::PosixRlimit;
    ///
    /// let limit = PosixRlimit::new("RLIMIT_NOFILE").soft(1024).hard(4096);
    /// assert_eq!((limit.soft, limit.hard), (1024, 4096));
    /// ```
    pub fn new(r#type: impl Into<String>) -> Self {
        PosixRlimit { r#type: r#type.into(), hard: Self::INFINITY, soft: Self::INFINITY }
    }

    /// Sets the soft limit, which is in effect. The process may raise it up to the hard limit.
    #[must_use]
    pub fn soft(mut self, soft: u64) -> Self {
        self.soft = soft;
        self
    }

    /// Sets the hard limit, up to which the process may raise the soft limit.
    #[must_use]
    pub fn hard(mut self, hard: u64) -> Self {
        self.hard = hard;
        self
    }
}

impl ContainerUpdate {
    /// Creates an update of the container with this id, which changes nothing yet.
    ///
    /// ```
    /// use nri::adjust::SetResources;
    /// use nri::api::ContainerUpdate;
    ///
    /// let update = ContainerUpdate::new("f00d").cpu_shares(1024).unified("memory.high", "1G").ignore_failure();
    /// assert!(update.ignore_failure);
    /// ```
    pub fn new(container_id: impl Into<String>) -> Self {
        ContainerUpdate { container_id: container_id.into(), ..ContainerUpdate::default() }
    }

    /// Lets the request succeed even if this update fails.
    #[must_use]
    pub fn ignore_failure(mut self) -> Self {
        self.ignore_failure = true;
        self
    }
}

impl ContainerEviction {
    /// Creates the eviction of the container with this id, for this reason.
    pub fn new(container_id: impl Into<String>, reason: impl Into<String>) -> Self {
        ContainerEviction { container_id: container_id.into(), reason: reason.into() }
    }
}
