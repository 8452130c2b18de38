//! Metrics of plugin activity.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nri::__private::{Exposition, Histogram};
use nri::api::ContainerAdjustment;
use nri::wire::CallError;

/// Pairs of plugin and operation that are counted apart. A peer chooses its own name, so there is
/// no natural bound; further ones are counted as plugin `other`.
const MAX_SERIES: usize = 4096;

/// Receives the signals that the Go adaptation has. `plugin` is index and name (`10-logger`),
/// `operation` is an RPC such as `CreateContainer`.
///
/// All methods do nothing by default. They are called from many tasks at once.
pub trait Metrics: Send + Sync + 'static {
    /// Records the end of a plugin's invocation, and its duration.
    fn invocation(
        &self,
        plugin: &str,
        operation: &str,
        latency: Duration,
        error: Option<&CallError>,
    ) {
        let _ = (plugin, operation, latency, error);
    }

    /// Records the content of an answer: an adjustment, and the numbers of updates and evictions.
    fn adjustments(
        &self,
        plugin: &str,
        operation: &str,
        adjustment: Option<&ContainerAdjustment>,
        updates: usize,
        evictions: usize,
    ) {
        let _ = (plugin, operation, adjustment, updates, evictions);
    }

    /// Records the number of plugins that are connected and synchronized.
    fn plugin_count(&self, count: usize) {
        let _ = count;
    }
}

/// Ignores every signal.
pub(super) struct NoMetrics;

impl Metrics for NoMetrics {}

/// Counts the signals and renders them as
/// [OpenMetrics](https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md)
/// text. Clones share the counters.
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
    latency: Histogram,
    adjustments: u64,
    updates: u64,
    evictions: u64,
}

impl OpenMetrics {
    /// Renders all metrics, ending with `# EOF`.
    pub fn render(&self) -> String {
        let counters = self.counters();
        let mut text = Exposition::default();
        counters.family(
            &mut text,
            "nri_plugin_invocations",
            "Invocations of a plugin, by result.",
            "result",
            |series| vec![("success", series.succeeded), ("error", series.failed)],
        );
        counters.latencies(&mut text);
        counters.family(
            &mut text,
            "nri_plugin_adjustments",
            "Changes that a plugin requested in its answers.",
            "kind",
            |series| {
                vec![
                    ("adjustment", series.adjustments),
                    ("update", series.updates),
                    ("eviction", series.evictions),
                ]
            },
        );
        text.family("nri_plugins", "gauge", "Plugins that are connected and synchronized.");
        text.sample("nri_plugins", &[], counters.plugins);
        text.finish()
    }

    fn counters(&self) -> MutexGuard<'_, Counters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Metrics for OpenMetrics {
    fn invocation(
        &self,
        plugin: &str,
        operation: &str,
        latency: Duration,
        error: Option<&CallError>,
    ) {
        let mut counters = self.counters();
        let series = counters.entry(plugin, operation);
        series.latency.count(latency);
        if error.is_some() {
            series.failed += 1;
        } else {
            series.succeeded += 1;
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
        let series = counters.entry(plugin, operation);
        series.adjustments += u64::from(adjustment.is_some());
        series.updates += updates as u64;
        series.evictions += evictions as u64;
    }

    fn plugin_count(&self, count: usize) {
        self.counters().plugins = count;
    }
}

impl Counters {
    fn entry(&mut self, plugin: &str, operation: &str) -> &mut Series {
        let known =
            self.series.get(plugin).is_some_and(|operations| operations.contains_key(operation));
        let plugin = if known || self.size < MAX_SERIES { plugin } else { "other" };
        let operations = self.series.entry(plugin.to_owned()).or_default();
        self.size += usize::from(!operations.contains_key(operation));
        operations.entry(operation.to_owned()).or_default()
    }

    /// Passes each series with its labels to `visit`.
    fn each(&self, mut visit: impl FnMut([(&str, &str); 2], &Series)) {
        for (plugin, operations) in &self.series {
            for (operation, series) in operations {
                visit([("plugin", plugin), ("operation", operation)], series);
            }
        }
    }

    /// Writes counters that differ in the value of a label.
    fn family(
        &self,
        text: &mut Exposition,
        name: &str,
        help: &str,
        label: &str,
        counts: fn(&Series) -> Vec<(&'static str, u64)>,
    ) {
        text.family(name, "counter", help);
        let name = format!("{name}_total");
        self.each(|[plugin, operation], series| {
            for (value, count) in counts(series) {
                text.sample(&name, &[plugin, operation, (label, value)], count);
            }
        });
    }

    fn latencies(&self, text: &mut Exposition) {
        let name = "nri_plugin_latency_seconds";
        let help = "Time from sending a request to a plugin to its answer.";
        text.family(name, "histogram", help);
        self.each(|labels, series| text.histogram(name, &labels, &series.latency.read()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_plugins_are_escaped_and_bounded() {
        let metrics = OpenMetrics::default();
        metrics.invocation("10-\"\\\n", "X", Duration::ZERO, Some(&CallError::Closed));
        let failed = r#"{plugin="10-\"\\\n",operation="X",result="error"} 1"#;
        assert!(metrics.render().contains(failed));
        for nth in 0..2 * MAX_SERIES {
            metrics.invocation(&nth.to_string(), "X", Duration::ZERO, None);
        }
        let text = metrics.render();
        assert!(text.contains("plugin=\"other\""));
        assert!(metrics.counters().size <= MAX_SERIES + 1);
    }
}
