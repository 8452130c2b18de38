//! The container's process: arguments, limits, out-of-memory score, I/O priority and scheduling.

use oci_spec::runtime::{
    IOPriorityClass, LinuxIOPriorityBuilder, LinuxSchedulerFlag as OciFlag,
    LinuxSchedulerPolicy as OciPolicy, PosixRlimit as OciRlimit, PosixRlimitBuilder,
    PosixRlimitType, Scheduler, Spec,
};

use crate::oci::error::{Error, ErrorKind};
use crate::oci::names::{built, nonzero, number, parse, some};
use crate::oci::parts;
use nri::api::{
    IoPrioClass, LinuxIoPriority, LinuxScheduler, LinuxSchedulerFlag, LinuxSchedulerPolicy,
    OptionalInt, PosixRlimit,
};

/// Replaces the arguments. An empty first argument is only a marker: it replaces the arguments of
/// another plugin.
pub(super) fn args(spec: &mut Spec, asked: &[String]) {
    let args = match asked.split_first() {
        Some((first, rest)) if first.is_empty() => rest,
        Some(_) | None => asked,
    };
    if !args.is_empty() {
        parts::process(spec).set_args(Some(args.to_vec()));
    }
}

/// Sets resource limits. The runtime specification allows one per type.
pub(super) fn rlimits(spec: &mut Spec, asked: &[PosixRlimit]) -> Result<(), Error> {
    if asked.is_empty() {
        return Ok(());
    }
    let process = parts::process(spec);
    let mut limits = process.rlimits().clone().unwrap_or_default();
    for (index, limit) in asked.iter().enumerate() {
        let limit = rlimit(limit, index)?;
        match limits.iter_mut().find(|it| it.typ() == limit.typ()) {
            Some(present) => *present = limit,
            None => limits.push(limit),
        }
    }
    process.set_rlimits(Some(limits));
    Ok(())
}

