//! Hooks, and the container's process: environment, arguments, limits, out-of-memory score, I/O
//! priority and scheduling.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use oci_spec::runtime::{
    Hook as OciHook, Hooks as OciHooks, IOPriorityClass, LinuxIOPriorityBuilder,
    LinuxSchedulerFlag as OciFlag, PosixRlimit as OciRlimit, PosixRlimitBuilder, PosixRlimitType,
    Scheduler, Spec,
};

use crate::oci::error::{Error, ErrorKind};
use crate::oci::parts::{self, built, named, nonzero, parse, some};
use nri::adjust::marker;
use nri::api::{
    Hook, Hooks, IoPrioClass, KeyValue, LinuxIoPriority, LinuxScheduler, LinuxSchedulerFlag,
    LinuxSchedulerPolicy, PosixRlimit,
};

/// The name of the `oci-spec` crate for `SCHED_FLAG_RESET_ON_FORK`. It parses and prints the other
/// flags as specified.
pub(super) const RESET_ON_FORK: &str = "SCHED_RESET_ON_FORK";

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
    let limit = PosixRlimitBuilder::default().typ(kind).hard(*hard).soft(*soft);
    built(limit.build(), field)
}

pub(super) fn oom_score(spec: &mut Spec, asked: Option<i64>) -> Result<(), Error> {
    let Some(value) = asked else {
        return Ok(());
    };
    let score = i32::try_from(value).map_err(|_| {
        let (min, max) = (i32::MIN.into(), i32::MAX.into());
        Error::new("linux.oom_score_adj", ErrorKind::OutOfRange { value, min, max })
    })?;
    parts::process(spec).set_oom_score_adj(Some(score));
    Ok(())
}

/// Sets the I/O priority. The class NONE clears it.
pub(super) fn io_priority(spec: &mut Spec, asked: Option<&LinuxIoPriority>) -> Result<(), Error> {
    let Some(LinuxIoPriority { class, priority }) = asked else {
        return Ok(());
    };
    let field = || "linux.io_priority.class".to_owned();
    let cleared = *class == IoPrioClass::IoprioClassNone as i32;
    let io_priority = (!cleared).then(|| {
        let class: IOPriorityClass = named(*class, IoPrioClass::as_str_name, field)?;
        let builder = LinuxIOPriorityBuilder::default().class(class).priority(*priority);
        built(builder.build(), field)
    });
    parts::process(spec).set_io_priority(io_priority.transpose()?);
    Ok(())
}

/// Sets the scheduler. The policy NONE clears it.
pub(super) fn scheduler(spec: &mut Spec, asked: Option<&LinuxScheduler>) -> Result<(), Error> {
    let Some(asked) = asked else {
        return Ok(());
    };
    if asked.policy == LinuxSchedulerPolicy::SchedNone as i32 {
        parts::process(spec).set_scheduler(None);
        return Ok(());
    }
    let field = || "linux.scheduler.policy".to_owned();
    let mut scheduler = Scheduler::default();
    scheduler
        .set_policy(named(asked.policy, LinuxSchedulerPolicy::as_str_name, field)?)
        .set_nice(nonzero(asked.nice))
        .set_priority(nonzero(asked.priority))
        .set_flags(some(scheduler_flags(&asked.flags)?))
        .set_runtime(nonzero(asked.runtime))
        .set_deadline(nonzero(asked.deadline))
        .set_period(nonzero(asked.period));
    parts::process(spec).set_scheduler(Some(scheduler));
    Ok(())
}

fn scheduler_flags(flags: &[i32]) -> Result<Vec<OciFlag>, Error> {
    flags
        .iter()
        .enumerate()
        .map(|(index, flag)| named(*flag, flag_name, || format!("linux.scheduler.flags[{index}]")))
        .collect()
}

/// Returns the name that the `oci-spec` crate parses.
fn flag_name(flag: &LinuxSchedulerFlag) -> &'static str {
    let is_renamed = *flag == LinuxSchedulerFlag::SchedFlagResetOnFork;
    if is_renamed { RESET_ON_FORK } else { flag.as_str_name() }
}

