//! Readers: what a file is and what it carries, one file a reader.

mod binary;
pub mod cargo_lock;
pub mod go_binary;
pub mod go_mod;
pub mod go_source;
pub mod go_sum;
pub mod go_vendor;
mod identity;
pub(super) mod nri_module;
pub mod one_shot;
pub mod rust_binary;
mod text;
pub mod wasm;

use super::content::File;
use super::logs::LogReader;
use super::sighting::Sighting;
pub use super::skipped::Unreadable;
use identity::identity;

/// Every reader there is, the commonest kinds of files first.
pub const READERS: &[&dyn Reader] = &[
    &go_binary::GoBinary,
    &rust_binary::RustBinary,
    &wasm::Wasm,
    &LogReader,
    &go_source::GoSource,
    &go_mod::GoModReader,
    &go_sum::GoSum,
    &go_vendor::GoVendor,
    &cargo_lock::CargoLock,
    &one_shot::OneShotConfig,
];

/// The package of NRI's protocol, as every program that speaks it carries it.
const PROTOCOL: &[u8] = b"nri.pkg.api.v1alpha1";

/// Something that reads evidence from one kind of file.
pub trait Reader: Sync {
    /// Its name in evidence, such as `go-binary`.
    fn name(&self) -> &'static str;

    /// Whether the file's first bytes are those of its kind. Cheap: it runs on every file.
    fn recognises(&self, file: &File<'_>) -> bool;

    /// What it sees in the file: nothing if there is no NRI in it.
    ///
    /// # Errors
    ///
    /// Why the file cannot be read; the scan goes on and shows it as skipped, or as `unknown` where the file is a plugin.
    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable>;
}
