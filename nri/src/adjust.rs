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
//! Several plugins may adjust one container, in the order of their indices. Where two set the same thing the runtime
//! refuses the later one's answer, and with it the container. A plugin that means to take over from another *replaces*:
//! it removes and adds in the same adjustment, in whatever order. What has no `remove_` method cannot be taken over.
//!
//! Setting the same thing twice in one adjustment is a conflict of the plugin with itself, except in annotations,
//! sysctls, network devices, unified resources and single values, where the last one counts.

mod check;
mod container;
mod device;
mod hook;
mod linux;
pub mod marker;
mod mount;
mod namespace;
mod newer;
mod problem;
mod rdt;
mod resources;
mod scheduling;
mod seccomp;
mod strip;
#[cfg(test)]
mod tests;
mod update;

pub use crate::api::fields::Newer;
pub use hook::HookStage;
pub use namespace::NamespaceKind;
pub use problem::{Invalid, Problem, ProblemKind};
pub use resources::SetResources;

use crate::api::{
    ContainerAdjustment, ContainerEviction, ContainerUpdate, CreateContainerResponse,
    StopContainerResponse, SynchronizeResponse, UpdateContainerResponse,
    ValidateContainerAdjustmentResponse,
};

/// The answer to CreateContainer: changes to the new container, and with them updates and evictions of others.
///
/// The default changes nothing; so does `()`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjustment {
    pub(crate) adjust: ContainerAdjustment,
    pub(crate) update: Vec<ContainerUpdate>,
    pub(crate) evict: Vec<ContainerEviction>,
}

impl Adjustment {
    /// An adjustment that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The changes of the new container.
    pub fn container(&self) -> &ContainerAdjustment {
        &self.adjust
    }

    /// The changes of the new container, for what no method here covers.
    pub fn container_mut(&mut self) -> &mut ContainerAdjustment {
        &mut self.adjust
    }

    /// The updates of other containers that go with it.
    pub fn updates(&self) -> &[ContainerUpdate] {
        &self.update
    }

    /// The evictions that go with it.
    pub fn evictions(&self) -> &[ContainerEviction] {
        &self.evict
    }
}

impl From<()> for Adjustment {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<ContainerAdjustment> for Adjustment {
    fn from(adjust: ContainerAdjustment) -> Self {
        Adjustment {
            adjust,
            ..Self::default()
        }
    }
}

impl From<Adjustment> for CreateContainerResponse {
    fn from(answer: Adjustment) -> Self {
        CreateContainerResponse {
            adjust: Some(answer.adjust),
            update: answer.update,
            evict: answer.evict,
        }
    }
}

/// The answer to Synchronize and StopContainer: updates of running containers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Updates {
    pub(crate) update: Vec<ContainerUpdate>,
}

impl From<()> for Updates {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<Vec<ContainerUpdate>> for Updates {
    fn from(update: Vec<ContainerUpdate>) -> Self {
        Updates { update }
    }
}

impl From<Updates> for StopContainerResponse {
    fn from(answer: Updates) -> Self {
        StopContainerResponse {
            update: answer.update,
        }
    }
}

/// `more` is left false: it belongs to the stub, which gives the handler all parts of a split message at once.
impl From<Updates> for SynchronizeResponse {
    fn from(answer: Updates) -> Self {
        SynchronizeResponse {
            update: answer.update,
            more: false,
        }
    }
}

/// The answer to UpdateContainer: updates of running containers, the one asked about included, and evictions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub(crate) update: Vec<ContainerUpdate>,
    pub(crate) evict: Vec<ContainerEviction>,
}

impl From<()> for Changes {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<Updates> for Changes {
    fn from(updates: Updates) -> Self {
        Changes {
            update: updates.update,
            evict: Vec::new(),
        }
    }
}

impl From<Changes> for UpdateContainerResponse {
    fn from(answer: Changes) -> Self {
        UpdateContainerResponse {
            update: answer.update,
            evict: answer.evict,
        }
    }
}

/// The answer to ValidateContainerAdjustment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The container may be created as all plugins together adjusted it.
    #[default]
    Accept,
    /// The container is not created; the caller is told why.
    Reject(String),
}

impl Verdict {
    /// A rejection with its reason, which reaches whoever asked for the container.
    pub fn reject(reason: impl Into<String>) -> Self {
        Verdict::Reject(reason.into())
    }
}

impl From<Verdict> for ValidateContainerAdjustmentResponse {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Accept => Self::default(),
            Verdict::Reject(reason) => ValidateContainerAdjustmentResponse {
                reject: true,
                reason,
            },
        }
    }
}
