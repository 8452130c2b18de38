//! Merging the answers of several plugins into one.
//!
//! Every field, and every entry of a list or map, has at most one owner: the plugin that set it
//! first. A second plugin that sets it is in [`Conflict`], unless it removes what the first one
//! set: an entry whose key carries the [removal marker](nri::adjust::marker), an empty first
//! argument, `remove` for RDT. Hooks and device cgroup rules have no single owner; each plugin adds
//! its own.
//!
//! The rules are those of the reference, `pkg/adaptation` of `github.com/containerd/nri` v0.12.5,
//! including those that may surprise:
//!
//! | If a plugin | then |
//! | --- | --- |
//! | sets one field or entry twice in one answer | it is in conflict with itself |
//! | removes an environment variable or device that no earlier plugin set | later plugins no longer see it, but the runtime is not asked to remove it |
//! | removes an annotation, sysctl or network device without setting it again | the runtime is asked to remove it, but later plugins still see it, and its owner stays |
//! | removes a namespace | it owns the namespace: no later plugin may set it |
//! | updates a container that an update with the failure ignored is in conflict about | the fields claimed before the conflict stay claimed |
//! | sets the limit of processes in an update | the limit is dropped |
//! | updates the container of a request that has a limit of processes | it owns that limit: the next plugin that updates the container is in conflict with it |
//!
//! Evictions are collected here; the reference drops them. And what the runtime gets back has no
//! empty parts: where the reference returns `hooks: {}`, `memory: {}`, `cpu: {}` or `rdt: {}`,
//! which change nothing, the part is absent here.

mod create;
mod entries;
mod key_table;
mod linux;
mod owners;
mod resources;
mod update;
mod view;

pub use create::{CreateCollector, Created};
pub use owners::{Conflict, MergeError, Owners};
pub use update::{UpdateCollector, Updated};
pub(super) use view::filled;
