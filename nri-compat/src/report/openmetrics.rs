//! OpenMetrics text for the textfile collector of node exporters:
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/>
//!
//! All metrics are gauges, so that parsers of the older Prometheus text format accept it as well.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::check::{CheckReport, CheckTarget, ClusterView, NodePool, Outcome, Subject, Verdict};
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
    verdicts(report, out)?;
    let nodes = report.cluster.as_ref().map(nodes).unwrap_or_default();
    let on_nodes = plugin_nodes(report);
    let families = [
        counts(report),
        suppressed(report),
        nodes,
        on_nodes,
        removals(report),
        about(report),
        scan(report),
    ];
    out.write_all(families.concat().as_bytes())?;
    out.write_all(b"# EOF\n")
}

/// Writes one sample per plugin and target. Equal samples are merged, because no two may have the
/// same labels.
fn verdicts(report: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    let samples: BTreeSet<String> = report
        .verdicts()
        .map(|(subject, verdict)| sample("nri_compat_verdict", &labels(subject, verdict), 1))
        .collect();
    let family = family(
        "nri_compat_verdict",
        "",
        "Verdicts on plugins by target: 1 for the current verdict.",
    );
    out.write_all(family.as_bytes())?;
    samples
        .iter()
        .try_for_each(|sample| out.write_all(sample.as_bytes()))
}

fn labels<'r>(subject: &'r Subject, verdict: &'r Verdict) -> Vec<(&'static str, String)> {
    let suppressed = verdict.suppressed.is_some();
    vec![
        ("target", verdict.target.clone()),
        ("plugin", subject.label()),
        ("path", subject.place.whole_file().to_string()),
        ("kind", subject.kind.as_str().to_owned()),
        ("verdict", verdict.outcome.as_str().to_owned()),
        ("rule", verdict.rule.to_owned()),
        (
            "removal",
            verdict.planned_removal.clone().unwrap_or_default(),
        ),
        ("suppressed", suppressed.to_string()),
    ]
}

/// Returns all five outcomes for every target, including zeros, so that a count that drops to zero
/// does not look like missing data.
fn counts(report: &CheckReport) -> String {
    let of = |target: &CheckTarget| -> String {
        let sample = |outcome: Outcome| {
            let labels = [
                ("target", target.name.clone()),
                ("verdict", outcome.as_str().to_owned()),
            ];
            let count = count(report, target, |verdict| {
                verdict.outcome == outcome && verdict.suppressed.is_none()
            });
            sample("nri_compat_verdicts", &labels, count)
        };
        Outcome::ALL.map(sample).concat()
    };
    let samples: String = report.targets.iter().map(of).collect();
    family("nri_compat_verdicts", "", "Verdicts that count, by target.") + &samples
}

fn suppressed(report: &CheckReport) -> String {
    let of = |target: &CheckTarget| {
        let count = count(report, target, |verdict| verdict.suppressed.is_some());
        sample(
            "nri_compat_suppressed_verdicts",
            &[("target", target.name.clone())],
            count,
        )
    };
    let samples: String = report.targets.iter().map(of).collect();
    family(
        "nri_compat_suppressed_verdicts",
        "",
        "Verdicts that the policy or the baseline suppress, by target.",
    ) + &samples
}

fn count(report: &CheckReport, target: &CheckTarget, which: impl Fn(&Verdict) -> bool) -> u64 {
    let verdicts = report.verdicts().map(|(_, verdict)| verdict);
    let counted = verdicts.filter(|verdict| verdict.target == target.name && which(verdict));
    counted.count() as u64
}

/// Returns the number of nodes of each runtime.
fn nodes(cluster: &ClusterView) -> String {
    let of = |pool: &NodePool| {
        let labels = [
            ("cluster", cluster.name.clone()),
            ("runtime", pool.runtime.clone()),
            ("target", pool.target().unwrap_or_default().to_owned()),
            ("note", pool.note().unwrap_or_default().to_owned()),
        ];
        sample("nri_compat_nodes", &labels, pool.nodes.len() as u64)
    };
    let samples: String = cluster.pools.iter().map(of).collect();
    family("nri_compat_nodes", "", "Nodes of the cluster by runtime.") + &samples
}

