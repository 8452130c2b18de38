//! Plugins that are WebAssembly modules.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use nri_adaptation::Revision;

use super::Stream;
use crate::error::{Error, Result};

/// The first bytes of every module.
const MAGIC: [u8; 4] = *b"\0asm";

/// The time that a module has to start: the registration timeout of runtimes.
#[cfg(feature = "wasm")]
const START: std::time::Duration = std::time::Duration::from_secs(5);

/// Returns true if a file is a module. Like a runtime, decides by the first bytes.
pub(super) fn is_module(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == MAGIC
}

/// Loads a module in the way of a runtime of this revision; without a revision, with the functions that it has. Returns its
/// connection, and the RPCs for which it has functions.
#[cfg(feature = "wasm")]
pub(super) async fn load(
    path: &Path,
    revision: Option<&Revision>,
) -> Result<(Box<dyn Stream>, Vec<&'static str>)> {
    let (index, name) = super::process::identity(path);
    let id = nri_adaptation::PluginId { index, name };
    let module = nri_adaptation::WasmModule::load(path, id, revision, START).await;
    let module =
        module.map_err(|error| Error::new(format!("the module does not load: {error}")))?;
    let rpcs = module.rpcs();
    Ok((Box::new(module.connect()), rpcs))
}

#[cfg(not(feature = "wasm"))]
pub(super) async fn load(
    path: &Path,
    _: Option<&Revision>,
) -> Result<(Box<dyn Stream>, Vec<&'static str>)> {
    let message = format!("{} is a WebAssembly module", path.display());
    Err(Error::new(message).with_help("build nri-conformance with the feature `wasm`"))
}
