//! OpenMetrics text for the textfile collector of node exporters:
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/>
//!
//! All metrics are gauges, so that parsers of the older Prometheus text format accept it as well.

use std::fmt::Display;
use std::io::{self, Write};

use super::check::{CheckReport, ClusterView, Incident, Outcome, Subject};
use super::finding::Level;
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
    write_verdicts(report, out)?;
    write_counts(report, out)?;
    write_incidents(report, out)?;
    if let Some(cluster) = &report.cluster {
        write_nodes(report, cluster, out)?;
    }
    write_removals(report, out)?;
    write_scan(report, out)?;
    out.write_all(b"# EOF\n")
}

/// Writes a metric with its samples. A name that has a unit ends with it.
fn write_metric(
    out: &mut dyn Write,
    name: &str,
    help: &str,
    samples: impl IntoIterator<Item = String>,
) -> io::Result<()> {
    writeln!(out, "# TYPE {name} gauge")?;
    if let Some(unit) = ["seconds", "bytes"].into_iter().find(|unit| name.ends_with(unit)) {
        writeln!(out, "# UNIT {name} {unit}")?;
    }
    writeln!(out, "# HELP {name} {help}")?;
    samples.into_iter().try_for_each(|sample| writeln!(out, "{name}{sample}"))
}

/// Returns a sample without the name of its metric: `{target="nri@0.12.5"} 1`.
fn sample(labels: &[(&str, &str)], value: impl Display) -> String {
    let pairs: Vec<String> =
        labels.iter().map(|(key, text)| format!("{key}=\"{}\"", escaped(text))).collect();
    format!("{{{}}} {value}", pairs.join(","))
}

