//! Readers: what a file is and what it carries, one module per kind of file.

mod binary;
pub mod cargo_lock;
pub mod declared;
mod go_binary;
pub mod go_mod;
pub mod go_source;
pub mod go_sum;
pub mod go_vendor;
mod identity;
pub(super) mod nri_module;
pub mod one_shot;
mod opaque;
pub mod program;
mod protocol;
mod rust_binary;
mod text;
pub mod wasm;

use super::content::File;
use super::logs::LogReader;
use super::sighting::Sighting;
pub use super::skipped::Unreadable;
pub(super) use identity::identity;

/// All readers, those of the commonest kinds of files first.
pub const READERS: &[&dyn Reader] = &[
    &program::Program,
    &wasm::Wasm,
    &LogReader,
    &go_source::GoSource,
    &go_mod::GoModReader,
    &go_sum::GoSum,
    &go_vendor::GoVendor,
    &cargo_lock::CargoLock,
    &declared::Declared,
    &one_shot::OneShotConfig,
];

/// Something that reads evidence from one kind of file.
pub trait Reader: Sync {
    /// Returns its name in evidence, such as `go-mod`.
    fn name(&self) -> &'static str;

    /// Returns true if the file is of the reader's kind, by its first bytes. Must be cheap: it runs
    /// on every file.
    fn recognises(&self, file: &File<'_>) -> bool;

    /// Returns what it sees in the file: nothing if there is no NRI in it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read; the scan goes on and lists it as skipped.
    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable>;
}