fn rlimit(asked: &PosixRlimit, index: usize) -> Result<OciRlimit, Error> {
    let PosixRlimit { r#type, hard, soft } = asked;
    let field = || format!("rlimits[{index}].type");
    let kind: PosixRlimitType = parse(r#type, "a limit such as RLIMIT_NOFILE", field)?;
    let limit = PosixRlimitBuilder::default()
        .typ(kind)
        .hard(*hard)
        .soft(*soft);
    built(limit.build(), field)
}

pub(super) fn oom_score(spec: &mut Spec, asked: Option<OptionalInt>) -> Result<(), Error> {
    let Some(OptionalInt { value }) = asked else {
        return Ok(());
    };
    let score = i32::try_from(value).map_err(|_| {
        let (min, max) = (i32::MIN.into(), i32::MAX.into());
        Error::new(
            "linux.oom_score_adj",
            ErrorKind::OutOfRange { value, min, max },
        )
    })?;
    parts::process(spec).set_oom_score_adj(Some(score));
    Ok(())
}

/// Sets the I/O priority. The class NONE clears it.
pub(super) fn io_priority(spec: &mut Spec, asked: Option<&LinuxIoPriority>) -> Result<(), Error> {
    let Some(LinuxIoPriority { class, priority }) = asked else {
        return Ok(());
    };
    let class = match number(*class, || "linux.io_priority.class".to_owned())? {
        IoPrioClass::IoprioClassNone => None,
        IoPrioClass::IoprioClassRt => Some(IOPriorityClass::IoprioClassRt),
        IoPrioClass::IoprioClassBe => Some(IOPriorityClass::IoprioClassBe),
        IoPrioClass::IoprioClassIdle => Some(IOPriorityClass::IoprioClassIdle),
    };
    let priority = class.map(|class| {
        let priority = LinuxIOPriorityBuilder::default()
            .class(class)
            .priority(*priority);
        built(priority.build(), || "linux.io_priority".to_owned())
    });
    parts::process(spec).set_io_priority(priority.transpose()?);
    Ok(())
}

/// Sets the scheduler. The policy NONE clears it.
pub(super) fn scheduler(spec: &mut Spec, asked: Option<&LinuxScheduler>) -> Result<(), Error> {
    let Some(asked) = asked else {
        return Ok(());
    };
    let LinuxScheduler {
        policy,
        nice,
        priority,
        flags,
        runtime,
        deadline,
        period,
    } = asked;
    let policy = number(*policy, || "linux.scheduler.policy".to_owned())?;
    let scheduler = match oci_policy(policy) {
        None => None,
        Some(policy) => {
            let mut scheduler = Scheduler::default();
            scheduler
                .set_policy(policy)
                .set_nice(nonzero(*nice))
                .set_priority(nonzero(*priority))
                .set_flags(some(oci_flags(flags)?))
                .set_runtime(nonzero(*runtime))
                .set_deadline(nonzero(*deadline))
                .set_period(nonzero(*period));
            Some(scheduler)
        }
    };
    parts::process(spec).set_scheduler(scheduler);
    Ok(())
}

fn oci_policy(policy: LinuxSchedulerPolicy) -> Option<OciPolicy> {
    match policy {
        LinuxSchedulerPolicy::SchedNone => None,
        LinuxSchedulerPolicy::SchedOther => Some(OciPolicy::SchedOther),
        LinuxSchedulerPolicy::SchedFifo => Some(OciPolicy::SchedFifo),
        LinuxSchedulerPolicy::SchedRr => Some(OciPolicy::SchedRr),
        LinuxSchedulerPolicy::SchedBatch => Some(OciPolicy::SchedBatch),
        LinuxSchedulerPolicy::SchedIso => Some(OciPolicy::SchedIso),
        LinuxSchedulerPolicy::SchedIdle => Some(OciPolicy::SchedIdle),
        LinuxSchedulerPolicy::SchedDeadline => Some(OciPolicy::SchedDeadline),
    }
}

fn oci_flags(flags: &[i32]) -> Result<Vec<OciFlag>, Error> {
    let flags = flags.iter().enumerate();
    flags
        .map(|(index, flag)| {
            number(*flag, || format!("linux.scheduler.flags[{index}]")).map(oci_flag)
        })
        .collect()
}

fn oci_flag(flag: LinuxSchedulerFlag) -> OciFlag {
    match flag {
        LinuxSchedulerFlag::SchedFlagResetOnFork => OciFlag::SchedResetOnFork,
        LinuxSchedulerFlag::SchedFlagReclaim => OciFlag::SchedFlagReclaim,
        LinuxSchedulerFlag::SchedFlagDlOverrun => OciFlag::SchedFlagDLOverrun,
        LinuxSchedulerFlag::SchedFlagKeepPolicy => OciFlag::SchedFlagKeepPolicy,
        LinuxSchedulerFlag::SchedFlagKeepParams => OciFlag::SchedFlagKeepParams,
        LinuxSchedulerFlag::SchedFlagUtilClampMin => OciFlag::SchedFlagUtilClampMin,
        LinuxSchedulerFlag::SchedFlagUtilClampMax => OciFlag::SchedFlagUtilClampMax,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::oci::fixtures::{applied, process, raw, spec};
    use nri::adjust::Adjustment;
    use nri::api::{ContainerAdjustment, LinuxContainerAdjustment};

    fn linux(linux: LinuxContainerAdjustment) -> Adjustment {
        raw(ContainerAdjustment {
            linux: Some(linux),
            ..ContainerAdjustment::default()
        })
    }

    #[test]
    fn arguments_are_replaced() {
        for (asked, expected) in [
            (vec![], json!(["old", "-v"])),
            (vec!["new"], json!(["new"])),
            (vec!["", "new", ""], json!(["new", ""])),
            (vec![""], json!(["old", "-v"])),
        ] {
            let before = process(json!({"args": ["old", "-v"]}));
            let adjustment = raw(ContainerAdjustment {
                args: asked.into_iter().map(str::to_owned).collect(),
                ..ContainerAdjustment::default()
            });
            let after = applied(before, &adjustment).unwrap();
            assert_eq!(after["process"]["args"], expected);
        }
    }

    #[test]
    fn a_limit_replaces_that_of_its_type() {
        let before = process(json!({"rlimits": [
            {"type": "RLIMIT_CORE", "hard": 1, "soft": 1}, {"type": "RLIMIT_CPU", "hard": 2, "soft": 2},
        ]}));
        let limit = |kind: &str, hard, soft| PosixRlimit {
            r#type: kind.to_owned(),
            hard,
            soft,
        };
        let adjustment = Adjustment::new()
            .rlimit(limit("RLIMIT_CORE", 9, 8))
            .rlimit(limit("RLIMIT_AS", u64::MAX, 0));
        let after = applied(before, &adjustment).unwrap();
        assert_eq!(
            after["process"]["rlimits"],
            json!([
                {"type": "RLIMIT_CORE", "hard": 9, "soft": 8},
                {"type": "RLIMIT_CPU", "hard": 2, "soft": 2},
                {"type": "RLIMIT_AS", "hard": u64::MAX, "soft": 0},
            ])
        );
    }

    #[test]
    fn a_limit_of_no_known_type_is_an_error() {
        let limit = PosixRlimit {
            r#type: "nofile".to_owned(),
            ..PosixRlimit::default()
        };
        let adjustment = raw(ContainerAdjustment {
            rlimits: vec![limit],
            ..ContainerAdjustment::default()
        });
        let error = applied(spec(json!({})), &adjustment).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot apply rlimits[0].type: \"nofile\" is not a limit such as RLIMIT_NOFILE"
        );
    }

    #[test]
    fn scores_of_32_bits_are_set() {
        for value in [-1000, 0, 1000, i64::from(i32::MIN)] {
            let oom_score_adj = Some(value.into());
            let asked = LinuxContainerAdjustment {
                oom_score_adj,
                ..Default::default()
            };
            let after = applied(spec(json!({})), &linux(asked)).unwrap();
            assert_eq!(after["process"]["oomScoreAdj"], value);
        }
        let oom_score_adj = Some((1_i64 << 31).into());
        let asked = LinuxContainerAdjustment {
            oom_score_adj,
            ..Default::default()
        };
        let error = applied(spec(json!({})), &linux(asked)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfRange { .. }));
        assert_eq!(error.field(), "linux.oom_score_adj");
    }

    #[test]
    fn priorities_are_set_and_cleared() {
        for class in IoPrioClass::IoprioClassNone as i32..=IoPrioClass::IoprioClassIdle as i32 {
            let before =
                process(json!({"ioPriority": {"class": "IOPRIO_CLASS_RT", "priority": 1}}));
            let io_priority = Some(LinuxIoPriority { class, priority: 7 });
            let asked = LinuxContainerAdjustment {
                io_priority,
                ..Default::default()
            };
            let after = applied(before, &linux(asked)).unwrap();
            let expected = match IoPrioClass::try_from(class).unwrap().as_str_name() {
                "IOPRIO_CLASS_NONE" => json!(null),
                class => json!({"class": class, "priority": 7}),
            };
            assert_eq!(after["process"]["ioPriority"], expected);
        }
    }

    #[test]
    fn every_policy_and_flag_has_the_name_of_the_specification() {
        let policies = (0..).map_while(|number| LinuxSchedulerPolicy::try_from(number).ok());
        let flags: Vec<_> = (0..)
            .map_while(|number| LinuxSchedulerFlag::try_from(number).ok())
            .collect();
        for policy in policies {
            let scheduler = LinuxScheduler {
                policy: policy.into(),
                nice: -5,
                priority: 1,
                flags: flags.iter().map(|flag| i32::from(*flag)).collect(),
                runtime: 1,
                deadline: 2,
                period: 3,
            };
            let asked = LinuxContainerAdjustment {
                scheduler: Some(scheduler),
                ..Default::default()
            };
            let before = process(json!({"scheduler": {"policy": "SCHED_FIFO"}}));
            let after = applied(before, &linux(asked)).unwrap();
            let names: Vec<_> = flags.iter().map(|flag| flag.as_str_name()).collect();
            let expected = match policy.as_str_name() {
                "SCHED_NONE" => json!(null),
                policy => json!({
                    "policy": policy, "nice": -5, "priority": 1, "flags": names,
                    "runtime": 1, "deadline": 2, "period": 3,
                }),
            };
            assert_eq!(after["process"]["scheduler"], expected);
        }
    }

    #[test]
    fn numbers_that_the_protocol_does_not_have_are_errors() {
        let unknown = LinuxScheduler {
            policy: 1,
            flags: vec![0, 99],
            ..LinuxScheduler::default()
        };
        let asked = LinuxContainerAdjustment {
            scheduler: Some(unknown),
            ..Default::default()
        };
        let error = applied(spec(json!({})), &linux(asked)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot apply linux.scheduler.flags[1]: 99 is not known"
        );
        let io_priority = Some(LinuxIoPriority {
            class: 4,
            priority: 0,
        });
        let asked = LinuxContainerAdjustment {
            io_priority,
            ..Default::default()
        };
        let error = applied(spec(json!({})), &linux(asked)).unwrap_err();
        assert_eq!(error.field(), "linux.io_priority.class");
    }
}
