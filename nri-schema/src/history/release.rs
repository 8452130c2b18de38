//! The releases of NRI and their revisions: `versions.toml`.

use crate::release::{OneShot, Release};

pub(super) const FILE: &str = "versions.toml";

/// The content of the table.
#[derive(Debug)]
pub(super) struct Versions {
    /// The path of the Go module.
    pub(super) module: Option<String>,
    /// The first release that loads WebAssembly plugins.
    pub(super) wasm: Option<String>,
    /// Releases in ascending order of version.
    pub(super) releases: Vec<Release>,
    /// The releases before the protocol.
    pub(super) one_shot: Vec<OneShot>,
}
