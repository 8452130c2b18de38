//! Constructors for seccomp policies.

use crate::api::{LinuxSeccomp, LinuxSeccompArg, LinuxSyscall};

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
        LinuxSeccomp {
            default_action: default_action.into(),
            ..LinuxSeccomp::default()
        }
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
        self.errno_ret = Some(errno.into());
        self
    }

    /// Limits the rule to calls with a matching argument.
    #[must_use]
    pub fn arg(mut self, arg: LinuxSeccompArg) -> Self {
        self.args.push(arg);
        self
    }
}
