//! Metrics as OpenMetrics text.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nri::__private::{Exposition, Histogram};
use nri::api::ContainerAdjustment;
use nri::wire::CallError;

use super::Metrics;

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
        counters.family(&mut text, &INVOCATIONS);
        counters.latencies(&mut text);
        counters.family(&mut text, &ADJUSTMENTS);
        let help = "Plugins that are connected and synchronized.";
        text.family("nri_plugins", "gauge", help);
        text.sample("nri_plugins", &[], counters.plugins);
        text.finish()
    }

    fn counters(&self) -> MutexGuard<'_, Counters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Metrics for OpenMetrics {
    fn invocation(&self, plugin: &str, operation: &str, error: Option<&CallError>) {
        let mut counters = self.counters();
        let series = counters.entry(plugin, operation);
        if error.is_some() {
            series.failed += 1;
        } else {
            series.succeeded += 1;
        }
    }

    fn latency(&self, plugin: &str, operation: &str, latency: Duration) {
        let mut counters = self.counters();
        let series = counters.entry(plugin, operation);
        series.latency.count(latency);
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

    /// Passes each series with its labels to `visit`.
    fn each(&self, mut visit: impl FnMut([(&str, &str); 2], &Series)) {
        for (plugin, operations) in &self.series {
            for (operation, series) in operations {
                visit([("plugin", plugin), ("operation", operation)], series);
            }
        }
    }

    fn family(&self, text: &mut Exposition, family: &Family) {
        text.family(family.name, "counter", family.help);
        let name = format!("{}_total", family.name);
        self.each(|[plugin, operation], series| {
            for (value, count) in family.values {
                text.sample(
                    &name,
                    &[plugin, operation, (family.label, value)],
                    count(series),
                );
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

/// Counters that differ in the value of a label.
struct Family {
    name: &'static str,
    help: &'static str,
    label: &'static str,
    values: &'static [LabelValue],
}

/// A value of the label, and its counter.
type LabelValue = (&'static str, fn(&Series) -> u64);

const INVOCATIONS: Family = Family {
    name: "nri_plugin_invocations",
    help: "Invocations of a plugin, by result.",
    label: "result",
    values: &[
        ("success", |series| series.succeeded),
        ("error", |series| series.failed),
    ],
};

const ADJUSTMENTS: Family = Family {
    name: "nri_plugin_adjustments",
    help: "Changes that a plugin requested in its answers.",
    label: "kind",
    values: &[
        ("adjustment", |series| series.adjustments),
        ("update", |series| series.updates),
        ("eviction", |series| series.evictions),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_plugins_are_escaped_and_bounded() {
        let metrics = OpenMetrics::default();
        metrics.invocation("10-\"\\\n", "X", Some(&CallError::Closed));
        let failed = r#"{plugin="10-\"\\\n",operation="X",result="error"} 1"#;
        assert!(metrics.render().contains(failed));
        for nth in 0..2 * MAX_SERIES {
            metrics.invocation(&nth.to_string(), "X", None);
        }
        let text = metrics.render();
        assert!(text.contains("plugin=\"other\""));
        assert!(metrics.counters().size <= MAX_SERIES + 1);
    }
}
