//! The NRI protocol as data: one proto file per revision and the tables of releases, runtimes and
//! deprecations.
//!
//! [NRI](https://github.com/containerd/nri), the Node Resource Interface, lets plugins of
//! containerd and CRI-O watch and adjust pods and containers. Eleven revisions of its protocol are
//! in use, and runtimes link different ones. This crate holds all of them, as text and compiled;
//! `nri-schema` parses and validates them.
//!
//! ```
//! use nri_protos::{REVISIONS, revision};
//!
//! let newest = REVISIONS.last().expect("there is at least one");
//! assert!(newest.proto.contains("rpc RunPodSandbox("));
//!
//! let old = revision("v0.11.0").expect("a revision is named after its first release");
//! assert!(!old.proto.contains("rpc RunPodSandbox("));
//! ```
//!
//! Every element of every proto has a comment with its unit, its event, the side that sets it, and
//! the release that introduced it. A comment at the top of each table describes its format.
#![no_std]
#![forbid(unsafe_code)]

mod revisions;

pub use revisions::REVISIONS;

/// The proto of one protocol revision.
///
/// Releases whose protos differ only in comments share a revision, which is named after the first
/// of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The first release with it, such as `v0.12.2`; a Go pseudo-version if that was never tagged.
    pub name: &'static str,
    /// The text of its `api.proto`, comments included.
    pub proto: &'static str,
    /// The compiled proto: a `FileDescriptorSet` with comments and locations, as written by `protoc
    /// --include_source_info`.
    pub descriptors: &'static [u8],
}

/// Releases of NRI, with their dates and revisions: `versions.toml`.
pub const VERSIONS_TOML: &str = include_str!("../versions.toml");

/// Releases of containerd and CRI-O, with the NRI release that each links: `runtimes.toml`.
pub const RUNTIMES_TOML: &str = include_str!("../runtimes.toml");

/// Releases of distributions of Kubernetes, with the runtime that each ships: `distributions.toml`.
pub const DISTRIBUTIONS_TOML: &str = include_str!("../distributions.toml");

/// NRI's settings in the configuration of runtimes, by release: `configuration.toml`.
pub const CONFIGURATION_TOML: &str = include_str!("../configuration.toml");

/// Deprecated interfaces, with their planned removal and replacement: `deprecations.toml`.
pub const DEPRECATIONS_TOML: &str = include_str!("../deprecations.toml");

/// Returns the revision with exactly this name (`v0.12.4`). `nri-schema` resolves releases to
/// revisions.
pub fn revision(name: &str) -> Option<&'static Revision> {
    REVISIONS.iter().find(|revision| revision.name == name)
}
