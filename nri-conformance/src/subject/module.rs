//! Plugins that are WebAssembly modules.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The first bytes of every module.
const MAGIC: [u8; 4] = *b"\0asm";

/// Returns true if a file is a module. Like a runtime, decides by the first bytes.
pub(super) fn is_module(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == MAGIC
}

#[cfg(feature = "wasm")]
mod host {
    use std::path::Path;
    use std::time::Duration;

    use nri_adaptation::{PluginId, Revision, WasmModule};

    use super::super::Stream;
    use super::super::process::identity;
    use crate::error::{Error, Result};

    /// The time that a module has to start: the registration timeout of runtimes.
    const START: Duration = Duration::from_secs(5);

    /// A module that serves its connection.
    pub(in super::super) struct Started {
        pub(in super::super) stream: Box<dyn Stream>,
        /// The RPCs for which it has functions.
        pub(in super::super) rpcs: Vec<&'static str>,
    }

    /// Loads a module in the way of a runtime of this revision; without a revision, with the functions that it has.
    pub(in super::super) async fn start(
        path: &Path,
        revision: Option<&Revision>,
    ) -> Result<Started> {
        let (index, name) = identity(path);
        let id = PluginId { index, name };
        let module = WasmModule::load(path, id, revision, START).await;
        let module =
            module.map_err(|error| Error::new(format!("the module does not load: {error}")))?;
        Ok(Started {
            rpcs: module.rpcs(),
            stream: Box::new(module.connect()),
        })
    }
}

#[cfg(feature = "wasm")]
pub(super) use host::start;
