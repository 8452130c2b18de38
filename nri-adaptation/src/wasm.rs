//! Plugins that are WebAssembly modules: files in the plugin directory that start with `\0asm`.
//!
//! A module exports a function per RPC, in the calling convention of
//! [go-plugin](https://github.com/knqyf263/go-plugin), and imports at most `env.log` and WASI
//! preview 1. It gets no files, no network and no environment. The engine is
//! [wasmi](https://github.com/wasmi-labs/wasmi), an interpreter: it adds eight crates and no
//! generated machine code to the runtime's process, and can interrupt any module after a given
//! amount of work. Requests to plugins are too few and small for a compiler to pay off.
//!
//! The module sits behind a connection in memory, so timeouts, masks, split Synchronize and merging
//! work as for any other plugin:
//!
//! ```text
//! session ── stream in memory ── service ── module (wasmi)
//!                                             └─ imports
//! ```
//!
//! A module that traps, breaks the calling convention or exceeds its time is disconnected. The
//! reference keeps calling it, although its memory may be in any state.

mod error;
mod imports;
mod limits;
mod module;
mod service;

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::DuplexStream;

use nri::__private::register;
use nri::wire::{Connection, Limits};
use nri::{Error, ErrorKind};

use super::core::Core;
use super::launch::PluginFile;
use super::revision::Revision;
use super::session::{CHANNELS, Origin, attach};
use nri::PluginId;

use error::ModuleError;
use limits::Limit;
use module::Module;
use service::ModuleService;

pub(super) use limits::DEFAULT_MEMORY;

/// Largest module in bytes. Those of Go have some 10 MB.
const MAX_MODULE: u64 = 64 << 20;

/// Bytes that the connection holds in each direction.
const BUFFER: usize = 256 << 10;

/// The time that the connection stays open for an answer that will not come.
const LINGER: Duration = Duration::from_millis(10);

/// Loads the module of a plugin and takes it in. Errors are logged.
pub(super) async fn launch(core: &Arc<Core>, found: PluginFile, memory: usize) {
    let PluginFile { id, path, config } = found;
    let (revision, within) = (Some(&core.revision), core.registration_timeout);
    match WasmModule::loaded(&path, id.clone(), revision, memory, within).await {
        Ok(module) => {
            // Errors are logged where they occur.
            let origin = Origin::new("WebAssembly", Some(id), config);
            let _ = attach(core, module.connect(), origin).await;
        }
        Err(error) => {
            tracing::warn!("failed to load WebAssembly plugin {}: {error}", path.display())
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ModuleError> {
    let mut code = Vec::new();
    let file = File::open(path).map_err(ModuleError::Read)?;
    file.take(MAX_MODULE + 1).read_to_end(&mut code).map_err(ModuleError::Read)?;
    let size = code.len();
    if size as u64 > MAX_MODULE {
        let message = format!("at least {size} bytes, at most {MAX_MODULE} are loaded");
        return Err(ModuleError::Failed(message));
    }
    Ok(code)
}

/// A loaded WebAssembly plugin, for tools that test plugins. The adaptation loads modules on its
/// own.
pub struct WasmModule {
    id: PluginId,
    module: Module,
}

impl fmt::Debug for WasmModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WasmModule")
            .field("id", &self.id)
            .field("rpcs", &self.rpcs())
            .finish_non_exhaustive()
    }
}

impl WasmModule {
    /// Loads a module as a runtime of this revision does, or with any functions that it exports if
    /// `revision` is `None`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Unsupported`] if a runtime of this revision would not load it: because
    /// the file cannot be read or is not a module, a function is missing, or it does not start
    /// within the time limit.
    pub async fn load(
        path: &Path,
        id: PluginId,
        revision: Option<&Revision>,
        within: Duration,
    ) -> nri::Result<Self> {
        let loading = Self::loaded(path, id, revision, DEFAULT_MEMORY, within);
        loading.await.map_err(|error| {
            Error::with_kind(ErrorKind::Unsupported, error.to_string()).with_source(error)
        })
    }

    async fn loaded(
        path: &Path,
        id: PluginId,
        revision: Option<&Revision>,
        memory: usize,
        within: Duration,
    ) -> Result<Self, ModuleError> {
        let required = revision.map(module::required).transpose()?;
        let (limit, name, path) = (Limit::within(within), id.to_string(), path.to_owned());
        let loading = tokio::task::spawn_blocking(move || {
            let code = read(&path)?;
            Module::load(&name, &code, required.as_deref(), memory, limit)
        });
        let module = loading.await.map_err(ModuleError::failed)??;
        Ok(WasmModule { id, module })
    }

    /// Returns the RPCs that it has functions for, in alphabetical order.
    pub fn rpcs(&self) -> Vec<&'static str> {
        self.module.rpcs()
    }

    /// Serves the module, which registers with its name and index. Returns the runtime's end of its
    /// connection.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time enabled.
    pub fn connect(self) -> DuplexStream {
        let WasmModule { id, module } = self;
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        let mut limits = Limits::default();
        limits.linger = LINGER;
        let (connection, caller) = Connection::new(theirs, CHANNELS.flipped(), limits);
        let service = ModuleService::new(&id, module);
        tokio::spawn(async move {
            // The session on the other side logs how the connection ends.
            let _ = connection.serve_until(&service, service.broken()).await;
        });
        tokio::spawn(async move {
            // A refusal ends the session, which logs it. A module does not say which release of NRI
            // it was built with.
            let _ = register(&caller, &id, "", None).await;
        });
        ours
    }
}

#[cfg(test)]
mod tests;
