//! Answers the requests of the session with calls into a module.

use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use nri::codec::Message as _;
use tokio::sync::watch;

use super::error::ModuleError;
use super::limits::Limit;
use super::module::Module;
use nri::__private::{Assembly, Part};
use nri::PluginId;
use nri::api::{PLUGIN_SERVICE, SynchronizeResponse};
use nri::wire::{Code, Request, Service, Status};

/// The largest state that Synchronize may have.
const MAX_SYNCHRONIZE: usize = 64 << 20;

/// The time limit of a call whose request has none. The session always sets one.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(2);

/// The Plugin service of a module.
pub(super) struct ModuleService {
    plugin: String,
    module: Arc<Mutex<Module>>,
    assembly: Mutex<Assembly>,
    /// Becomes true when the module must not be called again.
    broken: watch::Sender<bool>,
}

impl ModuleService {
    pub(super) fn new(id: &PluginId, module: Module) -> Self {
        ModuleService {
            plugin: id.to_string(),
            module: Arc::new(Mutex::new(module)),
            assembly: Mutex::default(),
            broken: watch::Sender::new(false),
        }
    }

    /// Waits until the module must not be called again.
    pub(super) async fn broken(&self) {
        let mut broken = self.broken.subscribe();
        // The sender lives as long as this service.
        let _ = broken.wait_for(|broken| *broken).await;
    }

    /// Joins the parts of Synchronize: the reference does not split it for modules, so they need
    /// not know parts.
    async fn synchronize(&self, part: Bytes, within: Duration) -> Result<Bytes, Status> {
        let added = {
            let mut assembly = self.assembly.lock().unwrap_or_else(PoisonError::into_inner);
            assembly.add(part, MAX_SYNCHRONIZE)
        };
        match added {
            Ok(Part::Whole(request)) => self.run("Synchronize", request, within).await,
            Ok(Part::More) => {
                let more = SynchronizeResponse { more: true, ..SynchronizeResponse::default() };
                Ok(more.encode_to_vec().into())
            }
            Err(error) => Err(Status::invalid_argument(error.to_string())),
        }
    }

    /// Calls the module on a thread where it may block.
    async fn run(
        &self,
        rpc: &'static str,
        request: Bytes,
        within: Duration,
    ) -> Result<Bytes, Status> {
        let limit = Limit::within(within);
        // Dropped with this future when the connection ends: then no caller waits for the module.
        let _hold = limit.hold();
        let module = Arc::clone(&self.module);
        let calling = tokio::task::spawn_blocking(move || {
            let mut module = module.lock().unwrap_or_else(PoisonError::into_inner);
            module.call(rpc, &request, limit)
        });
        let called = calling.await;
        match called.unwrap_or_else(|error| Err(ModuleError::failed(error))) {
            Ok(answer) => Ok(answer.into()),
            Err(error) => self.failed(rpc, error).await,
        }
    }

    /// Returns the status for an error. If the module cannot be called again, ends the connection.
    async fn failed(&self, rpc: &str, error: ModuleError) -> Result<Bytes, Status> {
        let message = error.to_string();
        if error.is_fatal() {
            tracing::error!("WebAssembly plugin {}, {rpc}: {message}", self.plugin);
            self.broken.send_replace(true);
        }
        if error.is_silence() {
            // The end of the connection is the answer, as if a process had died.
            pending::<()>().await;
        }
        Err(Status::new(Code::UNKNOWN, message))
    }
}

impl Service for ModuleService {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        if request.service != PLUGIN_SERVICE {
            return Err(Status::unknown_service(&request.service));
        }
        let within = request.timeout.unwrap_or(DEFAULT_TIMEOUT);
        let known =
            nri::__private::RPCS.iter().map(|rpc| rpc.name).find(|name| *name == request.method);
        match known {
            Some("Synchronize") => self.synchronize(request.payload, within).await,
            Some(rpc) => self.run(rpc, request.payload, within).await,
            None => Err(Status::unknown_method(&request.service, &request.method)),
        }
    }
}
