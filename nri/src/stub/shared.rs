//! The state of a stub across connections.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::check::CheckAnswers;
use super::deadline::DEFAULT_TIMEOUT;
use super::identity::Identity;
use super::metrics::Metrics;
use super::runtime::Runtime;
use super::status::{StatusCell, StatusWatch};
use super::update::{Link, Updater};
use super::watchdog::Watchdog;
use crate::Context;
use crate::plugin::Plugin;

/// The parts of a stub that handlers reach through their [`Context`].
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pub(super) link: Link,
    pub(super) metrics: Metrics,
    pub(super) status: StatusCell,
    pub(super) check_answers: CheckAnswers,
    identity: Option<Identity>,
    runtime: Mutex<Option<Arc<Runtime>>>,
}

impl Tools {
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

/// The plugin and the state that all its connections share.
pub(super) struct Shared<P> {
    pub(super) plugin: Arc<P>,
    pub(super) identity: Identity,
    pub(super) tools: Arc<Tools>,
    pub(super) watchdog: Watchdog,
    pub(super) registration_timeout: Duration,
    pub(super) max_synchronize: usize,
    request_timeout: AtomicU64,
    warned: Mutex<String>,
    /// Fields of answers that a warning has named, with the RPC and the release of the runtime.
    pub(super) skipped: Mutex<BTreeSet<String>>,
}

impl<P: Plugin> Shared<P> {
    pub(super) fn new(
        plugin: P,
        identity: Identity,
        registration_timeout: Duration,
        max_synchronize: usize,
        check_answers: CheckAnswers,
    ) -> Self {
        Shared {
            plugin: Arc::new(plugin),
            tools: Arc::new(Tools {
                identity: Some(identity.clone()),
                check_answers,
                ..Tools::default()
            }),
            identity,
            watchdog: Watchdog::start(),
            registration_timeout,
            max_synchronize,
            request_timeout: AtomicU64::new(0),
            warned: Mutex::default(),
            skipped: Mutex::default(),
        }
    }

    /// Returns how long the runtime waits for an answer if the request does not specify it.
    pub(super) fn request_timeout(&self) -> Duration {
        match self.request_timeout.load(Ordering::Relaxed) {
            0 => DEFAULT_TIMEOUT,
            millis => Duration::from_millis(millis),
        }
    }

    /// Stores the timeout of Configure, in milliseconds; runtimes before NRI v0.7.0 send none.
    pub(super) fn set_request_timeout(&self, millis: i64) {
        self.request_timeout
            .store(u64::try_from(millis).unwrap_or(0), Ordering::Relaxed);
    }

    /// Returns a context outside of any request.
    pub(super) fn context(&self) -> Context {
        Context::of_stub(Arc::clone(&self.tools))
    }

    /// Logs a warning about the runtime, unless it is the same as the previous one, for example
    /// after a reconnect.
    pub(super) fn warn_once(&self, warning: String) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if *warned != warning {
            tracing::warn!("{warning}");
            *warned = warning;
        }
    }
}
