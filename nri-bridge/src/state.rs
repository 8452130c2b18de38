//! The state that probes and metrics show: whether the plugins are connected, and how many events
//! were translated.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nri::http::Health;

/// The state of a bridge, shared by its connections.
#[derive(Clone, Debug, Default)]
pub struct State(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Plugins that have answered Synchronize and are still connected.
    serving: AtomicUsize,
    /// Plugins that ended, answered too late, or broke the protocol.
    lost: AtomicUsize,
    /// Numbers of events that were sent as StateChange, by RPC.
    translated: Mutex<BTreeMap<String, u64>>,
}

/// A plugin that is counted as connected until the value is dropped.
#[derive(Debug)]
pub struct Serving(State);

impl State {
    /// Counts a plugin as connected.
    pub(crate) fn serve(&self) -> Serving {
        self.0.serving.fetch_add(1, Ordering::Relaxed);
        Serving(self.clone())
    }

    /// Counts a plugin that was lost.
    pub(crate) fn lose(&self) {
        self.0.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an event that was sent as StateChange; returns true if it is the first one of its
    /// RPC.
    pub(crate) fn translate(&self, rpc: &str) -> bool {
        let mut counts = self.translated();
        match counts.get_mut(rpc) {
            Some(count) => {
                *count += 1;
                false
            }
            None => counts.insert(rpc.to_owned(), 1).is_none(),
        }
    }

    /// Returns the number of plugins that serve.
    pub fn serving(&self) -> usize {
        self.0.serving.load(Ordering::Relaxed)
    }

    /// Returns the numbers of events that were sent as StateChange, by RPC.
    pub fn translations(&self) -> BTreeMap<String, u64> {
        self.translated().clone()
    }

    fn translated(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.translated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the answers of `/readyz` and `/metrics`.
    pub fn health(&self) -> Health {
        let (state, metrics) = (self.clone(), self.clone());
        let status = move || match state.serving() {
            0 => (false, "no plugin is connected".to_owned()),
            1 => (true, "serving".to_owned()),
            count => (true, format!("serving {count} plugins")),
        };
        Health::new(status, move || metrics.open_metrics())
    }

    /// Returns the metrics in the OpenMetrics text format.
    fn open_metrics(&self) -> String {
        let mut text = String::from(
            "# TYPE nri_bridge_translated_events counter\n# HELP nri_bridge_translated_events Events that were sent to a plugin as StateChange.\n",
        );
        for (rpc, count) in &*self.translated() {
            let _ = writeln!(text, "nri_bridge_translated_events_total{{rpc=\"{rpc}\"}} {count}");
        }
        let (serving, lost) = (self.serving(), self.0.lost.load(Ordering::Relaxed));
        let _ = write!(
            text,
            "# TYPE nri_bridge_plugins gauge\n# HELP nri_bridge_plugins Plugins that are connected and synchronized.\nnri_bridge_plugins {serving}\n\
             # TYPE nri_bridge_lost_plugins counter\n# HELP nri_bridge_lost_plugins Plugins that ended, answered too late, or broke the protocol.\nnri_bridge_lost_plugins_total {lost}\n\
             # EOF\n"
        );
        text
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.0.serving.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_plugins_are_counted() {
        let state = State::default();
        let serving = state.serve();
        assert!(state.translate("RunPodSandbox"));
        assert!(!state.translate("RunPodSandbox"));
        state.lose();
        let text = state.open_metrics();
        for line in [
            "nri_bridge_translated_events_total{rpc=\"RunPodSandbox\"} 2",
            "nri_bridge_plugins 1",
            "nri_bridge_lost_plugins_total 1",
        ] {
            assert!(text.lines().any(|known| known == line), "{text}");
        }
        drop(serving);
        assert_eq!(state.serving(), 0);
    }
}
