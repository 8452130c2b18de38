//! The state of a stub across connections.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::backoff::Backoff;
use super::deadline::DEFAULT_TIMEOUT;
use super::watchdog::Watchdog;
use crate::PluginId;
use crate::codec::DecodeError;
use crate::context::{CheckAnswers, Tools};
use crate::plugin::Plugin;

/// Records a request in a store, by the name of its RPC. A function instead of the store, because
/// plugins without a store would contain its code otherwise: 60 KiB.
pub(super) type Record = Box<dyn Fn(&str, &[u8]) -> Result<(), DecodeError> + Send + Sync>;

/// The settings that a stub keeps.
pub(super) struct Settings {
    pub(super) reconnect: Option<Backoff>,
    pub(super) wait_for_runtime: bool,
    pub(super) runtime_exit: RuntimeExit,
    pub(super) registration_timeout: Duration,
    pub(super) max_synchronize: usize,
    pub(super) check_answers: CheckAnswers,
    pub(super) record: Option<Record>,
    pub(super) logs: bool,
}

/// The result of a plugin that ends because its runtime is gone.
///
/// With `fn main() -> nri::Result<()>`, success is exit code 0 and failure is 1. A systemd unit
/// with `Restart=on-failure` restarts the plugin only after a failure; with `Restart=always` either
/// works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuntimeExit {
    /// `Ok(())`: the plugin has nothing left to do.
    #[default]
    Success,
    /// An error of kind [`Connection`](crate::ErrorKind::Connection).
    Failure,
}

/// The plugin and the state that all its connections share.
pub(super) struct Shared<P> {
    pub(super) plugin: Arc<P>,
    pub(super) identity: PluginId,
    pub(super) tools: Arc<Tools>,
    pub(super) watchdog: Watchdog,
    pub(super) settings: Settings,
    request_timeout: AtomicU64,
    warned: Mutex<String>,
}

impl<P: Plugin> Shared<P> {
    pub(super) fn new(plugin: P, identity: PluginId, settings: Settings) -> Self {
        Shared {
            plugin: Arc::new(plugin),
            tools: Arc::new(Tools::new(identity.clone(), settings.check_answers)),
            identity,
            watchdog: Watchdog::start(),
            settings,
            request_timeout: AtomicU64::new(0),
            warned: Mutex::default(),
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
        self.request_timeout.store(u64::try_from(millis).unwrap_or(0), Ordering::Relaxed);
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