/// Replaces variables in place, removes marked ones, and appends new ones in the order given.
pub(super) fn environment(spec: &mut Spec, asked: &[KeyValue]) -> Result<(), Error> {
    if asked.is_empty() {
        return Ok(());
    }
    let mut changes = Changes::new(asked)?;
    let present = spec.process_mut().as_mut().and_then(|process| process.env_mut().take());
    let mut env = changes.change(present.unwrap_or_default());
    changes.append(asked, &mut env);
    if spec.process().is_some() || !env.is_empty() {
        parts::process(spec).set_env(Some(env));
    }
    Ok(())
}

/// The changes to variables, by name.
struct Changes<'a> {
    /// The new value; `None` removes the variable.
    values: BTreeMap<&'a str, Option<&'a str>>,
    done: BTreeSet<&'a str>,
}

impl<'a> Changes<'a> {
    fn new(asked: &'a [KeyValue]) -> Result<Self, Error> {
        let mut values = BTreeMap::new();
        for (index, KeyValue { key, value }) in asked.iter().enumerate() {
            if let Some(name) = marker::removed(key) {
                values.entry(name).or_insert(None);
            } else if key.is_empty() {
                return Err(Error::new(format!("env[{index}]"), ErrorKind::Unnamed));
            } else {
                values.insert(key.as_str(), Some(value.as_str()));
            }
        }
        let done = BTreeSet::new();
        Ok(Changes { values, done })
    }

    /// Changes the existing variables. A variable that occurs several times keeps its first
    /// position and its last value.
    fn change(&mut self, present: Vec<String>) -> Vec<String> {
        let mut env: Vec<String> = Vec::with_capacity(present.len());
        let mut places = HashMap::new();
        for entry in present {
            let changed = match self.values.get_key_value(variable(&entry)) {
                Some((name, _)) if !self.done.insert(name) => continue,
                Some((_, None)) => continue,
                Some((name, Some(value))) => format!("{name}={value}"),
                None => entry,
            };
            let name = variable(&changed);
            match places.get(name) {
                Some(&place) => env[place] = changed,
                None => {
                    places.insert(name.to_owned(), env.len());
                    env.push(changed);
                }
            }
        }
        env
    }

    fn append(&mut self, asked: &'a [KeyValue], env: &mut Vec<String>) {
        for KeyValue { key, value: _ } in asked {
            if let Some(Some(value)) = self.values.get(key.as_str())
                && self.done.insert(key)
            {
                env.push(format!("{key}={value}"));
            }
        }
    }
}

/// Returns the name in an entry such as `NAME=value`.
fn variable(entry: &str) -> &str {
    entry.split_once('=').map_or(entry, |(name, _)| name)
}

/// Appends hooks to those of the spec.
pub(super) fn hooks(spec: &mut Spec, asked: &Hooks) {
    if *asked == Hooks::default() {
        return;
    }
    let hooks = spec.hooks_mut().get_or_insert_default();
    append(deprecated_prestart(hooks), &asked.prestart);
    append(hooks.create_runtime_mut(), &asked.create_runtime);
    append(hooks.create_container_mut(), &asked.create_container);
    append(hooks.start_container_mut(), &asked.start_container);
    append(hooks.poststart_mut(), &asked.poststart);
    append(hooks.poststop_mut(), &asked.poststop);
}

#[allow(deprecated, reason = "plugins may still ask for these hooks")]
fn deprecated_prestart(hooks: &mut OciHooks) -> &mut Option<Vec<OciHook>> {
    hooks.prestart_mut()
}

fn append(hooks: &mut Option<Vec<OciHook>>, asked: &[Hook]) {
    if !asked.is_empty() {
        hooks.get_or_insert_default().extend(asked.iter().map(hook));
    }
}

fn hook(asked: &Hook) -> OciHook {
    let mut hook = OciHook::default();
    hook.set_path((&asked.path).into())
        .set_args(some(asked.args.clone()))
        .set_env(some(asked.env.clone()))
        .set_timeout(asked.timeout);
    hook
}
