//! The seccomp policy, which replaces that of the spec.

use std::str::FromStr;

use oci_spec::runtime::{
    LinuxSeccomp as OciSeccomp, LinuxSeccompArg as OciArg, LinuxSeccompArgBuilder as OciArgBuilder,
    LinuxSeccompOperator, LinuxSyscall as OciSyscall, Spec,
};

use crate::oci::error::Error;
use crate::oci::parts::{self, built, filled, nonzero, parse, some};
use nri::api::{LinuxSeccomp, LinuxSeccompArg, LinuxSyscall};

const ACTION: &str = "an action such as SCMP_ACT_ERRNO";

pub(super) fn apply(spec: &mut Spec, asked: Option<&LinuxSeccomp>) -> Result<(), Error> {
    let Some(asked) = asked else {
        return Ok(());
    };
    let policy = policy(asked)?;
    parts::linux(spec).set_seccomp(Some(policy));
    Ok(())
}

fn policy(asked: &LinuxSeccomp) -> Result<OciSeccomp, Error> {
    let field = |name: &str| format!("linux.seccomp_policy.{name}");
    let mut policy = OciSeccomp::default();
    policy
        .set_default_action(parse(&asked.default_action, ACTION, || field("default_action"))?)
        .set_default_errno_ret(asked.default_errno)
        .set_architectures(names(
            &asked.architectures,
            "an architecture such as SCMP_ARCH_X86_64",
            &field("architectures"),
        )?)
        .set_flags(names(&asked.flags, "a flag such as SECCOMP_FILTER_FLAG_LOG", &field("flags"))?)
        .set_listener_path(filled(&asked.listener_path))
        .set_listener_metadata(filled(&asked.listener_metadata));
    let syscalls = asked
        .syscalls
        .iter()
        .enumerate()
        .map(|(index, it)| syscall(it, &field(&format!("syscalls[{index}]"))))
        .collect::<Result<_, _>>()?;
    policy.set_syscalls(some(syscalls));
    Ok(policy)
}

fn names<T: FromStr>(
    asked: &[String],
    expected: &'static str,
    field: &str,
) -> Result<Option<Vec<T>>, Error> {
    let names = asked
        .iter()
        .enumerate()
        .map(|(index, name)| parse(name, expected, || format!("{field}[{index}]")))
        .collect::<Result<_, _>>()?;
    Ok(some(names))
}

fn syscall(asked: &LinuxSyscall, field: &str) -> Result<OciSyscall, Error> {
    let args: Result<_, _> = asked
        .args
        .iter()
        .enumerate()
        .map(|(index, it)| argument(it, || format!("{field}.args[{index}].op")))
        .collect();
    let mut syscall = OciSyscall::default();
    syscall
        .set_names(asked.names.clone())
        .set_action(parse(&asked.action, ACTION, || format!("{field}.action"))?)
        .set_errno_ret(asked.errno_ret)
        .set_args(some(args?));
    Ok(syscall)
}

fn argument(asked: &LinuxSeccompArg, field: impl Fn() -> String) -> Result<OciArg, Error> {
    let op: LinuxSeccompOperator = parse(&asked.op, "an operator such as SCMP_CMP_EQ", &field)?;
    // A usize has at least 32 bits on every platform that runs containers.
    let mut builder =
        OciArgBuilder::default().index(asked.index as usize).value(asked.value).op(op);
    if let Some(value) = nonzero(asked.value_two) {
        builder = builder.value_two(value);
    }
    built(builder.build(), field)
}
