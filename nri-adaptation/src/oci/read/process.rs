//! The container's process: user, limits, I/O priority and scheduling.

use oci_spec::runtime::{
    IOPriorityClass, LinuxIOPriority as OciIoPriority, LinuxSchedulerFlag as OciFlag,
    LinuxSchedulerPolicy as OciPolicy, Process, Scheduler as OciScheduler,
};

use super::{each, list};
use nri::api::{
    IoPrioClass, LinuxIoPriority, LinuxScheduler, LinuxSchedulerFlag, LinuxSchedulerPolicy,
    PosixRlimit, User,
};

pub(super) fn user(process: &Process) -> User {
    let user = process.user();
    User {
        uid: user.uid(),
        gid: user.gid(),
        additional_gids: list(user.additional_gids()),
    }
}

pub(super) fn rlimits(process: &Process) -> Vec<PosixRlimit> {
    each(process.rlimits(), |limit| PosixRlimit {
        r#type: limit.typ().to_string(),
        hard: limit.hard(),
        soft: limit.soft(),
    })
}

pub(super) fn io_priority(priority: &OciIoPriority) -> LinuxIoPriority {
    let class = match priority.class() {
        IOPriorityClass::IoprioClassRt => IoPrioClass::IoprioClassRt,
        IOPriorityClass::IoprioClassBe => IoPrioClass::IoprioClassBe,
        IOPriorityClass::IoprioClassIdle => IoPrioClass::IoprioClassIdle,
    };
    LinuxIoPriority {
        class: class.into(),
        priority: priority.priority().try_into().unwrap_or(i32::MAX),
    }
}

pub(super) fn scheduler(scheduler: &OciScheduler) -> LinuxScheduler {
    LinuxScheduler {
        policy: policy(*scheduler.policy()).into(),
        nice: scheduler.nice().unwrap_or_default(),
        priority: scheduler.priority().unwrap_or_default(),
        flags: each(scheduler.flags(), |it| flag(*it).into()),
        runtime: scheduler.runtime().unwrap_or_default(),
        deadline: scheduler.deadline().unwrap_or_default(),
        period: scheduler.period().unwrap_or_default(),
    }
}

fn policy(policy: OciPolicy) -> LinuxSchedulerPolicy {
    match policy {
        OciPolicy::SchedOther => LinuxSchedulerPolicy::SchedOther,
        OciPolicy::SchedFifo => LinuxSchedulerPolicy::SchedFifo,
        OciPolicy::SchedRr => LinuxSchedulerPolicy::SchedRr,
        OciPolicy::SchedBatch => LinuxSchedulerPolicy::SchedBatch,
        OciPolicy::SchedIso => LinuxSchedulerPolicy::SchedIso,
        OciPolicy::SchedIdle => LinuxSchedulerPolicy::SchedIdle,
        OciPolicy::SchedDeadline => LinuxSchedulerPolicy::SchedDeadline,
    }
}

fn flag(flag: OciFlag) -> LinuxSchedulerFlag {
    match flag {
        OciFlag::SchedResetOnFork => LinuxSchedulerFlag::SchedFlagResetOnFork,
        OciFlag::SchedFlagReclaim => LinuxSchedulerFlag::SchedFlagReclaim,
        OciFlag::SchedFlagDLOverrun => LinuxSchedulerFlag::SchedFlagDlOverrun,
        OciFlag::SchedFlagKeepPolicy => LinuxSchedulerFlag::SchedFlagKeepPolicy,
        OciFlag::SchedFlagKeepParams => LinuxSchedulerFlag::SchedFlagKeepParams,
        OciFlag::SchedFlagUtilClampMin => LinuxSchedulerFlag::SchedFlagUtilClampMin,
        OciFlag::SchedFlagUtilClampMax => LinuxSchedulerFlag::SchedFlagUtilClampMax,
    }
}
