//! A module that a tool loads without an adaptation.

use std::path::Path;
use std::time::Duration;

use tokio::io::DuplexStream;

use super::super::identity::PluginId;
use super::super::revision::Revision;
use super::limits::{DEFAULT_MEMORY, Limit};
use super::module::{Module, Rpcs};
use super::{ModuleError, exports, read, serve};
use nri::__private::RPCS;
use nri::{Error, ErrorKind, Result};

/// A WebAssembly plugin that was loaded by hand, for tools that test plugins. The adaptation loads modules on its own.
pub struct WasmModule {
    id: PluginId,
    module: Module,
}

impl std::fmt::Debug for WasmModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WasmModule")
            .field("id", &self.id)
            .field("rpcs", &self.rpcs())
            .finish_non_exhaustive()
    }
}

impl WasmModule {
    /// Loads a module as a runtime of this revision does, or with any functions that it exports if `revision` is `None`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Unsupported`] if a runtime of this revision would not load it: because the file cannot be read or
    /// is not a module, a function is missing, or it does not start within the time limit.
    pub async fn load(
        path: &Path,
        id: PluginId,
        revision: Option<&Revision>,
        within: Duration,
    ) -> Result<Self> {
        let required = revision.map(exports::required).transpose();
        let required = required.map_err(unsupported)?;
        let (path, name) = (path.to_owned(), id.to_string());
        let limit = Limit::within(within);
        let loading = tokio::task::spawn_blocking(move || {
            let code = read(&path)?;
            let known: Vec<&'static str> = RPCS.iter().map(|rpc| rpc.name).collect();
            let rpcs = match &required {
                Some(required) => Rpcs::All(required),
                None => Rpcs::Any(&known),
            };
            Module::load(&name, &code, rpcs, DEFAULT_MEMORY, limit)
        });
        let module = loading
            .await
            .unwrap_or_else(|error| Err(ModuleError::Engine(error.to_string())));
        let module = module.map_err(unsupported)?;
        Ok(WasmModule { id, module })
    }

    /// Returns the RPCs that it has functions for, in alphabetical order.
    pub fn rpcs(&self) -> Vec<&'static str> {
        self.module.rpcs()
    }

    /// Serves the module, which registers with its name and index. Returns the runtime's end of its connection.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time enabled.
    pub fn connect(self) -> DuplexStream {
        serve(&self.id, self.module)
    }
}

fn unsupported(error: ModuleError) -> Error {
    Error::with_kind(ErrorKind::Unsupported, error.to_string()).with_source(error)
}
