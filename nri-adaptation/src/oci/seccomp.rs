//! The seccomp policy, which replaces that of the spec.

use std::str::FromStr;

use oci_spec::runtime::{
    LinuxSeccomp as OciSeccomp, LinuxSeccompArg as OciArg, LinuxSeccompArgBuilder as OciArgBuilder,
    LinuxSeccompOperator, LinuxSyscall as OciSyscall, Spec,
};

use crate::oci::error::Error;
use crate::oci::names::{built, filled, nonzero, parse, some};
use crate::oci::parts;
use nri::api::{LinuxSeccomp, LinuxSeccompArg, LinuxSyscall};
use nri::optional::Optional;

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
    let LinuxSeccomp {
        default_action,
        default_errno,
        architectures,
        flags,
        listener_path,
        listener_metadata,
        syscalls,
    } = asked;
    let field = |name: &str| format!("linux.seccomp_policy.{name}");
    let mut policy = OciSeccomp::default();
    policy
        .set_default_action(parse(default_action, ACTION, || field("default_action"))?)
        .set_default_errno_ret(default_errno.get())
        .set_architectures(names(
            architectures,
            "an architecture such as SCMP_ARCH_X86_64",
            &field("architectures"),
        )?)
        .set_flags(names(
            flags,
            "a flag such as SECCOMP_FILTER_FLAG_LOG",
            &field("flags"),
        )?)
        .set_listener_path(filled(listener_path))
        .set_listener_metadata(filled(listener_metadata));
    let syscalls = syscalls.iter().enumerate();
    let syscalls: Result<_, _> = syscalls
        .map(|(index, it)| syscall(it, &field(&format!("syscalls[{index}]"))))
        .collect();
    policy.set_syscalls(some(syscalls?));
    Ok(policy)
}

fn names<T: FromStr>(
    asked: &[String],
    expected: &'static str,
    field: &str,
) -> Result<Option<Vec<T>>, Error> {
    let asked = asked.iter().enumerate();
    let names: Result<_, _> = asked
        .map(|(index, name)| parse(name, expected, || format!("{field}[{index}]")))
        .collect();
    Ok(some(names?))
}

fn syscall(asked: &LinuxSyscall, field: &str) -> Result<OciSyscall, Error> {
    let LinuxSyscall {
        names,
        action,
        errno_ret,
        args,
    } = asked;
    let args = args.iter().enumerate();
    let args: Result<_, _> = args
        .map(|(index, it)| argument(it, || format!("{field}.args[{index}].op")))
        .collect();
    let mut syscall = OciSyscall::default();
    syscall
        .set_names(names.clone())
        .set_action(parse(action, ACTION, || format!("{field}.action"))?)
        .set_errno_ret(errno_ret.get())
        .set_args(some(args?));
    Ok(syscall)
}

fn argument(asked: &LinuxSeccompArg, field: impl Fn() -> String) -> Result<OciArg, Error> {
    let LinuxSeccompArg {
        index,
        value,
        value_two,
        op,
    } = asked;
    let op: LinuxSeccompOperator = parse(op, "an operator such as SCMP_CMP_EQ", &field)?;
    // A usize has at least 32 bits on every platform that runs containers.
    let argument = OciArgBuilder::default()
        .index(*index as usize)
        .value(*value)
        .op(op);
    let argument = match nonzero(*value_two) {
        Some(value) => argument.value_two(value),
        None => argument,
    };
    built(argument.build(), field)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::oci::fixtures::{applied, raw, spec};
    use nri::api::{
        ContainerAdjustment, LinuxContainerAdjustment, LinuxSeccomp, LinuxSeccompArg, LinuxSyscall,
    };

    fn policy() -> LinuxSeccomp {
        LinuxSeccomp {
            default_action: "SCMP_ACT_ERRNO".to_owned(),
            default_errno: Some(38.into()),
            architectures: vec![
                "SCMP_ARCH_X86_64".to_owned(),
                "SCMP_ARCH_MIPS64N32".to_owned(),
            ],
            flags: vec!["SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV".to_owned()],
            listener_path: "/run/listener".to_owned(),
            listener_metadata: "who".to_owned(),
            syscalls: vec![LinuxSyscall {
                names: vec!["clone".to_owned()],
                action: "SCMP_ACT_NOTIFY".to_owned(),
                errno_ret: Some(0.into()),
                args: vec![LinuxSeccompArg {
                    index: 1,
                    value: u64::MAX,
                    value_two: 2,
                    op: "SCMP_CMP_MASKED_EQ".to_owned(),
                }],
            }],
        }
    }

    fn asking(policy: LinuxSeccomp) -> ContainerAdjustment {
        ContainerAdjustment {
            linux: Some(LinuxContainerAdjustment {
                seccomp_policy: Some(policy),
                ..LinuxContainerAdjustment::default()
            }),
            ..ContainerAdjustment::default()
        }
    }

    #[test]
    fn the_policy_replaces_that_of_the_spec() {
        let before = spec(json!({"linux": {"seccomp": {
            "defaultAction": "SCMP_ACT_ALLOW", "listenerPath": "/old",
        }}}));
        let after = applied(before, &raw(asking(policy()))).unwrap();
        assert_eq!(
            after["linux"]["seccomp"],
            json!({
                "defaultAction": "SCMP_ACT_ERRNO",
                "defaultErrnoRet": 38,
                "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_MIPS64N32"],
                "flags": ["SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"],
                "listenerPath": "/run/listener",
                "listenerMetadata": "who",
                "syscalls": [{
                    "names": ["clone"],
                    "action": "SCMP_ACT_NOTIFY",
                    "errnoRet": 0,
                    "args": [{"index": 1, "value": u64::MAX, "valueTwo": 2, "op": "SCMP_CMP_MASKED_EQ"}],
                }],
            })
        );
    }

    #[test]
    fn names_that_there_are_not_are_errors_with_their_place() {
        type Break = fn(&mut LinuxSeccomp);
        let cases: [(Break, &str); 5] = [
            (|it| it.default_action.clear(), "default_action"),
            (
                |it| it.architectures[1] = "amd64".into(),
                "architectures[1]",
            ),
            (|it| it.flags[0] = "LOG".into(), "flags[0]"),
            (
                |it| it.syscalls[0].action = "allow".into(),
                "syscalls[0].action",
            ),
            (
                |it| it.syscalls[0].args[0].op.clear(),
                "syscalls[0].args[0].op",
            ),
        ];
        for (break_it, field) in cases {
            let mut policy = policy();
            break_it(&mut policy);
            let error = applied(spec(json!({})), &raw(asking(policy))).unwrap_err();
            assert_eq!(error.field(), format!("linux.seccomp_policy.{field}"));
        }
    }
}
