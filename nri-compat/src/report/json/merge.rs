//! The JSON report of `merge`.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::check::{JsonBuilt, JsonSkipped, built, skipped};
use super::{SCHEMA, print};
use crate::report::check::Outcome;
use crate::report::merge::{MergeReport, MergedCluster, MergedPlugin, MergedPool, MergedVerdict};

#[derive(Serialize)]
struct JsonMerge<'r> {
    schema: u32,
    plugins: Vec<JsonPlugin<'r>>,
    clusters: Vec<JsonCluster<'r>>,
    silent: &'r [String],
    without_host: &'r [String],
    without_cluster: &'r [String],
    skipped: Vec<JsonSkipped<'r>>,
    summary: JsonSummary,
}

#[derive(Serialize)]
struct JsonPlugin<'r> {
    path: &'r str,
    name: Option<&'r str>,
    index: Option<&'r str>,
    program: Option<&'r str>,
    nri: JsonBuilt<'r>,
    nodes: u64,
    first_seen: Option<&'r str>,
    last_seen: Option<&'r str>,
    events: &'r [String],
    verdicts: Vec<JsonVerdict<'r>>,
}

#[derive(Serialize)]
struct JsonCluster<'r> {
    name: &'r str,
    server: &'r str,
    pools: Vec<JsonPool<'r>>,
}

#[derive(Serialize)]
struct JsonPool<'r> {
    runtime: &'r str,
    target: Option<&'r str>,
    note: Option<&'r str>,
    nodes: &'r [String],
    reported: u64,
}

#[derive(Serialize)]
struct JsonVerdict<'r> {
    target: &'r str,
    nodes: Counts,
}

#[derive(Serialize)]
struct JsonSummary {
    reports: u64,
    nodes: u64,
    clusters: u64,
    unnamed: u64,
    superseded: u64,
    expected: u64,
    silent: u64,
    plugins: u64,
    beyond: u64,
    skipped: u64,
}

/// The numbers of nodes by verdict; all five are always present.
struct Counts([u64; Outcome::ALL.len()]);

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (outcome, count) in Outcome::ALL.iter().zip(self.0) {
            map.serialize_entry(outcome.as_str(), &count)?;
        }
        map.end()
    }
}

/// Renders the answer of `merge` as JSON.
pub fn merge(report: &MergeReport) -> String {
    print(&JsonMerge {
        schema: SCHEMA,
        plugins: report.plugins.iter().map(plugin).collect(),
        clusters: report.clusters.iter().map(cluster).collect(),
        silent: &report.silent,
        without_host: &report.without_host,
        without_cluster: &report.without_cluster,
        skipped: report.skipped.iter().map(skipped).collect(),
        summary: JsonSummary {
            reports: report.reports,
            nodes: report.nodes,
            clusters: report.clusters.len() as u64,
            unnamed: report.unnamed,
            superseded: report.superseded,
            expected: report.expected,
            silent: report.silent.len() as u64,
            plugins: report.plugins.len() as u64,
            beyond: report.beyond,
            skipped: report.skipped_in_all,
        },
    })
}

fn plugin(plugin: &MergedPlugin) -> JsonPlugin<'_> {
    JsonPlugin {
        path: &plugin.path,
        name: plugin.name.as_deref(),
        index: plugin.index.as_deref(),
        program: plugin.program.as_deref(),
        nri: built(&plugin.nri),
        nodes: plugin.nodes,
        first_seen: plugin.first_seen.as_deref(),
        last_seen: plugin.last_seen.as_deref(),
        events: &plugin.events,
        verdicts: plugin.verdicts.iter().map(verdict).collect(),
    }
}

fn cluster(cluster: &MergedCluster) -> JsonCluster<'_> {
    JsonCluster {
        name: &cluster.name,
        server: &cluster.server,
        pools: cluster.pools.iter().map(pool).collect(),
    }
}

fn pool(pool: &MergedPool) -> JsonPool<'_> {
    JsonPool {
        runtime: &pool.runtime,
        target: pool.target.as_deref(),
        note: pool.note.as_deref(),
        nodes: &pool.nodes,
        reported: pool.reported,
    }
}

fn verdict(verdict: &MergedVerdict) -> JsonVerdict<'_> {
    JsonVerdict {
        target: &verdict.target,
        nodes: Counts(verdict.counts),
    }
}
