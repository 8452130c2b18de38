//! The parts of a stub that handlers reach through their context.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::check_answers::CheckAnswers;
use super::identity::Identity;
#[cfg(any(test, target_family = "wasm"))]
use super::metrics::End;
use super::metrics::Metrics;
use super::runtime::Runtime;
use super::status::{StatusCell, StatusWatch};
use super::update::{Link, Updater};
#[cfg(any(test, target_family = "wasm"))]
use {crate::api::Event, std::time::Duration};

/// The parts of a stub that handlers reach through their [`EventContext`].
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pub(crate) link: Link,
    pub(crate) metrics: Metrics,
    pub(crate) status: StatusCell,
    pub(crate) check_answers: CheckAnswers,
    /// Fields of answers that a warning has named, with the RPC and the release of the runtime.
    pub(crate) skipped: Mutex<BTreeSet<String>>,
    identity: Option<Identity>,
    runtime: Mutex<Option<Arc<Runtime>>>,
}

impl Tools {
    /// Creates the tools of a plugin that is not connected yet.
    pub(crate) fn new(identity: Identity, check_answers: CheckAnswers) -> Self {
        Tools {
            identity: Some(identity),
            check_answers,
            ..Tools::default()
        }
    }

    /// Counts a request outside of a connection, which nothing measures the time of.
    #[cfg(any(test, target_family = "wasm"))]
    pub(crate) fn count(&self, event: Option<Event>, answered: bool) {
        let end = if answered { End::Answered } else { End::Failed };
        let event = event.unwrap_or(Event::Unknown);
        self.metrics.count(event, end, Duration::ZERO);
    }

    pub(crate) fn updater(&self) -> Updater {
        Updater::new(self.link.clone())
    }

    pub(crate) fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    pub(crate) fn runtime(&self) -> Option<Arc<Runtime>> {
        self.runtime
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn status(&self) -> StatusWatch {
        self.status.watch()
    }

    /// Returns true if answers of handlers are checked before they are sent.
    pub(crate) fn checks_answers(&self) -> bool {
        self.check_answers != CheckAnswers::Off
    }

    /// Returns the index and name of the plugin.
    pub(crate) fn identity(&self) -> Option<(&str, &str)> {
        let identity = self.identity.as_ref()?;
        Some((&identity.index, &identity.name))
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

    pub(crate) fn set_identity(&mut self, name: &str, index: &str) {
        self.identity = Some(Identity {
            name: name.to_owned(),
            index: index.to_owned(),
        });
    }

    pub(crate) fn set_runtime(&self, runtime: Arc<Runtime>) {
        *self.runtime.lock().unwrap_or_else(PoisonError::into_inner) = Some(runtime);
    }
}
