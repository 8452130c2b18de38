//! The runtimes that the nodes of a cluster run now, as targets.

use std::collections::BTreeSet;

use nri_schema::history::History;

use super::target::{ReleaseName, Target, UnknownReleases};
use crate::report::check::{ClusterView, NodePool};
use crate::skipped::{SkipKind, Skipped};

/// The runtimes that can run NRI plugins.
const RUNTIMES: [&str; 2] = ["containerd", "cri-o"];

/// Sets the release that the runtime of each pool stands for, unless no plugins run on its nodes.
/// Returns the targets of the pools, then `targets`, each target once: those of the pools apply
/// only to plugins on their nodes, unless `targets` has them, too.
pub(crate) fn judge<'h>(
    history: &'h History,
    unknown: &UnknownReleases,
    pools: &mut [NodePool],
    targets: Vec<Target<'h>>,
) -> Vec<Target<'h>> {
    let mut now: Vec<Target<'h>> = Vec::new();
    for pool in pools.iter_mut().filter(|pool| !pool.is_without_plugins) {
        match target(history, unknown, pool) {
            Ok(target) => {
                pool.target = Some(target.head.name.clone());
                now.push(target);
            }
            Err(note) => pool.note = Some(note),
        }
    }
    for target in &mut now {
        target.is_of_nodes = !targets.iter().any(|asked| asked.head.name == target.head.name);
    }
    let mut names = BTreeSet::new();
    let all = now.into_iter().chain(targets);
    all.filter(|target| names.insert(target.head.name.clone())).collect()
}

/// Returns the target of a pool, or why there is none. The form in which nodes name a release is
/// only worth mentioning if it has a suffix.
fn target<'h>(
    history: &'h History,
    unknown: &UnknownReleases,
    pool: &mut NodePool,
) -> Result<Target<'h>, String> {
    let Some(name) = ReleaseName::parse(&pool.runtime) else {
        return Err("the nodes do not name the release of their runtime".to_owned());
    };
    if !RUNTIMES.contains(&name.name.as_str()) {
        pool.is_without_plugins = true;
        return Err("this runtime does not support NRI".to_owned());
    }
    let mut target =
        Target::resolve(history, &pool.runtime, unknown).map_err(|error| match error.help() {
            Some(help) => format!("{error}; {help}"),
            None => error.to_string(),
        })?;
    target.head.given = target.head.given.filter(|_| !name.suffix.is_empty());
    Ok(target)
}

/// Returns the nodes with an unknown runtime, whose plugins are not judged for it.
pub(crate) fn skipped(cluster: &ClusterView) -> impl Iterator<Item = Skipped> + '_ {
    let unknown =
        cluster.pools.iter().filter(|pool| pool.target.is_none() && !pool.is_without_plugins);
    unknown.map(|pool| {
        let place = format!("cluster {}: {}", cluster.name, pool.phrase());
        Skipped::new(place, SkipKind::UnsupportedFormat, pool.judged())
    })
}
