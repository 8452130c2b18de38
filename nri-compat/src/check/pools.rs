//! The runtimes that the nodes of a cluster run now, as targets.

use std::collections::BTreeSet;

use nri_schema::history::History;

use super::target::{ReleaseName, Target, UnknownReleases};
use crate::report::check::{CheckReport, ClusterView, Judged, NodePool};
use crate::skipped::{SkipKind, Skipped};

/// The runtimes that can run NRI plugins.
const RUNTIMES: [&str; 2] = ["containerd", "cri-o"];

/// Sets the release that the runtime of each pool stands for, unless no plugins run on its nodes. Returns
/// the targets of the pools, then `targets`, each target once.
pub(crate) fn judge<'h>(
    history: &'h History,
    unknown: &UnknownReleases,
    pools: &mut [NodePool],
    targets: Vec<Target<'h>>,
) -> Vec<Target<'h>> {
    let mut now = Vec::new();
    for pool in pools {
        if let Judged::NoPlugins(_) = pool.judged {
            continue;
        }
        pool.judged = match target(history, unknown, &pool.runtime) {
            Ok(target) => {
                let name = target.head.name.clone();
                now.push(target);
                Judged::As(name)
            }
            Err(judged) => judged,
        };
    }
    let mut names = BTreeSet::new();
    let all = now.into_iter().chain(targets);
    all.filter(|target| names.insert(target.head.name.clone()))
        .collect()
}

/// Returns the target of a runtime, or why there is none. The form in which nodes name a release is only
/// worth mentioning if it has a suffix.
fn target<'h>(
    history: &'h History,
    unknown: &UnknownReleases,
    runtime: &str,
) -> Result<Target<'h>, Judged> {
    let Some(name) = ReleaseName::parse(runtime) else {
        let reason = "the nodes do not name the release of their runtime";
        return Err(Judged::Unknown(reason.to_owned()));
    };
    if !RUNTIMES.contains(&name.name.as_str()) {
        let reason = "this runtime does not support NRI";
        return Err(Judged::NoPlugins(reason.to_owned()));
    }
    let target = Target::resolve(history, runtime, unknown);
    let mut target = target.map_err(|error| {
        Judged::Unknown(match error.help() {
            Some(help) => format!("{error}; {help}"),
            None => error.to_string(),
        })
    })?;
    target.head.given = target.head.given.filter(|_| !name.suffix.is_empty());
    Ok(target)
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
