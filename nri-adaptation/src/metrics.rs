//! Metrics of plugin activity.

mod openmetrics;

use std::sync::Arc;
use std::time::Duration;

pub use openmetrics::OpenMetrics;

use nri::api::ContainerAdjustment;
use nri::wire::CallError;

/// Receives the four signals that the Go adaptation has. `plugin` is index and name (`10-logger`), `operation`
/// is an RPC such as `CreateContainer`.
///
/// All methods do nothing by default. They are called from many tasks at once.
pub trait Metrics: Send + Sync + 'static {
    /// Records the end of a plugin's invocation.
    fn invocation(&self, plugin: &str, operation: &str, error: Option<&CallError>) {
        let _ = (plugin, operation, error);
    }

    /// Records the duration of an invocation.
    fn latency(&self, plugin: &str, operation: &str, latency: Duration) {
        let _ = (plugin, operation, latency);
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

impl<M: Metrics> Metrics for Arc<M> {
    fn invocation(&self, plugin: &str, operation: &str, error: Option<&CallError>) {
        (**self).invocation(plugin, operation, error);
    }

    fn latency(&self, plugin: &str, operation: &str, latency: Duration) {
        (**self).latency(plugin, operation, latency);
    }

    fn adjustments(
        &self,
        plugin: &str,
        operation: &str,
        adjustment: Option<&ContainerAdjustment>,
        updates: usize,
        evictions: usize,
    ) {
        (**self).adjustments(plugin, operation, adjustment, updates, evictions);
    }

    fn plugin_count(&self, count: usize) {
        (**self).plugin_count(count);
    }
}

/// Ignores every signal.
pub(super) struct NoMetrics;

impl Metrics for NoMetrics {}
