//! Judges a sighting for a target, with one judge per interface; the first objection decides.
//!
//! `ok` is a proof, and only a program can be it. A judge returns it only if everything that could
//! lead to an objection was read and understood; if anything is missing, the verdict is `unknown`,
//! with the reason.

mod events;
mod remedy;
mod state_change;
mod wasm;

use nri_schema::history::{Deprecation, History};
use nri_schema::version;

use super::target::Target;
use crate::facts::ONE_SHOT;
use crate::report::check::{Confidence, Outcome, Verdict};
use crate::rules::ids;
use crate::sighting::{Certainty, FileKind, Interface, Role, Sighting};

/// The rule for interfaces that the target has removed. An ignored deprecation does not hide it.
const REMOVED: &str = ids::CHECK_INTERFACE_REMOVED;

/// The reason why anything but a program is not `ok`.
const ONLY_PROGRAM: &str = "only the program can show that there is nothing else";

/// Judges a sighting against one target. Returns `None` if there is nothing to judge, as for a
/// runtime.
pub fn judge(seen: &Sighting, target: &Target<'_>) -> Option<Verdict> {
    if !is_judged(seen) {
        return None;
    }
    let mut verdict = match &seen.interface {
        Interface::Unknown(why) => cannot_tell(seen, why.to_string()),
        Interface::None => {
            let reason = "cannot determine how it receives its events";
            cannot_tell(seen, reason.to_owned())
        }
        Interface::OneShot => judge_one_shot(target),
        Interface::Exports(exports) => wasm::judge(seen, exports, target),
        Interface::StateChange | Interface::Funnelled | Interface::Dedicated => no_protocol(target)
            .or_else(|| refused_release(seen, target))
            .or_else(|| events::judge(seen, target))
            .unwrap_or_else(|| state_change::judge(seen, target)),
    };
    if verdict.outcome == Outcome::Ok && !is_program(seen.kind) {
        verdict = cannot_tell(seen, format!("{}; {ONLY_PROGRAM}", verdict.reason));
    }
    if verdict.outcome == Outcome::Ok
        && let Some(reason) = unread_deprecation(target)
    {
        verdict = cannot_tell(seen, reason);
    }
    verdict = may_be_removed(seen, target, verdict);
    verdict.target.clone_from(&target.head.name);
    if verdict.outcome != Outcome::Unknown {
        verdict.confidence = verdict.confidence.min(confidence(seen));
    }
    Some(verdict)
}

/// Returns why a plugin may be affected by a deprecation that came with newer tables: the readers
/// of this build do not look for what it is about.
fn unread_deprecation(target: &Target<'_>) -> Option<String> {
    let newer = target
        .history
        .deprecations()
        .iter()
        .filter(|one| !is_built_in(one))
        .find(|one| target.deprecates(one) || target.has_removed(one))?;
    let (name, id) = (&target.head.name, &newer.id);
    Some(format!(
        "{name} has the deprecation `{id}`, which is newer than this version of nri-compat; it does not look for its use"
    ))
}

/// Returns true if the tables of this build have a deprecation.
fn is_built_in(deprecation: &Deprecation) -> bool {
    nri_protos::DEPRECATIONS_TOML.contains(&format!("id = \"{}\"\n", deprecation.id))
}

/// Weakens a verdict that relies on an interface which a release newer than the tables may have
/// removed.
fn may_be_removed(seen: &Sighting, target: &Target<'_>, verdict: Verdict) -> Verdict {
    let planned = verdict.planned_removal.as_deref();
    let works = matches!(verdict.outcome, Outcome::Ok | Outcome::Deprecated);
    let relied_on = target
        .history
        .deprecations()
        .iter()
        .find(|one| planned.is_some() && one.removal.when.words().as_deref() == planned);
    match (relied_on, planned, &target.head.newer_than_data) {
        (Some(deprecation), Some(planned), Some(date))
            if works && target.may_have_removed(deprecation) =>
        {
            let name = &target.head.name;
            let reason = format!(
                "{}, unless {name} did what is planned for {planned}: it is newer than this tool's data of {date}",
                verdict.reason
            );
            Verdict {
                events: verdict.events,
                since: verdict.since,
                planned_removal: verdict.planned_removal,
                remedy: verdict.remedy,
                ..cannot_tell(seen, reason)
            }
        }
        _ => verdict,
    }
}

/// Returns true if a sighting is judged: plugins are, and what may be one or belong to one;
/// runtimes and users of the types are not.
fn is_judged(seen: &Sighting) -> bool {
    match seen.role {
        Role::Plugin => true,
        Role::Runtime => false,
        Role::Library | Role::None => matches!(seen.interface, Interface::Unknown(_)),
    }
}

/// Returns true for files that are read to their end and show everything that a plugin handles.
fn is_program(kind: FileKind) -> bool {
    matches!(kind, FileKind::GoBinary | FileKind::RustBinary | FileKind::WasmModule)
}

fn cannot_tell(seen: &Sighting, reason: String) -> Verdict {
    Verdict {
        outcome: Outcome::Unknown,
        rule: ids::CHECK_CANNOT_TELL,
        reason: reason.into(),
        remedy: remedy::find_out(seen).into(),
        confidence: Confidence::Low,
        ..Verdict::default()
    }
}

