//! The runtimes that the nodes of a cluster run now, as targets.

use std::collections::BTreeSet;

use nri_schema::history::History;

use super::target::{ReleaseName, Target, UnknownReleases};
use crate::report::check::{CheckReport, ClusterView, NodePool};
use crate::skipped::{SkipKind, Skipped};

/// The runtimes that can run NRI plugins.
const RUNTIMES: [&str; 2] = ["containerd", "cri-o"];

/// The operating system on which NRI plugins run.
const SYSTEM: &str = "linux";

/// Returns a pool with the release that its runtime stands for; `system` is the operating system of
/// the nodes.
pub(crate) fn pool(
    history: &History,
    unknown: &UnknownReleases,
    runtime: String,
    system: &str,
    nodes: Vec<String>,
) -> NodePool {
    let without_plugins = why_without_plugins(&runtime, system);
    let is_without_plugins = without_plugins.is_some();
    let target = without_plugins.map_or_else(|| target(history, unknown, &runtime), Err);
    NodePool {
        runtime,
        note: target.as_ref().err().cloned(),
        target: target.ok(),
        is_without_plugins,
        nodes,
    }
}

/// Returns why nodes run no NRI plugins, if so.
fn why_without_plugins(runtime: &str, system: &str) -> Option<String> {
    if system != SYSTEM {
        return Some(format!("NRI plugins do not run on {system}"));
    }
    let name = ReleaseName::parse(runtime)?;
    let is_without_nri = !RUNTIMES.contains(&name.name.as_str());
    is_without_nri.then(|| "this runtime does not support NRI".to_owned())
}

/// Returns the name of the target for a runtime, or why there is none.
fn target(history: &History, unknown: &UnknownReleases, runtime: &str) -> Result<String, String> {
    if ReleaseName::parse(runtime).is_none() {
        return Err("the nodes do not name the release of their runtime".to_owned());
    }
    let target = Target::resolve(history, runtime, unknown);
    target
        .map(|target| target.head.name)
        .map_err(|error| match error.help() {
            Some(help) => format!("{error}; {help}"),
            None => error.to_string(),
        })
}

/// Returns the targets of the pools, then `targets`, each target once.
pub(crate) fn with_targets<'h>(
    history: &'h History,
    unknown: &UnknownReleases,
    pools: &[NodePool],
    targets: Vec<Target<'h>>,
) -> Vec<Target<'h>> {
    let judged = pools.iter().filter(|pool| pool.target.is_some());
    let now = judged.filter_map(|pool| now(history, unknown, &pool.runtime));
    let mut names = BTreeSet::new();
    let all = now.chain(targets);
    all.filter(|target| names.insert(target.head.name.clone()))
        .collect()
}

/// Returns the target of a pool. The form in which nodes name a release is only worth mentioning if
/// it has a suffix.
fn now<'h>(history: &'h History, unknown: &UnknownReleases, runtime: &str) -> Option<Target<'h>> {
    let mut target = Target::resolve(history, runtime, unknown).ok()?;
    let name = ReleaseName::parse(runtime)?;
    target.head.given = target.head.given.filter(|_| !name.suffix.is_empty());
    Some(target)
}

/// Adds the cluster to a report: removes the verdicts for runtimes of nodes on which a plugin does
/// not run, and lists the nodes with an unknown runtime as skipped. `asked` are the names of the
/// targets that apply to every plugin.
pub(crate) fn apply(report: &mut CheckReport, cluster: ClusterView, asked: &[String]) {
    for subject in &mut report.subjects {
        let now = cluster.targets(&subject.nodes);
        subject.verdicts.retain(|verdict| {
            asked.contains(&verdict.target) || now.contains(verdict.target.as_str())
        });
    }
    for pool in &cluster.pools {
        if pool.target.is_none() && !pool.is_without_plugins {
            let place = format!("cluster {}: {}", cluster.name, pool.phrase());
            let skipped = Skipped::new(place, SkipKind::UnsupportedFormat, pool.judged());
            report.skipped.push(skipped);
        }
    }
    report.summary.skipped = report.skipped.len() as u64;
    report.cluster = Some(cluster);
}
