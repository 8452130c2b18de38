//! The NRI protocol as data: one proto file per revision and the tables of releases, runtimes and deprecations.
//!
//! [NRI](https://github.com/containerd/nri), the Node Resource Interface, is how containerd and CRI-O let plugins
//! watch and adjust pods and containers. Eleven revisions of its protocol are in use, and runtimes link different
//! ones. This crate holds all of them as text, and reads none of it: parsing and checking is `nri-codegen`'s.
//!
//! ```
//! use nri_protos::{REVISIONS, revision};
//!
//! let newest = REVISIONS.last().expect("there is one at least");
//! assert!(newest.proto.contains("rpc RunPodSandbox("));
//!
//! let old = revision("v0.11.0").expect("a revision has the name of the first release that carries it");
//! assert!(!old.proto.contains("rpc RunPodSandbox("));
//! ```
//!
//! Every element of every proto has a comment: unit, which event it belongs to, whether runtime or plugin fills it,
//! since which release. The format of each table stands at its top.
#![no_std]
#![forbid(unsafe_code)]

mod revisions;

pub use revisions::REVISIONS;

/// The proto of one protocol revision.
///
/// Releases whose protos differ in nothing but comments share a revision, which is named after the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The first release that carries it, such as `v0.12.2`; a Go pseudo-version where that was never tagged.
    pub name: &'static str,
    /// The text of its `api.proto`, comments included.
    pub proto: &'static str,
}

/// Which releases there are, when they came out and which revision each carries: `versions.toml`.
pub const VERSIONS_TOML: &str = include_str!("../versions.toml");

/// Which NRI release each release of containerd and CRI-O links: `runtimes.toml`.
pub const RUNTIMES_TOML: &str = include_str!("../runtimes.toml");

/// What is deprecated since when, until when, and what replaces it: `deprecations.toml`.
pub const DEPRECATIONS_TOML: &str = include_str!("../deprecations.toml");

/// The revision of exactly this name (`v0.12.4`), or `None`. Releases are resolved by `nri-codegen`.
pub fn revision(name: &str) -> Option<&'static Revision> {
    REVISIONS.iter().find(|revision| revision.name == name)
}
