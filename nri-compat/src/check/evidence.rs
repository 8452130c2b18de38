//! Readers of evidence, one module per kind of file.

mod binary;
pub(in crate::check) mod defect;
mod dependency;
mod go_binary;
mod go_code;
mod go_mask;
pub(super) mod go_module;
pub(super) mod go_source;
mod log;
pub(super) mod nri_module;
mod one_shot;
mod opaque;
pub(super) mod packed;
pub(super) mod program;
mod protocol;
mod rust_binary;
pub(in crate::check) mod text;
pub(super) mod wasm;

use super::content::File;
pub(super) use super::identity::{identity, is_plugin_name};
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting};
pub use crate::skipped::Unreadable;
pub(in crate::check) use go_binary::RuntimeBuild;

/// All readers, starting with those of the most common kinds of files.
pub const READERS: &[&dyn Reader] = &[
    &program::Program,
    &wasm::Wasm,
    &log::LogReader,
    &go_source::GoSource,
    &dependency::GO_MOD,
    &dependency::GO_VENDOR,
    &dependency::CARGO_LOCK,
    &dependency::CARGO_TOML,
    &dependency::BILL_OF_MATERIALS,
    &one_shot::OneShotConfig,
];

/// A reader of evidence from one kind of file.
pub trait Reader: Sync {
    /// Returns the name in evidence, such as `go-mod`.
    fn name(&self) -> &'static str;

    /// Returns true if the first bytes are those of the reader's kind of file. Must be cheap,
    /// because it is called for every file.
    fn recognises(&self, file: &File<'_>) -> bool;

    /// Returns the sightings in the file; none if there is no trace of NRI.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read. The scan continues and lists the file as
    /// skipped.
    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable>;
}

/// Returns a sighting of a file; a plugin has the name of its file.
fn sighting(file: &File<'_>, kind: FileKind, role: Role, evidence: Evidence) -> Sighting {
    let (index, name) = match role {
        Role::Plugin => identity(&file.name),
        Role::Runtime | Role::Library | Role::None => (None, None),
    };
    Sighting {
        place: file.place.clone(),
        kind,
        role,
        name,
        index,
        evidence: vec![evidence],
        ..Sighting::default()
    }
}

/// Returns true for a plugin whose interface is known.
pub(super) fn is_known_plugin(seen: &Sighting) -> bool {
    seen.role == Role::Plugin && !matches!(seen.interface, Interface::Unknown(_))
}
