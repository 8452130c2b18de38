//! Readers of evidence, one module per kind of file.

mod bill_of_materials;
mod binary;
pub mod cargo_lock;
pub mod declared;
mod go_binary;
pub mod go_mod;
pub(super) mod go_module;
pub mod go_source;
pub mod go_vendor;
mod identity;
mod log;
pub(super) mod nri_module;
pub mod one_shot;
mod opaque;
pub mod program;
mod protocol;
mod requirement;
mod rust_binary;
mod text;
pub mod wasm;

use super::content::File;
use crate::sighting::Sighting;
pub use crate::skipped::Unreadable;
pub(super) use identity::identity;

/// All readers, starting with those of the most common kinds of files.
pub const READERS: &[&dyn Reader] = &[
    &program::Program,
    &wasm::Wasm,
    &log::LogReader,
    &go_source::GoSource,
    &go_mod::GoModReader,
    &go_vendor::GoVendor,
    &cargo_lock::CargoLock,
    &declared::Declared,
    &bill_of_materials::BillOfMaterials,
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
