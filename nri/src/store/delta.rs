//! How a Synchronize differs from what was known.

use std::sync::Arc;

use crate::api::{Container, PodSandbox};

/// How the list of one kind differs from what was known.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta<T> {
    /// Listed and not known before, in the order of the list.
    pub new: Vec<Arc<T>>,
    /// Listed and known before, as listed now and in that order.
    pub known: Vec<Arc<T>>,
    /// Known before and not listed, as last seen, in the order of their ids.
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

/// How a Synchronize differs from what was known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncReport {
    /// Pods.
    pub pods: Delta<PodSandbox>,
    /// Containers; those of a vanished pod are among the vanished.
    pub containers: Delta<Container>,
}
