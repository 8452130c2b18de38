//! The runtimes that the nodes of a cluster run now, as targets.

use std::collections::BTreeSet;

use nri_schema::history::History;

use super::target::{ReleaseName, Target, UnknownReleases};
use crate::report::check::{CheckReport, ClusterView, Judged, NodePool};
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
    let judged = if system == SYSTEM {
        judged(history, unknown, &runtime)
    } else {
        Judged::NoPlugins(format!("NRI plugins do not run on {system}"))
    };
    NodePool {
        runtime,
        judged,
        nodes,
    }
}

fn judged(history: &History, unknown: &UnknownReleases, runtime: &str) -> Judged {
    let Some(name) = ReleaseName::parse(runtime) else {
        return Judged::Unknown("the nodes do not name the release of their runtime".to_owned());
    };
    if !RUNTIMES.contains(&name.name.as_str()) {
        return Judged::NoPlugins("this runtime does not support NRI".to_owned());
    }
    match Target::resolve(history, runtime, unknown) {
        Ok(target) => Judged::As(target.head.name),
        Err(error) => Judged::Unknown(match error.help() {
            Some(help) => format!("{error}; {help}"),
            None => error.to_string(),
        }),
    }
}

/// Returns the targets of the pools, then `targets`, each target once.
pub(crate) fn with_targets<'h>(
    history: &'h History,
    unknown: &UnknownReleases,
    pools: &[NodePool],
    targets: Vec<Target<'h>>,
) -> Vec<Target<'h>> {
    let judged = pools.iter().filter(|pool| pool.target().is_some());
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
    let targets = cluster.targets();
    for subject in &mut report.subjects {
        let now = targets.of_nodes(&subject.nodes);
        subject.verdicts.retain(|verdict| {
            asked.contains(&verdict.target) || now.contains(verdict.target.as_str())
        });
    }
    for pool in &cluster.pools {
        if let Judged::Unknown(_) = pool.judged {
            let place = format!("cluster {}: {}", cluster.name, pool.phrase());
            let skipped = Skipped::new(place, SkipKind::UnsupportedFormat, pool.judged());
            report.skipped.push(skipped);
        }
    }
    report.summary.skipped = report.skipped.len() as u64;
    report.cluster = Some(cluster);
}
