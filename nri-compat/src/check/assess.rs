//! Turns the collected sightings into the report, with one verdict per sighting and target.

use super::collected::Collected;
use super::incident::incident;
use super::removal;
use super::target::Target;
use super::verdict::judge;
use crate::report::check::{CheckReport, ClusterView, NotLookedFor, Pool, Subject, Summary};
use crate::sighting::{Certainty, Events, Evidence, Role, Sighting};

/// Judges the collected sightings against the targets.
pub fn assess(collected: Collected, targets: &[Target<'_>]) -> CheckReport {
    let mut pool = Pool::default();
    let cluster = collected.cluster.as_ref();
    let subjects: Vec<Subject> = collected
        .sightings
        .into_iter()
        .map(|seen| subject(seen, targets, cluster, &mut pool))
        .collect();
    let plugins = subjects.iter().filter(|subject| subject.role == Role::Plugin).count();
    let mut summary = collected.summary;
    if plugins > 0 {
        // With a plugin found, only plugins that the checked place is known to hide are worth a
        // mention.
        summary.not_looked_for.retain(|kind| *kind == NotLookedFor::External);
    }
    let mut report = CheckReport {
        data_date: targets
            .first()
            .map_or_else(String::new, |target| target.history.date().to_owned()),
        targets: targets.iter().map(|target| target.head.clone()).collect(),
        removals: targets
            .first()
            .map(|target| removal::planned(&subjects, target.history))
            .unwrap_or_default(),
        summary: Summary {
            plugins: plugins as u64,
            skipped: collected.skipped.len() as u64,
            ..summary
        },
        subjects,
        skipped: collected.skipped,
        policy: Vec::new(),
        cluster: collected.cluster,
    };
    report.count();
    report
}

fn subject(
    seen: Sighting,
    targets: &[Target<'_>],
    cluster: Option<&ClusterView>,
    pool: &mut Pool,
) -> Subject {
    let of_nodes = cluster.map(|cluster| cluster.targets(&seen.nodes)).unwrap_or_default();
    let applies =
        |target: &&Target<'_>| !target.is_of_nodes || of_nodes.contains(target.head.name.as_str());
    // Most reports have one target, and a report may have tens of thousands of findings.
    let mut verdicts = Vec::with_capacity(targets.len());
    verdicts.extend(targets.iter().filter(applies).filter_map(|target| judge(&seen, target)));
    for verdict in &mut verdicts {
        pool.list(&mut verdict.events);
        pool.text(&mut verdict.reason);
        pool.text(&mut verdict.remedy);
    }
    let history = targets.first().map(|target| target.history);
    // A new field of a sighting does not compile before it is decided whether reports have it.
    let Sighting {
        place,
        kind,
        role,
        name,
        index,
        program,
        nri,
        interface: _,
        events: Events { names: events, certainty },
        required: _,
        min_protocol: _,
        evidence,
        occurrences,
        incidents,
        nodes,
        source: _,
    } = seen;
    Subject {
        place,
        kind,
        role,
        name,
        index,
        program,
        nri,
        events,
        verdicts,
        incidents: incidents.into_iter().filter_map(|one| incident(one, history)).collect(),
        evidence: with_certainty(evidence, certainty),
        occurrences,
        nodes,
    }
}

/// Returns the evidence, plus how the set of events is known.
fn with_certainty(mut evidence: Vec<Evidence>, certainty: Certainty) -> Vec<Evidence> {
    let detail = match certainty {
        Certainty::Exact => "events from types or a manifest: exact",
        Certainty::ByName => "events from the names of methods: an upper bound",
        Certainty::Observed => "events that were seen: a lower bound, there may be more",
        Certainty::Unknown => return evidence,
    };
    evidence.reserve_exact(1);
    evidence.push(Evidence::new("verdict", detail));
    evidence
}
