//! OpenMetrics text for the textfile collector of node exporters:
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/>
//!
//! All metrics are gauges, so that parsers of the older Prometheus text format accept it as well.

use std::fmt::Display;
use std::io::{self, Write};

use super::check::{CheckReport, Outcome, Summary};
use super::written;
use crate::escape::visible;

/// Renders the answer of `check` or `logs` as OpenMetrics text.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report, out))
}

/// Writes the answer of `check` or `logs` as OpenMetrics text.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    verdicts(report).write(out)?;
    counts(report).write(out)?;
    suppressed(report).write(out)?;
    for family in nodes(report).into_iter().flatten() {
        family.write(out)?;
    }
    removals(report).write(out)?;
    for family in about(report).iter().chain(&scan(&report.summary)) {
        family.write(out)?;
    }
    out.write_all(b"# EOF\n")
}

/// A metric with its samples.
struct Family {
    name: &'static str,
    help: &'static str,
    samples: Vec<String>,
}

impl Family {
    fn new(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            help,
            samples: Vec::new(),
        }
    }

    fn add(&mut self, labels: &[(&str, &str)], value: impl Display) {
        let labels = labels.iter();
        let labels = labels.map(|(key, value)| format!("{key}=\"{}\"", escaped(value)));
        let labels: Vec<String> = labels.collect();
        let labels = format!("{{{}}}", labels.join(","));
        let labels = labels.trim_start_matches("{}");
        let sample = format!("{}{labels} {value}\n", self.name);
        self.samples.push(sample);
    }

    fn with(mut self, value: Option<impl Display>) -> Self {
        value.into_iter().for_each(|value| self.add(&[], value));
        self
    }

    /// Sorts the samples and merges equal ones, because no two may have the same labels.
    fn merged(mut self) -> Self {
        self.samples.sort_unstable();
        self.samples.dedup();
        self
    }

    /// Writes the family. A name that has a unit ends with it.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { name, help, .. } = self;
        writeln!(out, "# TYPE {name} gauge")?;
        let mut units = ["seconds", "bytes"].into_iter();
        if let Some(unit) = units.find(|unit| name.ends_with(unit)) {
            writeln!(out, "# UNIT {name} {unit}")?;
        }
        writeln!(out, "# HELP {name} {help}")?;
        let mut samples = self.samples.iter();
        samples.try_for_each(|sample| out.write_all(sample.as_bytes()))
    }
}