/// Objects if the target is older than the protocol, and only runs one-shot plugins.
fn no_protocol(target: &Target<'_>) -> Option<Verdict> {
    target.protocol.is_none().then(|| {
        let (name, nri) = (&target.head.name, &target.head.nri);
        let reason = format!("{name} speaks NRI {nri}, which only runs one-shot plugins");
        let runtimes = first_runtimes(target.history);
        let remedy = format!("upgrade the runtime: the protocol came with {runtimes}");
        objection(Outcome::Incompatible, ids::CHECK_NO_PROTOCOL, reason, remedy)
    })
}

/// Returns the first series of each runtime that speaks the protocol: `containerd 1.7 and CRI-O
/// 1.26`.
fn first_runtimes(history: &History) -> String {
    let speaks = |nri: &str| history.releases().iter().any(|release| release.name == nri);
    let first = history.runtimes().iter().filter_map(|runtime| {
        let release = runtime.releases.iter().find(|release| speaks(&release.nri))?;
        let version = &release.version;
        Some(format!("{} {}.{}", runtime.title, version.major, version.minor))
    });
    first.collect::<Vec<_>>().join(" and ")
}

/// Returns the confidence in a sighting: high for code, types, a manifest and a runtime's own
/// messages, lower for names and sources, lowest for unknown events.
fn confidence(seen: &Sighting) -> Confidence {
    match seen.kind {
        FileKind::GoBinary | FileKind::RustBinary => match seen.events.certainty {
            Certainty::Exact => Confidence::High,
            Certainty::ByName | Certainty::Observed => Confidence::Medium,
            Certainty::Unknown => Confidence::Low,
        },
        FileKind::WasmModule
        | FileKind::OneShotConfig
        | FileKind::Log
        | FileKind::DeprecationList => Confidence::High,
        FileKind::GoMod | FileKind::GoVendor | FileKind::GoSource | FileKind::CargoLock => {
            Confidence::Medium
        }
        FileKind::GoSum | FileKind::Manifest | FileKind::RuntimeConfig | FileKind::Other => {
            Confidence::Low
        }
    }
}

/// Objects if the plugin refuses to run under a release as old as that of the target.
fn refused_release(seen: &Sighting, target: &Target<'_>) -> Option<Verdict> {
    let oldest = seen.min_protocol.as_deref()?;
    let is_older = target.nri < version::parse(oldest)?;
    is_older.then(|| {
        let (name, nri) = (&target.head.name, &target.head.nri);
        let reason = format!(
            "{name} speaks NRI {nri}: the plugin refuses to run under a release before {oldest}"
        );
        let remedy = format!(
            "use a runtime with NRI {oldest} or later, or a version of the plugin that supports it"
        );
        objection(Outcome::Incompatible, ids::CHECK_RELEASE_REFUSED, reason, remedy)
    })
}

/// The only runtime known to have run plugins of NRI v0.1.0, which are started once per event.
const ONE_SHOT_RUNTIME: &str = "containerd";

fn judge_one_shot(target: &Target<'_>) -> Verdict {
    let Some(deprecation) = deprecation(target.history, "nri-v010-plugin") else {
        return ok("one-shot plugins are not deprecated");
    };
    let by_other = target.runtime.as_ref().is_some_and(|at| at.runtime != ONE_SHOT_RUNTIME);
    if !by_other && !target.deprecates(deprecation) {
        return ok(format!("{} runs one-shot plugins", target.head.name));
    }
    let name = &target.head.name;
    let (outcome, reason) = if by_other {
        let reason = format!("only containerd runs one-shot plugins of NRI {ONE_SHOT}");
        (Outcome::Incompatible, reason)
    } else if target.has_removed(deprecation) {
        let reason =
            format!("{name} no longer runs one-shot plugins of NRI {ONE_SHOT}, as planned");
        (Outcome::Removed, reason)
    } else {
        let reason = format!("a one-shot plugin of NRI {ONE_SHOT}; released runtimes still run it");
        (Outcome::Deprecated, reason)
    };
    Verdict {
        outcome,
        rule: if outcome == Outcome::Removed { REMOVED } else { ids::CHECK_ONE_SHOT },
        since: deprecation.deprecated_in.nri.clone(),
        planned_removal: deprecation.removal.when.words(),
        reason: reason.into(),
        remedy: deprecation.remedy.clone().into(),
        confidence: if by_other { Confidence::Medium } else { Confidence::High },
        ..Verdict::default()
    }
}

/// Returns an objection that is certain and not about single events.
fn objection(outcome: Outcome, rule: &'static str, reason: String, remedy: String) -> Verdict {
    Verdict {
        outcome,
        rule,
        reason: reason.into(),
        remedy: remedy.into(),
        confidence: Confidence::High,
        ..Verdict::default()
    }
}

fn ok(reason: impl Into<String>) -> Verdict {
    Verdict { reason: reason.into().into(), confidence: Confidence::High, ..Verdict::default() }
}

fn deprecation<'h>(history: &'h History, id: &str) -> Option<&'h Deprecation> {
    history.deprecations().iter().find(|one| one.id == id)
}

#[cfg(test)]
mod tests;
