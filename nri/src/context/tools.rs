//! The parts of a stub that handlers reach through their context.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

#[cfg(any(test, target_family = "wasm"))]
use super::metrics::End;
use super::metrics::Metrics;
use super::runtime::Runtime;
use super::status::{Status, StatusWatch};
use super::update::{Link, Updater};
use crate::PluginId;
use crate::api::fields::{is_outdated, newer_than};
#[cfg(any(test, target_family = "wasm"))]
use {crate::api::Event, std::time::Duration};

/// The reaction of the stub to an answer that the runtime would reject, or that conflicts with
/// itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckAnswers {
    /// Sends the answer without checking it.
    Off,
    /// Logs every problem as a warning, and sends the answer.
    #[default]
    Warn,
    /// Answers with an error that names every problem.
    Refuse,
}

/// The parts of a stub that handlers reach through their [`EventContext`].
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pub(crate) link: Arc<Link>,
    pub(crate) metrics: Metrics,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) check_answers: CheckAnswers,
    /// Fields of answers that a warning has named, with the RPC and the release of the runtime.
    pub(crate) skipped: Mutex<BTreeSet<String>>,
    /// The index and name of the plugin.
    pub(crate) identity: Option<PluginId>,
    runtime: Mutex<Option<Arc<Runtime>>>,
}

impl Tools {
    /// Creates the tools of a plugin that is not connected yet.
    pub(crate) fn new(identity: PluginId, check_answers: CheckAnswers) -> Self {
        Tools { identity: Some(identity), check_answers, ..Tools::default() }
    }

    /// Counts a request outside of a connection, which nothing measures the time of.
    #[cfg(any(test, target_family = "wasm"))]
    pub(crate) fn count(&self, event: Option<Event>, answered: bool) {
        let end = if answered { End::Answered } else { End::Failed };
        let event = event.unwrap_or(Event::Unknown);
        self.metrics.count(event, end, Duration::ZERO);
    }

    pub(crate) fn updater(&self) -> Updater {
        Updater::new(Arc::clone(&self.link))
    }

    pub(crate) fn watch(&self) -> StatusWatch {
        StatusWatch(self.status.subscribe())
    }

    pub(crate) fn runtime(&self) -> Option<Arc<Runtime>> {
        self.runtime.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Creates tools of a plugin that is not connected, with the identity and runtime of another
    /// one.
    pub(crate) fn like(other: &Self) -> Self {
        Tools {
            identity: other.identity.clone(),
            runtime: Mutex::new(other.runtime()),
            ..Tools::default()
        }
    }

    pub(crate) fn set_runtime(&self, runtime: Arc<Runtime>) {
        *self.runtime.lock().unwrap_or_else(PoisonError::into_inner) = Some(runtime);
    }

    /// Logs a warning, once per field, about fields of an answer that the runtime will ignore.
    pub(crate) fn warn_of_skipped(&self, rpc: &str, answer: &[u8]) {
        if answer.is_empty() {
            return;
        }
        let Some(runtime) = self.runtime() else {
            return;
        };
        let Some(nri) = runtime.nri_version().filter(|nri| is_outdated(nri)) else {
            return;
        };
        for newer in newer_than(&format!("{rpc}Response"), answer, &nri) {
            let mut warned = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
            if warned.insert(format!("{rpc} {} {nri}", newer.field)) {
                let (field, since) = (&newer.field, newer.since);
                tracing::warn!(
                    "{runtime} ignores `{field}` in the answer to {rpc}: it was added in NRI \
                         {since}"
                );
            }
        }
    }
}
