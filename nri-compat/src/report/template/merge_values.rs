//! The values that templates of `merge` see: the JSON document, and in addition what several formats need of it.

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::Templated;
use super::check_values::pool;
use crate::report::merge::{MergeReport, MergedCluster, MergedPool};

impl Templated for &MergeReport {
    const NAME: &'static str = "merge";

    fn context(self) -> Value {
        let targets = self.targets().into_iter().map(|name| {
            let counts = Value::from(Serde(self.counts_under(name)));
            context! { name, counts }
        });
        let plugins = self.plugins.iter();
        let plugins = plugins.map(|plugin| context! { label => plugin.label(), ..Serde(plugin) });
        context! {
            targets => targets.collect::<Vec<Value>>(),
            plugins => plugins.collect::<Vec<Value>>(),
            clusters => self.clusters.iter().map(cluster).collect::<Vec<Value>>(),
            ..Serde(self),
        }
    }
}

fn cluster(cluster: &MergedCluster) -> Value {
    let merged = |one: &MergedPool| context! { reported => one.reported, ..pool(&one.pool) };
    let pools: Vec<Value> = cluster.pools.iter().map(merged).collect();
    context! { pools, ..Serde(cluster) }
}
