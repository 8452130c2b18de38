//! Constructors for CPU and I/O scheduling, memory policies and POSIX limits.

use crate::api::{
    IoPrioClass, LinuxIoPriority, LinuxMemoryPolicy, LinuxScheduler, LinuxSchedulerFlag,
    LinuxSchedulerPolicy, MpolFlag, MpolMode, PosixRlimit,
};

impl LinuxScheduler {
    /// Creates a scheduler with this policy and nothing else set. See
    /// [sched(7)](https://man7.org/linux/man-pages/man7/sched.7.html).
    pub fn new(policy: LinuxSchedulerPolicy) -> Self {
        LinuxScheduler {
            policy: policy.into(),
            ..LinuxScheduler::default()
        }
    }

    /// Creates the default policy with a nice value from -20 (highest priority) to 19 (lowest).
    pub fn other(nice: i32) -> Self {
        LinuxScheduler {
            nice,
            ..Self::new(LinuxSchedulerPolicy::SchedOther)
        }
    }

    /// Creates the policy for non-interactive work, with a nice value from -20 to 19.
    pub fn batch(nice: i32) -> Self {
        LinuxScheduler {
            nice,
            ..Self::new(LinuxSchedulerPolicy::SchedBatch)
        }
    }

    /// Creates the policy for work that runs only when the CPU is otherwise idle.
    pub fn idle() -> Self {
        Self::new(LinuxSchedulerPolicy::SchedIdle)
    }

    /// Creates the realtime first-in-first-out policy, with a priority from 1 to 99.
    pub fn fifo(priority: i32) -> Self {
        LinuxScheduler {
            priority,
            ..Self::new(LinuxSchedulerPolicy::SchedFifo)
        }
    }

    /// Creates the realtime round-robin policy, with a priority from 1 to 99.
    pub fn round_robin(priority: i32) -> Self {
        LinuxScheduler {
            priority,
            ..Self::new(LinuxSchedulerPolicy::SchedRr)
        }
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
        LinuxIoPriority {
            class: class.into(),
            priority: level,
        }
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
        LinuxMemoryPolicy {
            mode: mode.into(),
            nodes: nodes.into(),
            flags: Vec::new(),
        }
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
        PosixRlimit {
            r#type: r#type.into(),
            hard: Self::INFINITY,
            soft: Self::INFINITY,
        }
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