fn escaped(value: &str) -> String {
    visible(value).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns one sample per plugin and target.
fn verdicts(report: &CheckReport) -> Family {
    let help = "Verdicts on plugins by target: 1 for the current verdict.";
    let mut family = Family::new("nri_compat_verdict", help);
    for (subject, verdict) in report.verdicts() {
        let suppressed = verdict.suppressed.is_some().to_string();
        let labels = [
            ("target", verdict.target.as_str()),
            ("plugin", &subject.label()),
            ("path", &subject.place.whole_file().to_string()),
            ("kind", subject.kind.as_str()),
            ("verdict", verdict.outcome.as_str()),
            ("rule", verdict.rule),
            (
                "removal",
                verdict.planned_removal.as_deref().unwrap_or_default(),
            ),
            ("suppressed", &suppressed),
        ];
        family.add(&labels, 1);
    }
    family.merged()
}

/// Returns all five outcomes for every target, including zeros, so that a count that drops to zero
/// does not look like missing data.
fn counts(report: &CheckReport) -> Family {
    let mut family = Family::new("nri_compat_verdicts", "Verdicts that count, by target.");
    for target in &report.targets {
        let counts = report.counts_under(&target.name).by_outcome();
        for (outcome, count) in Outcome::ALL.into_iter().zip(counts) {
            let labels = [
                ("target", target.name.as_str()),
                ("verdict", outcome.as_str()),
            ];
            family.add(&labels, count);
        }
    }
    family
}

fn suppressed(report: &CheckReport) -> Family {
    let help = "Verdicts that the policy or the baseline suppress, by target.";
    let mut family = Family::new("nri_compat_suppressed_verdicts", help);
    for target in &report.targets {
        let counts = report.counts_under(&target.name);
        family.add(&[("target", &target.name)], counts.suppressed);
    }
    family
}

/// Returns the number of nodes of each runtime, and of those on which each plugin runs; `None` without a cluster.
fn nodes(report: &CheckReport) -> Option<[Family; 2]> {
    let cluster = report.cluster.as_ref()?;
    let mut nodes = Family::new("nri_compat_nodes", "Nodes of the cluster by runtime.");
    for pool in &cluster.pools {
        let labels = [
            ("cluster", cluster.name.as_str()),
            ("runtime", &pool.runtime),
            ("target", pool.target.as_deref().unwrap_or_default()),
            ("note", pool.note.as_deref().unwrap_or_default()),
        ];
        nodes.add(&labels, pool.nodes.len());
    }
    let help = "Nodes on which the cluster runs a plugin.";
    let mut plugins = Family::new("nri_compat_plugin_nodes", help);
    let judged = report.subjects.iter();
    for subject in judged.filter(|subject| !subject.verdicts.is_empty()) {
        let labels = [
            ("plugin", subject.label()),
            ("path", subject.place.whole_file().to_string()),
            ("kind", subject.kind.as_str().to_owned()),
        ];
        let labels = labels.each_ref().map(|(key, value)| (*key, value.as_str()));
        plugins.add(&labels, subject.nodes.len());
    }
    Some([nodes, plugins.merged()])
}

/// Returns the expected times of the planned removals that verdicts name in their label `removal`.
fn removals(report: &CheckReport) -> Family {
    let help = "Expected time of a planned removal, estimated for releases that are not out yet.";
    let mut family = Family::new("nri_compat_planned_removal_timestamp_seconds", help);
    for removal in &report.removals {
        if let Some(seconds) = seconds_of_day(&removal.expected) {
            family.add(&[("removal", &removal.when)], seconds);
        }
    }
    family
}

/// Returns the node and the time of the scan, if known, and the time of the tables.
fn about(report: &CheckReport) -> [Family; 3] {
    let mut info = Family::new("nri_compat_scan_info", "Node of the scan.");
    if let Some(node) = &report.summary.node {
        info.add(&[("node", node)], 1);
    }
    let at = report.summary.at.as_deref();
    let data_help = "Time of the newest release in the tables.";
    [
        info,
        Family::new("nri_compat_scan_timestamp_seconds", "Time of the scan.")
            .with(at.and_then(seconds_of_time)),
        Family::new("nri_compat_data_timestamp_seconds", data_help)
            .with(seconds_of_day(&report.data_date)),
    ]
}

/// Returns the start of a day (`YYYY-MM-DD`, UTC) in seconds since 1970.
fn seconds_of_day(date: &str) -> Option<u64> {
    seconds_of_time(&format!("{date}T00:00:00Z"))
}

/// Returns a time (RFC 3339) in seconds since 1970.
fn seconds_of_time(at: &str) -> Option<u64> {
    let at = at.parse::<jiff::Timestamp>().ok()?;
    u64::try_from(at.as_second()).ok()
}

/// Returns the counts of checked files.
fn scan(summary: &Summary) -> [Family; 5] {
    let seconds = format!("{}.{:03}", summary.millis / 1000, summary.millis % 1000);
    [
        Family::new("nri_compat_scan_files", "Files opened.").with(Some(summary.files)),
        Family::new("nri_compat_scan_plugins", "Plugins found.").with(Some(summary.plugins)),
        Family::new(
            "nri_compat_scan_skipped",
            "Places that could not be checked.",
        )
        .with(Some(summary.skipped)),
        Family::new("nri_compat_scan_size_bytes", "Bytes in the files opened.")
            .with(Some(summary.bytes)),
        Family::new("nri_compat_scan_duration_seconds", "Time taken.").with(Some(seconds)),
    ]
}