fn escaped(value: &str) -> String {
    visible(value).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Sorts the samples and merges equal ones, because no two may have the same labels.
fn merged(samples: impl Iterator<Item = String>) -> Vec<String> {
    let mut samples: Vec<String> = samples.collect();
    samples.sort_unstable();
    samples.dedup();
    samples
}

/// Returns the path of a subject in labels.
fn path(subject: &Subject) -> String {
    subject.place.whole_file().to_string()
}

/// Writes one sample per plugin and target.
fn write_verdicts(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let samples = report.verdicts().map(|(subject, verdict)| {
        let labels = [
            ("target", verdict.target.as_str()),
            ("plugin", &subject.label()),
            ("path", &path(subject)),
            ("kind", subject.kind.as_str()),
            ("verdict", verdict.outcome.as_str()),
            ("rule", verdict.rule),
            ("removal", verdict.planned_removal.as_deref().unwrap_or_default()),
            ("suppressed", &verdict.suppressed.is_some().to_string()),
        ];
        sample(&labels, 1)
    });
    let help = "Verdicts on plugins by target: 1 for the current verdict.";
    write_metric(out, "nri_compat_verdict", help, merged(samples))
}

/// Writes all five outcomes for every target, including zeros, so that a count that drops to zero
/// does not look like missing data; then the suppressed verdicts.
fn write_counts(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let targets = report.targets.iter().map(|target| target.name.as_str());
    let mut counts: Vec<_> = targets.map(|target| (target, report.counts(Some(target)))).collect();
    let by_outcome = counts.iter_mut().flat_map(|(target, counts)| {
        Outcome::ALL.map(|outcome| {
            let labels = [("target", &**target), ("verdict", outcome.as_str())];
            sample(&labels, counts.of(outcome))
        })
    });
    write_metric(out, "nri_compat_verdicts", "Verdicts that count, by target.", by_outcome)?;
    let suppressed =
        counts.iter().map(|(target, counts)| sample(&[("target", target)], counts.suppressed));
    let help = "Verdicts that the policy or the baseline suppress, by target.";
    write_metric(out, "nri_compat_suppressed_verdicts", help, suppressed)
}

/// Writes one sample per incident and finding about the configuration, and their numbers by level,
/// including zeros.
fn write_incidents(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let samples = report.incidents().map(|(subject, incident)| {
        let labels = [
            ("plugin", &*subject.label()),
            ("path", &path(subject)),
            ("kind", subject.kind.as_str()),
            ("rule", incident.rule),
            ("level", incident.level().as_str()),
            ("happened", incident.plugin.as_str()),
            ("setting", incident.setting.as_deref().unwrap_or_default()),
            ("suppressed", &incident.suppressed.is_some().to_string()),
        ];
        sample(&labels, 1)
    });
    write_metric(
        out,
        "nri_compat_incident",
        "Incidents, and findings about the configuration of a runtime: 1 for each.",
        merged(samples),
    )?;
    let counts = Level::ALL.map(|level| {
        let counted =
            |(_, one): &(&Subject, &Incident)| one.level() == level && one.suppressed.is_none();
        sample(&[("level", level.as_str())], report.incidents().filter(counted).count())
    });
    write_metric(
        out,
        "nri_compat_incidents",
        "Incidents and findings about the configuration that count, by level.",
        counts,
    )
}

/// Writes the number of nodes of each runtime, and of those on which each plugin runs.
fn write_nodes(report: &CheckReport, cluster: &ClusterView, out: &mut dyn Write) -> io::Result<()> {
    let pools = cluster.pools.iter().map(|pool| {
        let labels = [
            ("cluster", cluster.name.as_str()),
            ("runtime", &pool.runtime),
            ("target", pool.target.as_deref().unwrap_or_default()),
            ("note", pool.note.as_deref().unwrap_or_default()),
        ];
        sample(&labels, pool.nodes.len())
    });
    write_metric(out, "nri_compat_nodes", "Nodes of the cluster by runtime.", pools)?;
    let judged = report.subjects.iter().filter(|subject| !subject.verdicts.is_empty());
    let plugins = judged.map(|subject| {
        let (label, path) = (subject.label(), path(subject));
        let labels = [("plugin", label.as_str()), ("path", &path), ("kind", subject.kind.as_str())];
        sample(&labels, subject.nodes.len())
    });
    let help = "Nodes on which the cluster runs a plugin.";
    write_metric(out, "nri_compat_plugin_nodes", help, merged(plugins))
}

/// Writes the expected times of the planned removals that verdicts name in their label `removal`.
fn write_removals(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let samples = report.removals.iter().filter_map(|removal| {
        let seconds = seconds_of_day(&removal.expected)?;
        Some(sample(&[("removal", &removal.when)], seconds))
    });
    let help = "Expected time of a planned removal, estimated for releases that are not out yet.";
    let name = "nri_compat_planned_removal_timestamp_seconds";
    write_metric(out, name, help, samples)
}

/// Writes the node and the time of the scan, if known, the time of the tables, and the counts of
/// checked files.
fn write_scan(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    let node = summary.node.as_ref().map(|node| sample(&[("node", node)], 1));
    write_metric(out, "nri_compat_scan_info", "Node of the scan.", node)?;
    let mut write = |name: &str, help, value: Option<String>| {
        let sample = value.map(|value| format!(" {value}"));
        write_metric(out, &format!("nri_compat_{name}"), help, sample)
    };
    let time = |at: Option<u64>| at.map(|at| at.to_string());
    let made = time(summary.at.as_deref().and_then(seconds_of_time));
    write("scan_timestamp_seconds", "Time of the scan.", made)?;
    let newest = time(seconds_of_day(&report.data_date));
    write("data_timestamp_seconds", "Time of the newest release in the tables.", newest)?;
    for (name, help, count) in [
        ("scan_files", "Files opened.", summary.files),
        ("scan_plugins", "Plugins found.", summary.plugins),
        ("scan_skipped", "Places that could not be checked.", summary.skipped),
        ("scan_size_bytes", "Bytes in the files opened.", summary.bytes),
    ] {
        write(name, help, Some(count.to_string()))?;
    }
    let took = format!("{}.{:03}", summary.millis / 1000, summary.millis % 1000);
    write("scan_duration_seconds", "Time taken.", Some(took))
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
