//! The seccomp policy of a container.

use oci_spec::runtime::{
    LinuxSeccomp as OciSeccomp, LinuxSeccompArg as OciArg, LinuxSyscall as OciSyscall,
};

use super::{each, text};
use nri::api::{LinuxSeccomp, LinuxSeccompArg, LinuxSyscall};
use nri::optional::Optional;

pub(super) fn policy(policy: &OciSeccomp) -> LinuxSeccomp {
    LinuxSeccomp {
        default_action: policy.default_action().to_string(),
        default_errno: Optional::of(policy.default_errno_ret()),
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
        errno_ret: Optional::of(syscall.errno_ret()),
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
