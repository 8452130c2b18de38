//! Plugins that are WebAssembly modules: files in the plugin directory that start with `\0asm`.
//!
//! A module exports a function per RPC, in the calling convention of
//! [go-plugin](https://github.com/knqyf263/go-plugin), and imports at most `env.log` and WASI preview 1. It gets no
//! files, no network and no environment. The engine is [wasmi](https://github.com/wasmi-labs/wasmi), an
//! interpreter: it adds eight crates and no generated machine code to the runtime's process, and can interrupt any
//! module after a given amount of work. Requests to plugins are too few and small for a compiler to pay off.
//!
//! The module sits behind a connection in memory, so timeouts, masks, split Synchronize and merging work as for any
//! other plugin:
//!
//! ```text
//! session ── stream in memory ── service ── module ── run (wasmi)
//!                                             └─ imports, wasi
//! ```
//!
//! A module that traps, breaks the calling convention or exceeds its time is disconnected. The reference keeps calling
//! it, although its memory may be in any state.

mod error;
mod exports;
mod host;
mod imports;
mod limits;
mod loaded;
mod module;
mod run;
mod service;
mod wasi;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nri::codec::Message as _;
use tokio::io::DuplexStream;

use nri::api::RegisterPluginRequest;
use nri::wire::{Connection, Limits};

use super::core::Core;
use super::identity::PluginId;
use super::launch::PluginFile;
use super::session::{CHANNELS, Origin, attach};

use error::ModuleError;
use limits::Limit;
use module::{Module, Rpcs};
use service::ModuleService;

pub use loaded::WasmModule;

pub(super) use limits::DEFAULT_MEMORY;

/// Largest module in bytes. Those of Go have some 10 MB.
const MAX_MODULE: u64 = 64 << 20;

/// Bytes that the connection holds in each direction.
const BUFFER: usize = 256 << 10;

/// The time that the connection stays open for an answer that will not come.
const LINGER: Duration = Duration::from_millis(10);

/// Loads the module of a plugin and takes it in. Errors are logged.
pub(super) async fn launch(core: &Arc<Core>, found: PluginFile, memory: usize) {
    let path = found.path.clone();
    match load(core, &found, memory).await {
        Ok(module) => connect(core, found, module).await,
        Err(error) => tracing::warn!(
            "failed to load WebAssembly plugin {}: {error}",
            path.display()
        ),
    }
}

async fn load(core: &Core, found: &PluginFile, memory: usize) -> Result<Module, ModuleError> {
    let exports = exports::required(&core.revision)?;
    let (path, name) = (found.path.clone(), found.id.to_string());
    let limit = Limit::within(core.timeouts.registration);
    let loading = tokio::task::spawn_blocking(move || {
        let code = read(&path)?;
        Module::load(&name, &code, Rpcs::All(&exports), memory, limit)
    });
    loading
        .await
        .unwrap_or_else(|error| Err(ModuleError::Engine(error.to_string())))
}

fn read(path: &Path) -> Result<Vec<u8>, ModuleError> {
    let mut code = Vec::new();
    let file = File::open(path).map_err(ModuleError::Read)?;
    file.take(MAX_MODULE + 1)
        .read_to_end(&mut code)
        .map_err(ModuleError::Read)?;
    if code.len() as u64 > MAX_MODULE {
        return Err(ModuleError::TooLarge {
            size: code.len(),
            max: MAX_MODULE as usize,
        });
    }
    Ok(code)
}

/// Serves the module over a stream in memory, and takes in the plugin at the other end.
async fn connect(core: &Arc<Core>, found: PluginFile, module: Module) {
    let stream = serve(&found.id, module);
    // Errors are logged where they occur.
    let _ = attach(core, stream, Origin::Module(found.id, found.config)).await;
}

/// Serves the module, which registers on its own. Returns the runtime's end of its connection.
fn serve(id: &PluginId, module: Module) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    let mut limits = Limits::default();
    limits.linger = LINGER;
    let (connection, caller) = Connection::new(theirs, CHANNELS.flipped(), limits);
    let service = ModuleService::new(id, module);
    tokio::spawn(async move {
        // The session on the other side logs how the connection ends.
        let _ = connection.serve_until(&service, service.broken()).await;
    });
    let register = RegisterPluginRequest {
        plugin_name: id.name.clone(),
        plugin_idx: id.index.clone(),
        ..RegisterPluginRequest::default()
    };
    tokio::spawn(async move {
        // A refusal ends the session, which logs it.
        let (service, payload) = (nri::api::RUNTIME_SERVICE, register.encode_to_vec());
        let _ = caller.call(service, "RegisterPlugin", payload, None).await;
    });
    ours
}

#[cfg(test)]
mod tests;
