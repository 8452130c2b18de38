//! Metrics as OpenMetrics text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nri::api::ContainerAdjustment;
use nri::wire::CallError;

use super::Metrics;

/// Upper bounds of the latency histogram in seconds.
const BOUNDS: [f64; 14] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.25, 0.5, 1.0,
    2.0,
];

/// Pairs of plugin and operation that are counted apart. A peer chooses its own name, so there is no natural
/// bound; further ones are counted as plugin `other`.
const MAX_SERIES: usize = 4096;

/// Counts the four signals and renders them as
/// [OpenMetrics](https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md) text. Clones
/// share the counters.
///
/// ```
/// use nri_adaptation::{Metrics, OpenMetrics};
///
/// let metrics = OpenMetrics::default();
/// metrics.plugin_count(2);
/// assert!(metrics.render().contains("nri_plugins 2\n"));
/// assert!(metrics.render().ends_with("# EOF\n"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenMetrics(Arc<Mutex<Counters>>);

#[derive(Debug, Default)]
struct Counters {
    series: BTreeMap<String, BTreeMap<String, Series>>,
    size: usize,
    plugins: usize,
}

#[derive(Debug, Default)]
struct Series {
    succeeded: u64,
    failed: u64,
    buckets: [u64; BOUNDS.len()],
    observed: u64,
    seconds: f64,
    adjustments: u64,
    updates: u64,
    evictions: u64,
}

impl OpenMetrics {
    /// Renders all metrics, ending with `# EOF`.
    pub fn render(&self) -> String {
        let counters = self.counters();
        let mut text = String::new();
        let results =
            |series: &Series| vec![("success", series.succeeded), ("error", series.failed)];
        let kinds = |series: &Series| {
            vec![
                ("adjustment", series.adjustments),
                ("update", series.updates),
                ("eviction", series.evictions),
            ]
        };
        let name = "nri_plugin_invocations";
        header(
            &mut text,
            name,
            "counter",
            "Invocations of a plugin, by result.",
        );
        counters.family(&mut text, name, "result", results);
        counters.latency(&mut text);
        let name = "nri_plugin_adjustments";
        header(
            &mut text,
            name,
            "counter",
            "Changes that a plugin requested in its answers.",
        );
        counters.family(&mut text, name, "kind", kinds);
        header(
            &mut text,
            "nri_plugins",
            "gauge",
            "Plugins that are connected and synchronized.",
        );
        line(&mut text, format_args!("nri_plugins {}", counters.plugins));
        text.push_str("# EOF\n");
        text
    }

    fn counters(&self) -> MutexGuard<'_, Counters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Metrics for OpenMetrics {
    fn invocation(&self, plugin: &str, operation: &str, error: Option<&CallError>) {
        let mut counters = self.counters();
        let series = counters.of(plugin, operation);
        if error.is_some() {
            series.failed += 1;
        } else {
            series.succeeded += 1;
        }
    }

    fn latency(&self, plugin: &str, operation: &str, latency: Duration) {
        let mut counters = self.counters();
        let series = counters.of(plugin, operation);
        let seconds = latency.as_secs_f64();
        series.observed += 1;
        series.seconds += seconds;
        let within = BOUNDS.iter().position(|bound| seconds <= *bound);
        if let Some(bucket) = within.and_then(|at| series.buckets.get_mut(at)) {
            *bucket += 1;
        }
    }

    fn adjustments(
        &self,
        plugin: &str,
        operation: &str,
        adjustment: Option<&ContainerAdjustment>,
        updates: usize,
        evictions: usize,
    ) {
        let mut counters = self.counters();
        let series = counters.of(plugin, operation);
        series.adjustments += u64::from(adjustment.is_some());
        series.updates += updates as u64;
        series.evictions += evictions as u64;
    }

    fn plugin_count(&self, count: usize) {
        self.counters().plugins = count;
    }
}

impl Counters {
    fn of(&mut self, plugin: &str, operation: &str) -> &mut Series {
        let known = self
            .series
            .get(plugin)
            .is_some_and(|operations| operations.contains_key(operation));
        let plugin = if known || self.size < MAX_SERIES {
            plugin
        } else {
            "other"
        };
        if !self.series.contains_key(plugin) {
            self.series.insert(plugin.to_owned(), BTreeMap::new());
        }
        let operations = self.series.entry(plugin.to_owned()).or_default();
        if !operations.contains_key(operation) {
            self.size += 1;
        }
        operations.entry(operation.to_owned()).or_default()
    }

