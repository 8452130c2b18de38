//! The values that templates of `merge` see: the JSON document and the phrases that all formats share.

use minijinja::context;
use minijinja::value::{Serde, Value, merge_maps};

use super::check::pool;
use super::{Templated, page};
use crate::report::check::Outcome;
use crate::report::count::counted;
use crate::report::merge::{
    MergeReport, MergedCluster, MergedPlugin, MergedPool, WITHOUT_CLUSTER, WITHOUT_HOST,
};

impl Templated for &MergeReport {
    const NAME: &'static str = "merge";

    fn context(self) -> Value {
        context(self)
    }
}

fn context(report: &MergeReport) -> Value {
    let names: Vec<&str> = report.targets().into_iter().collect();
    let targets = names.iter().map(|&target| {
        let shares = page::shares(&report.counts_under(target));
        context! { name => target.to_owned(), notes => None::<String>, shares }
    });
    let outcomes = Outcome::ALL.map(|outcome| {
        let plugins = report.plugins.iter();
        let count = plugins.filter(|plugin| plugin.has(outcome)).count();
        context! { word => outcome.as_str(), count }
    });
    let plugins = report.plugins.iter().map(|one| plugin(one, &names));
    let clusters = report.clusters.iter().map(cluster);
    let phrases = context! {
        headline => report.headline(),
        phrase => report.phrase(),
        nodes_phrase => counted(report.summary.nodes, "node"),
        targets => targets.collect::<Vec<Value>>(),
        outcomes => outcomes.to_vec(),
        plugins => plugins.collect::<Vec<Value>>(),
        cluster_pools => clusters.collect::<Vec<Value>>(),
        without_host_title => WITHOUT_HOST,
        without_cluster_title => WITHOUT_CLUSTER,
        more_skipped => report.more_skipped(),
    };
    merge_maps([Value::from(Serde(report)), phrases])
}

fn plugin(plugin: &MergedPlugin, targets: &[&str]) -> Value {
    let cells = targets.iter().map(|target| {
        let outcomes = plugin.outcomes_under(target).into_iter();
        let outcomes = outcomes.map(|(outcome, count)| {
            context! { word => outcome.as_str(), count }
        });
        outcomes.collect::<Vec<Value>>()
    });
    let phrases = targets.iter().map(|target| plugin.outcomes_phrase(target));
    context! {
        label => plugin.label(),
        built => plugin.nri.phrase(),
        cells => cells.collect::<Vec<_>>(),
        phrases => phrases.collect::<Vec<String>>(),
        ..Serde(plugin),
    }
}

fn cluster(cluster: &MergedCluster) -> Value {
    let pools = cluster.pools.iter().map(merged_pool);
    context! { phrase => cluster.phrase(), pools => pools.collect::<Vec<Value>>() }
}

fn merged_pool(merged: &MergedPool) -> Value {
    context! { hosts => merged.hosts(), ..pool(&merged.pool) }
}
