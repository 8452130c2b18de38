//! Turns the incidents in a log or a configuration into those of the report: what happened to the
//! plugin, and the next step.

use nri_schema::history::{History, Runtime, RuntimeRelease};
use nri_schema::version;
use semver::Version;

use crate::report::check::Incident;
use crate::rules;
use crate::rules::incident::{self, Fate};
use crate::sighting;

/// Returns an incident with its next step; `None` if its id is unknown.
pub(super) fn incident(seen: sighting::Incident, history: Option<&History>) -> Option<Incident> {
    let rule = rules::get(seen.rule)?;
    let plugin = incident::get(seen.rule).map_or(Fate::None, |known| known.plugin);
    let since = history.and_then(|history| known_since(&seen.events, history));
    let (detail, remedy) = match since {
        Some((facts, upgrade)) => (
            format!("{} ({}); {facts}", seen.detail, seen.events.join(", ")),
            format!(
                "upgrade the runtime to {upgrade} or later, or return a mask without these events from Configure"
            ),
        ),
        None => (seen.detail, seen.remedy.unwrap_or_else(|| rule.remedy.to_owned())),
    };
    Some(Incident {
        rule: seen.rule,
        plugin,
        level: None,
        events: seen.events,
        reason: detail,
        remedy,
        seen: seen.occurrences,
        place: seen.place,
        setting: seen.setting,
        suppressed: None,
    })
}

/// Returns the release of NRI with which the newest of these events came, and the first releases of
/// runtimes that know it. `None` if there are no events, or if the tables do not know one of them.
fn known_since(events: &[String], history: &History) -> Option<(String, String)> {
    let since = |event: &String| version::parse(history.first_with_event(event)?.name());
    let newest = events.iter().map(since).collect::<Option<Vec<Version>>>()?.into_iter().max()?;
    let runtimes: Vec<String> =
        history.runtimes().iter().filter_map(|runtime| first_with(&newest, runtime)).collect();
    let (event, verb) = if events.len() == 1 {
        ("the event", "knows it")
    } else {
        ("the newest of them", "knows them")
    };
    let upgrade = runtimes.join(", ");
    (!upgrade.is_empty()).then(|| {
        (
            format!(
                "{event} came with NRI v{newest}, and the first runtime that {verb} is {}",
                runtimes.join(" or ")
            ),
            upgrade,
        )
    })
}

/// Returns the first release of a runtime that links this release of NRI, or a newer one.
fn first_with(nri: &Version, runtime: &Runtime) -> Option<String> {
    let links = |release: &&RuntimeRelease| {
        version::parse(&release.nri).is_some_and(|linked| linked >= *nri)
    };
    let releases = runtime.releases.iter().filter(links);
    let first = releases.min_by(|one, other| one.version.cmp(&other.version))?;
    Some(format!("{} {}", runtime.title, first.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_the_release_that_brought_them_and_the_runtimes_that_know_them() {
        let history = crate::data::history().expect("the tables are built in");
        let names =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (facts, upgrade) =
            known_since(&names(&["ValidateContainerAdjustment"]), history).expect("known");
        assert!(facts.contains("came with NRI v0.10.0"), "{facts}");
        assert!(upgrade.contains("containerd 2.2.0") && upgrade.contains("CRI-O 1.3"), "{upgrade}");
        assert_eq!(known_since(&names(&["event 40"]), history), None);
        assert_eq!(known_since(&[], history), None);
    }
}
