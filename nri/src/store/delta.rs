//! The differences between a Synchronize and the known state.

use std::sync::Arc;

use crate::api::{Container, PodSandbox};

/// The differences between a list of pods or containers and the known state.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta<T> {
    /// Listed and previously unknown, in the order of the list.
    pub new: Vec<Arc<T>>,
    /// Listed and previously known, as listed now and in that order.
    pub known: Vec<Arc<T>>,
    /// Previously known and not listed, as last seen, ordered by id.
    pub vanished: Vec<Arc<T>>,
}

impl<T> Default for Delta<T> {
    fn default() -> Self {
        Delta {
            new: Vec::new(),
            known: Vec::new(),
            vanished: Vec::new(),
        }
    }
}

/// The differences between a Synchronize and the known state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncReport {
    /// Number of pods.
    pub pods: Delta<PodSandbox>,
    /// Containers; the containers of a vanished pod are listed as vanished.
    pub containers: Delta<Container>,
}
