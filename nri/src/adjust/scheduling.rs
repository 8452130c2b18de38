//! CPU and I/O scheduling, memory policy and POSIX limits in a few words.

use crate::api::{
    IoPrioClass, LinuxIoPriority, LinuxMemoryPolicy, LinuxScheduler, LinuxSchedulerFlag,
    LinuxSchedulerPolicy, MpolFlag, MpolMode, PosixRlimit,
};

impl LinuxScheduler {
    /// A scheduler of this policy, with nothing else set. See [sched(7)](https://man7.org/linux/man-pages/man7/sched.7.html).
    pub fn new(policy: LinuxSchedulerPolicy) -> Self {
        LinuxScheduler {
            policy: policy.into(),
            ..LinuxScheduler::default()
        }
    }

    /// The ordinary policy, at a nice value of -20 (most) to 19 (least).
    pub fn other(nice: i32) -> Self {
        LinuxScheduler {
            nice,
            ..Self::new(LinuxSchedulerPolicy::SchedOther)
        }
    }

    /// For work that never waits for a user, at a nice value of -20 to 19.
    pub fn batch(nice: i32) -> Self {
        LinuxScheduler {
            nice,
            ..Self::new(LinuxSchedulerPolicy::SchedBatch)
        }
    }

    /// Only when nothing else wants to run.
    pub fn idle() -> Self {
        Self::new(LinuxSchedulerPolicy::SchedIdle)
    }

    /// Realtime, first in first out, at a priority of 1 to 99.
    pub fn fifo(priority: i32) -> Self {
        LinuxScheduler {
            priority,
            ..Self::new(LinuxSchedulerPolicy::SchedFifo)
        }
    }

    /// Realtime, round robin, at a priority of 1 to 99.
    pub fn round_robin(priority: i32) -> Self {
        LinuxScheduler {
            priority,
            ..Self::new(LinuxSchedulerPolicy::SchedRr)
        }
    }

    /// So much run time until the deadline of each period, all in nanoseconds.
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
    /// A class, and within it a level of 0 (first) to 7 (last).
    /// See [ioprio_set(2)](https://man7.org/linux/man-pages/man2/ioprio_set.2.html).
    pub fn new(class: IoPrioClass, level: i32) -> Self {
        LinuxIoPriority {
            class: class.into(),
            priority: level,
        }
    }
}

impl LinuxMemoryPolicy {
    /// A policy over NUMA nodes, listed as the kernel does: `0-1,3`.
    /// See [set_mempolicy(2)](https://man7.org/linux/man-pages/man2/set_mempolicy.2.html).
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
    /// No limit, for either value.
    pub const INFINITY: u64 = u64::MAX;

    /// Makes a limit of this type, such as `RLIMIT_NOFILE`, with neither value limited.
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

    /// Sets the value that applies. The process may raise it up to the hard one.
    #[must_use]
    pub fn soft(mut self, soft: u64) -> Self {
        self.soft = soft;
        self
    }

    /// Sets the highest value that the process may give itself.
    #[must_use]
    pub fn hard(mut self, hard: u64) -> Self {
        self.hard = hard;
        self
    }
}