    fn each(&self) -> impl Iterator<Item = (String, &Series)> {
        self.series.iter().flat_map(|(plugin, operations)| {
            operations.iter().map(|(operation, series)| {
                let (plugin, operation) = (escaped(plugin), escaped(operation));
                (
                    format!("plugin=\"{plugin}\",operation=\"{operation}\""),
                    series,
                )
            })
        })
    }

    fn family(
        &self,
        text: &mut String,
        name: &str,
        label: &str,
        values: impl Fn(&Series) -> Vec<(&'static str, u64)>,
    ) {
        for (labels, series) in self.each() {
            for (value, count) in values(series) {
                line(
                    text,
                    format_args!("{name}_total{{{labels},{label}=\"{value}\"}} {count}"),
                );
            }
        }
    }

    fn latency(&self, text: &mut String) {
        let name = "nri_plugin_latency_seconds";
        let help = "Time from sending a request to a plugin to its answer.";
        header(text, name, "histogram", help);
        line(text, format_args!("# UNIT {name} seconds"));
        for (labels, series) in self.each() {
            let mut total = 0;
            for (bound, count) in BOUNDS.iter().zip(series.buckets) {
                total += count;
                line(
                    text,
                    format_args!("{name}_bucket{{{labels},le=\"{bound}\"}} {total}"),
                );
            }
            let (observed, seconds) = (series.observed, series.seconds);
            line(
                text,
                format_args!("{name}_bucket{{{labels},le=\"+Inf\"}} {observed}"),
            );
            line(text, format_args!("{name}_count{{{labels}}} {observed}"));
            line(text, format_args!("{name}_sum{{{labels}}} {seconds}"));
        }
    }
}

fn header(text: &mut String, name: &str, kind: &str, help: &str) {
    line(
        text,
        format_args!("# TYPE {name} {kind}\n# HELP {name} {help}"),
    );
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{content}");
}

/// Escapes a label value.
fn escaped(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    escaped.replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_signals_are_rendered() {
        let metrics = OpenMetrics::default();
        metrics.invocation("10-a", "CreateContainer", None);
        metrics.invocation("10-a", "CreateContainer", Some(&CallError::Closed));
        metrics.latency("10-a", "CreateContainer", Duration::from_micros(80));
        metrics.latency("10-a", "CreateContainer", Duration::from_secs(3));
        let adjustment = ContainerAdjustment::default();
        metrics.adjustments("10-a", "CreateContainer", Some(&adjustment), 2, 1);
        metrics.plugin_count(1);
        let text = metrics.render();
        let labels = "plugin=\"10-a\",operation=\"CreateContainer\"";
        for line in [
            format!("nri_plugin_invocations_total{{{labels},result=\"success\"}} 1"),
            format!("nri_plugin_invocations_total{{{labels},result=\"error\"}} 1"),
            format!("nri_plugin_latency_seconds_bucket{{{labels},le=\"0.0001\"}} 1"),
            format!("nri_plugin_latency_seconds_bucket{{{labels},le=\"2\"}} 1"),
            format!("nri_plugin_latency_seconds_bucket{{{labels},le=\"+Inf\"}} 2"),
            format!("nri_plugin_latency_seconds_sum{{{labels}}} 3.00008"),
            format!("nri_plugin_adjustments_total{{{labels},kind=\"update\"}} 2"),
            "nri_plugins 1".to_owned(),
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn names_of_plugins_are_escaped_and_bounded() {
        let metrics = OpenMetrics::default();
        metrics.invocation("10-\"\\\n", "X", None);
        assert!(metrics.render().contains(r#"plugin="10-\"\\\n""#));
        for nth in 0..2 * MAX_SERIES {
            metrics.invocation(&nth.to_string(), "X", None);
        }
        let text = metrics.render();
        assert!(text.contains("plugin=\"other\""));
        assert!(metrics.counters().size <= MAX_SERIES + 1);
    }
}
