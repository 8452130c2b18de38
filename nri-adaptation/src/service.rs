//! The service that plugins call: RegisterPlugin and UpdateContainers.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use bytes::Bytes;
use nri::codec::Message;
use tokio::sync::oneshot;

use nri::__private::{OneLine, RuntimeRpc, called};
use nri::api::{RegisterPluginRequest, UpdateContainersRequest, UpdateContainersResponse};
use nri::wire::{Code, Request, Service, Status};

use super::callbacks::{Origin, Requested};
use super::core::Core;
use super::first::first;
use nri::PluginId;

use super::identity::Registration;
use super::intake;

/// The maximum number of characters of the version of NRI that a plugin names; its own has up
/// to 40.
const MAX_VERSION: usize = 64;

/// Answers the calls of one plugin.
pub(super) struct PluginService {
    /// Weak, as the connection that owns this service is owned by the core.
    core: Weak<Core>,
    /// The identity of a plugin that the runtime chose itself.
    given: Option<PluginId>,
    register: Mutex<Option<oneshot::Sender<Result<Registration, String>>>>,
    id: OnceLock<PluginId>,
    refusal: OnceLock<String>,
}

impl PluginService {
    /// Returns the service, and what receives the registration.
    pub(super) fn new(
        core: &Arc<Core>,
        given: Option<PluginId>,
    ) -> (Arc<Self>, oneshot::Receiver<Result<Registration, String>>) {
        let (sender, receiver) = oneshot::channel();
        let service = PluginService {
            core: Arc::downgrade(core),
            given,
            register: Mutex::new(Some(sender)),
            id: OnceLock::new(),
            refusal: OnceLock::new(),
        };
        (Arc::new(service), receiver)
    }

    /// Answers every later call with the reason why the plugin is refused.
    pub(super) fn refuse(&self, reason: String) {
        // The first reason stays.
        let _ = self.refusal.set(reason);
    }

    fn register(&self, request: Request) -> Result<Bytes, Status> {
        let request: RegisterPluginRequest = decode(request)?;
        let core = self.core()?;
        let mut register = self.register.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(register) = register.take() else {
            let message = "the plugin is registered already";
            return Err(Status::new(Code::FAILED_PRECONDITION, message));
        };
        let checked = match &self.given {
            Some(given) => Ok(given.clone()),
            None => {
                let RegisterPluginRequest { plugin_name, plugin_idx, .. } = &request;
                core.revision.plugin_id(plugin_idx, plugin_name)
            }
        };
        // The receiver is gone when the registration took too long.
        match checked {
            Ok(id) => {
                let _ = self.id.set(id.clone());
                let nri_version = OneLine::new(&request.nri_version, MAX_VERSION).to_string();
                let _ = register.send(Ok(Registration { id, nri_version }));
                Ok(Bytes::new())
            }
            Err(invalid) => {
                let reason = invalid.to_string();
                let _ = register.send(Err(reason.clone()));
                Err(Status::invalid_argument(reason))
            }
        }
    }

    async fn update(&self, request: Request) -> Result<Bytes, Status> {
        let Some(id) = self.id.get().cloned() else {
            let message = "register before requesting updates";
            return Err(Status::new(Code::FAILED_PRECONDITION, message));
        };
        let core = self.core()?;
        tracing::info!("plugin {id} requested container updates");
        // In a separate task, because this future is only polled while the plugin reads: the
        // request then takes its turn and ends it in time, and a large one is decoded without the
        // lock of the connection.
        let (connected, disconnected) = oneshot::channel::<()>();
        let done = tokio::spawn(updated(core, id, request, disconnected)).await;
        drop(connected);
        done.unwrap_or_else(|panic| Err(Status::new(Code::INTERNAL, panic.to_string())))
    }

    fn core(&self) -> Result<Arc<Core>, Status> {
        self.core.upgrade().ok_or_else(gone)
    }
}

impl Service for PluginService {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        if let Some(reason) = self.refusal.get() {
            return Err(Status::new(Code::FAILED_PRECONDITION, reason.clone()));
        }
        match called(&request)? {
            RuntimeRpc::RegisterPlugin => self.register(request),
            RuntimeRpc::UpdateContainers => self.update(request).await,
        }
    }
}

/// Has the runtime update containers when it is the turn of the request, unless the plugin
/// disconnects before. Runs to its end once started. Returns the encoded answer.
async fn updated(
    core: Arc<Core>,
    id: PluginId,
    request: Request,
    disconnected: oneshot::Receiver<()>,
) -> Result<Bytes, Status> {
    let disconnected = async { drop(disconnected.await) };
    let admitted = async {
        // Before the turn, so that large requests that wait take no turns from small ones.
        let share = core.intake.update(&request.payload).await;
        (share, core.updates.acquire().await)
    };
    let Some((_share, Ok(_turn))) = first(admitted, disconnected).await else {
        return Err(gone());
    };
    let request: UpdateContainersRequest =
        intake::decode("the request of UpdateContainers", request.payload).await?;
    let requested = Requested {
        plugin: id,
        origin: Origin::Unsolicited,
        updates: request.update,
        evictions: request.evict,
    };
    match core.callbacks.update_containers(requested).await {
        Ok(failed) => Ok(UpdateContainersResponse { failed }.encode_to_vec().into()),
        Err(error) => Err(Status::new(Code::UNKNOWN, error.to_string())),
    }
}

fn decode<M: Message + Default>(request: Request) -> Result<M, Status> {
    let method = request.method;
    M::decode(request.payload).map_err(|error| {
        Status::invalid_argument(format!("the request of {method} is unreadable: {error}"))
    })
}

fn gone() -> Status {
    Status::new(Code::UNAVAILABLE, "the runtime is shutting down")
}
