//! The answers of handlers: adjustments of a new container, updates of running ones, verdicts.
//!
//! ```
//! use nri::adjust::{Adjustment, SetResources};
//! use nri::api::{LinuxDevice, Mount};
//!
//! let adjustment = Adjustment::new()
//!     .env("MODEL_PATH", "/models")
//!     .mount(Mount::bind("/srv/models", "/models").read_only())
//!     .device(LinuxDevice::char("/dev/fuse", 10, 229))
//!     .cpuset_cpus("0-3");
//! adjustment.check()?;
//! # Ok::<(), nri::adjust::Invalid>(())
//! ```
//!
//! # Adding, removing, replacing
//!
//! Several plugins may adjust one container, in the order of their indexes. If two of them set the
//! same thing, the runtime rejects the answer of the later one, and with it the container. To
//! override an earlier plugin, a plugin *replaces*: it removes and adds in the same adjustment, in
//! any order. Fields without a `remove_` method cannot be overridden.
//!
//! Setting the same thing twice in one adjustment is a conflict of the plugin with itself, except
//! for annotations, sysctls, network devices, unified resources and single values, for which the
//! last value counts.

mod check;
mod container;
mod content;
mod hook;
mod linux;
pub mod marker;
mod parts;
mod problem;
mod resources;
#[cfg(test)]
mod tests;

pub use crate::api::fields::Newer;
pub use hook::HookStage;
pub use linux::NamespaceKind;
pub use problem::{Invalid, Problem, ProblemKind};
pub use resources::SetResources;

use crate::api::{
    ContainerAdjustment, ContainerEviction, ContainerUpdate, CreateContainerResponse,
    UpdateContainersRequest, ValidateContainerAdjustmentResponse,
};

/// The answer to CreateContainer: changes to the new container, plus updates and evictions of other
/// containers.
///
/// The default changes nothing; so does `()`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjustment {
    adjust: ContainerAdjustment,
    others: Updates,
}

impl Adjustment {
    /// Creates an adjustment that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the changes to the new container.
    pub fn container(&self) -> &ContainerAdjustment {
        &self.adjust
    }

    /// Returns the changes to the new container, for fields without a method here.
    pub fn container_mut(&mut self) -> &mut ContainerAdjustment {
        &mut self.adjust
    }

    /// Returns the updates of other containers.
    pub fn updates(&self) -> &[ContainerUpdate] {
        self.others.updates()
    }

    /// Returns the evictions of other containers.
    pub fn evictions(&self) -> &[ContainerEviction] {
        self.others.evictions()
    }

    /// Adds an update of another container. The runtime rejects an update of the container being
    /// created.
    #[must_use]
    pub fn update(mut self, update: ContainerUpdate) -> Self {
        self.others.update.push(update);
        self
    }

    /// Requests the eviction of another container.
    ///
    /// The reference runtime (up to v0.12.5) reads evictions only from unsolicited updates.
    #[must_use]
    pub fn evict(mut self, eviction: ContainerEviction) -> Self {
        self.others.evict.push(eviction);
        self
    }
}

impl From<()> for Adjustment {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<ContainerAdjustment> for Adjustment {
    fn from(adjust: ContainerAdjustment) -> Self {
        Adjustment { adjust, ..Self::default() }
    }
}

impl From<Adjustment> for CreateContainerResponse {
    fn from(answer: Adjustment) -> Self {
        CreateContainerResponse {
            adjust: Some(answer.adjust),
            update: answer.others.update,
            evict: answer.others.evict,
        }
    }
}

/// Updates and evictions of containers: the answer to Synchronize, UpdateContainer and
/// StopContainer, and the request of an [unsolicited update](crate::EventContext::update_later).
///
/// The answers to Synchronize and StopContainer have no evictions: the stub sends them without, and
/// logs a warning.
///
/// ```
/// use nri::prelude::*;
///
/// #[derive(NriPlugin)]
/// #[nri(name = "shares", index = "10")]
/// struct Shares;
///
/// impl Synchronize for Shares {
///     async fn synchronize(
///         &self,
///         _cx: &EventContext,
///         _pods: Vec<PodSandbox>,
///         containers: Vec<Container>,
///     ) -> nri::Result<Updates> {
///         let unset = containers.into_iter().filter(|container| !container.labels.contains_key("shares"));
///         let updates = unset.map(|container| ContainerUpdate::new(container.id).cpu_shares(512));
///         Ok(updates.collect())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> nri::Result<()> {
/// let container = Container { id: "f00d".to_owned(), ..Container::default() };
/// let answer = Shares.synchronize(&EventContext::default(), vec![], vec![container]).await?;
/// assert_eq!(answer, Updates::new().update(ContainerUpdate::new("f00d").cpu_shares(512)));
/// # Ok(())
/// # }
/// # impl StopContainer for Shares {
/// #     async fn stop_container(&self, _: &EventContext, _: PodSandbox, _: Container) -> nri::Result<Updates> {
/// #         Ok(Updates::new())
/// #     }
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Updates {
    pub(crate) update: Vec<ContainerUpdate>,
    pub(crate) evict: Vec<ContainerEviction>,
}

impl Updates {
    /// Creates an answer without updates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an update.
    #[must_use]
    pub fn update(mut self, update: ContainerUpdate) -> Self {
        self.update.push(update);
        self
    }

    /// Requests the eviction of a container.
    ///
    /// The reference runtime (up to v0.12.5) reads evictions only from unsolicited updates.
    #[must_use]
    pub fn evict(mut self, eviction: ContainerEviction) -> Self {
        self.evict.push(eviction);
        self
    }

    /// Returns the updates so far.
    pub fn updates(&self) -> &[ContainerUpdate] {
        &self.update
    }

    /// Returns the evictions so far.
    pub fn evictions(&self) -> &[ContainerEviction] {
        &self.evict
    }

    /// Returns the updates for an answer of this RPC, which has no field for evictions.
    pub(crate) fn without_evictions(self, rpc: &str) -> Vec<ContainerUpdate> {
        if !self.evict.is_empty() {
            tracing::warn!(
                help = "evict with `EventContext::update_later`",
                "an answer to {rpc} cannot evict: {} evictions are not sent",
                self.evict.len(),
            );
        }
        self.update
    }
}

impl From<()> for Updates {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<Vec<ContainerUpdate>> for Updates {
    fn from(update: Vec<ContainerUpdate>) -> Self {
        Updates { update, evict: Vec::new() }
    }
}

impl From<ContainerUpdate> for Updates {
    fn from(update: ContainerUpdate) -> Self {
        vec![update].into()
    }
}

impl FromIterator<ContainerUpdate> for Updates {
    fn from_iter<I: IntoIterator<Item = ContainerUpdate>>(updates: I) -> Self {
        updates.into_iter().collect::<Vec<_>>().into()
    }
}

impl From<Updates> for UpdateContainersRequest {
    fn from(updates: Updates) -> Self {
        UpdateContainersRequest { update: updates.update, evict: updates.evict }
    }
}

/// The answer to ValidateContainerAdjustment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The container may be created with the merged adjustments of all plugins.
    #[default]
    Accept,
    /// The container is not created; the caller gets this reason.
    Reject(String),
}

impl Verdict {
    /// Creates a rejection with a reason, which is reported to the caller that requested the
    /// container.
    pub fn reject(reason: impl Into<String>) -> Self {
        Verdict::Reject(reason.into())
    }
}

impl From<Verdict> for ValidateContainerAdjustmentResponse {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Accept => Self::default(),
            Verdict::Reject(reason) => ValidateContainerAdjustmentResponse { reject: true, reason },
        }
    }
}
