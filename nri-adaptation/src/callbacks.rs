//! Callbacks of the runtime: its state, the updates that plugins request, and the validation of
//! adjustments.

use std::pin::Pin;

use nri::api::{ContainerEviction, ContainerUpdate, Event, ValidateContainerAdjustmentRequest};
use nri::{Error, ErrorKind, Result};

use super::outcome::Outcome;
use super::state::State;
use super::validate::DefaultValidator;
use nri::PluginId;

/// The callbacks that a runtime implements.
///
/// The methods may call the [`Adaptation`](super::Adaptation): the adaptation holds no lock that
/// such a call waits for.
pub trait RuntimeCallbacks: Send + Sync + 'static {
    /// Adds every pod and container that exists to `state`, for a plugin that synchronizes.
    ///
    /// Until this returns, other tasks wait for a [`SyncGuard`](super::SyncGuard) and for other
    /// plugins to be added. It may get a guard and add plugins itself, but must not wait for a task
    /// that does, or for a lock that is held by one.
    ///
    /// # Errors
    ///
    /// An error refuses the plugin.
    fn synchronize(&self, state: &mut State) -> impl Future<Output = Result<()>> + Send;

    /// Updates and evicts containers on behalf of a plugin, outside of any request. Returns the
    /// updates that failed and do not have `ignore_failure` set.
    ///
    /// The default does nothing and returns an error.
    ///
    /// # Errors
    ///
    /// The plugin gets the error.
    fn update_containers(
        &self,
        requested: Requested,
    ) -> impl Future<Output = Result<Vec<ContainerUpdate>>> + Send {
        async move {
            let plugin = requested.plugin;
            Err(Error::with_kind(
                ErrorKind::Unsupported,
                format!("the runtime takes no updates, requested by {plugin}"),
            ))
        }
    }

    /// Reports the outcome of an event that was queued while the plugin synchronized
    /// ([`OutcomeResult::Queued`](super::OutcomeResult::Queued)).
    ///
    /// The default does nothing.
    fn delivered_late(&self, event: Event, outcome: Outcome) {
        let _ = (event, outcome);
    }
}

/// Updates and evictions that a plugin requests.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Requested {
    /// The plugin that requests them.
    pub plugin: PluginId,
    /// The answer or the unsolicited request that carries them.
    pub origin: Origin,
    /// Changes to resources of containers, in the order of the plugin.
    pub updates: Vec<ContainerUpdate>,
    /// Containers that the plugin wants to be removed from the node.
    pub evictions: Vec<ContainerEviction>,
}

/// The occasion on which a plugin requests updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The plugin called `UpdateContainers`.
    Unsolicited,
    /// The plugin answered `Synchronize`.
    Synchronize,
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// [`RuntimeCallbacks`] behind a pointer.
pub(super) trait Callbacks: Send + Sync {
    fn synchronize<'a>(&'a self, state: &'a mut State) -> Boxed<'a, Result<()>>;
    fn update_containers(&self, requested: Requested) -> Boxed<'_, Result<Vec<ContainerUpdate>>>;
    fn delivered_late(&self, event: Event, outcome: Outcome);
}

impl<C: RuntimeCallbacks> Callbacks for C {
    fn synchronize<'a>(&'a self, state: &'a mut State) -> Boxed<'a, Result<()>> {
        Box::pin(RuntimeCallbacks::synchronize(self, state))
    }

    fn update_containers(&self, requested: Requested) -> Boxed<'_, Result<Vec<ContainerUpdate>>> {
        Box::pin(RuntimeCallbacks::update_containers(self, requested))
    }

    fn delivered_late(&self, event: Event, outcome: Outcome) {
        RuntimeCallbacks::delivered_late(self, event, outcome);
    }
}

/// A runtime without pods, which refuses updates.
pub(super) struct NoCallbacks;

impl RuntimeCallbacks for NoCallbacks {
    async fn synchronize(&self, _: &mut State) -> Result<()> {
        Ok(())
    }
}

/// Judges merged adjustments in the runtime's own process, before the plugins that validate.
///
/// [`DefaultValidator`] is one.
pub trait Validator: Send + Sync + 'static {
    /// Accepts or rejects an adjustment.
    ///
    /// # Errors
    ///
    /// Returns why the adjustment is rejected, which fails the request.
    fn validate(&self, request: &ValidateContainerAdjustmentRequest) -> Result<(), String>;
}

impl Validator for DefaultValidator {
    fn validate(&self, request: &ValidateContainerAdjustmentRequest) -> Result<(), String> {
        DefaultValidator::validate(self, request).map_err(|rejection| rejection.to_string())
    }
}