/// Returns the number of nodes on which each plugin runs; nothing without a cluster.
fn plugin_nodes(report: &CheckReport) -> String {
    if report.cluster.is_none() {
        return String::new();
    }
    let judged = report.subjects.iter();
    let judged = judged.filter(|subject| !subject.verdicts.is_empty());
    let samples: BTreeSet<String> = judged
        .map(|subject| {
            let labels = [
                ("plugin", subject.label()),
                ("path", subject.place.whole_file().to_string()),
                ("kind", subject.kind.as_str().to_owned()),
            ];
            sample(
                "nri_compat_plugin_nodes",
                &labels,
                subject.nodes.len() as u64,
            )
        })
        .collect();
    let help = "Nodes on which the cluster runs a plugin.";
    family("nri_compat_plugin_nodes", "", help) + &samples.into_iter().collect::<String>()
}

/// Returns the expected times of the planned removals that verdicts name in their label `removal`.
fn removals(report: &CheckReport) -> String {
    const NAME: &str = "nri_compat_planned_removal_timestamp_seconds";
    let samples: String = report
        .removals
        .iter()
        .filter_map(|removal| {
            let labels = [("removal", removal.when.clone())];
            Some(sample(NAME, &labels, seconds_of_day(&removal.expected)?))
        })
        .collect();
    family(
        NAME,
        "seconds",
        "Expected time of a planned removal, estimated for releases that are not out yet.",
    ) + &samples
}

/// Returns the node and the time of the scan, if known, and the time of the tables.
fn about(report: &CheckReport) -> String {
    let node = report.summary.node.iter();
    let node = node.map(|node| sample("nri_compat_scan_info", &[("node", node.clone())], 1));
    let at = report.summary.at.as_deref().and_then(seconds_of_time);
    let data = seconds_of_day(&report.data_date);
    let time = |name: &str, help: &str, seconds: Option<u64>| {
        let seconds = seconds.map(|seconds| format!("{name} {seconds}\n"));
        family(name, "seconds", help) + &seconds.unwrap_or_default()
    };
    [
        family("nri_compat_scan_info", "", "Node of the scan.") + &node.collect::<String>(),
        time("nri_compat_scan_timestamp_seconds", "Time of the scan.", at),
        time(
            "nri_compat_data_timestamp_seconds",
            "Time of the newest release in the tables.",
            data,
        ),
    ]
    .concat()
}

/// Returns the start of a day (`YYYY-MM-DD`, UTC) in seconds since 1970.
fn seconds_of_day(date: &str) -> Option<u64> {
    let day = date.parse::<jiff::civil::Date>().ok()?;
    let start = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    u64::try_from(start.timestamp().as_second()).ok()
}

/// Returns a time (RFC 3339) in seconds since 1970.
fn seconds_of_time(at: &str) -> Option<u64> {
    let at = at.parse::<jiff::Timestamp>().ok()?;
    u64::try_from(at.as_second()).ok()
}

/// Adds the counts of checked files.
fn scan(report: &CheckReport) -> String {
    let summary = &report.summary;
    let seconds = format!("{}.{:03}", summary.millis / 1000, summary.millis % 1000);
    let gauge = |name: &str, unit: &str, help: &str, value: &str| {
        format!("{}{name} {value}\n", family(name, unit, help))
    };
    [
        gauge(
            "nri_compat_scan_files",
            "",
            "Files opened.",
            &summary.files.to_string(),
        ),
        gauge(
            "nri_compat_scan_plugins",
            "",
            "Plugins found.",
            &summary.plugins.to_string(),
        ),
        gauge(
            "nri_compat_scan_skipped",
            "",
            "Places that could not be checked.",
            &summary.skipped.to_string(),
        ),
        gauge(
            "nri_compat_scan_size_bytes",
            "bytes",
            "Bytes in the files opened.",
            &summary.bytes.to_string(),
        ),
        gauge(
            "nri_compat_scan_duration_seconds",
            "seconds",
            "Time taken.",
            &seconds,
        ),
    ]
    .concat()
}

/// Returns the lines before the samples of a family.
fn family(name: &str, unit: &str, help: &str) -> String {
    let unit = match unit {
        "" => String::new(),
        unit => format!("# UNIT {name} {unit}\n"),
    };
    format!("# TYPE {name} gauge\n{unit}# HELP {name} {help}\n")
}

fn sample(name: &str, labels: &[(&'static str, String)], value: u64) -> String {
    let labels: Vec<String> = labels
        .iter()
        .map(|(key, value)| format!("{key}=\"{}\"", escaped(value)))
        .collect();
    format!("{name}{{{}}} {value}\n", labels.join(","))
}

fn escaped(value: &str) -> String {
    visible(value).replace('\\', "\\\\").replace('"', "\\\"")
}
