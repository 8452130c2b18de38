//! The life of a plugin's connection: registration, configuration, synchronization, events, end.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use nri::codec::Message as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use nri::__private::Direct;
use nri::api::{
    ConfigureRequest, ConfigureResponse, Event, EventMask, FailurePolicy, PLUGIN_SERVICE,
};
use nri::plugin::Plugin;
use nri::stub::Stub;
use nri::wire::{Caller, Channels, Connection, ConnectionError, Ended, Limits};
use nri::{Error, ErrorKind, Result};

use super::core::Core;
use super::first::first;
use nri::PluginId;

use super::identity::Registration;
use super::join::join;
use super::launch::Process;
use super::member::Member;
use super::revision::Revision;
use super::service::PluginService;

/// The runtime calls on the first logical connection and serves on the second.
pub(super) const CHANNELS: Channels = Channels::PLUGIN.flipped();

/// Bytes between a builtin plugin and the adaptation that one side may be ahead of the other.
const BUFFER: usize = 64 << 10;

/// The time that a refused plugin has to read the reason.
const REFUSAL_LINGER: Duration = Duration::from_secs(1);

/// The origin of a plugin.
pub(super) struct Origin {
    /// The kind of plugin, for the log, such as `external`.
    pub(super) kind: &'static str,
    /// The identity that the runtime chose; `None` if the plugin chooses it.
    pub(super) id: Option<PluginId>,
    pub(super) config: String,
    /// The handlers of a plugin in the runtime's process.
    pub(super) direct: Option<Arc<dyn Direct>>,
    /// The process of a plugin that the runtime started.
    pub(super) process: Option<Process>,
}

impl Origin {
    pub(super) fn new(kind: &'static str, id: Option<PluginId>, config: String) -> Self {
        Origin { kind, id, config, direct: None, process: None }
    }

    /// Returns the end of what the plugin wrote to its standard error, if the runtime started it.
    async fn last_words(&mut self) -> Option<String> {
        self.process.as_mut()?.last_words().await
    }
}

/// A connection to a plugin, and the task that serves it.
struct Connected {
    caller: Caller,
    serving: JoinHandle<std::result::Result<Ended, ConnectionError>>,
    /// Weak, so that the service ends with the connection, and a pending registration with it.
    service: Weak<PluginService>,
}

/// Takes a plugin in: returns when it is registered, configured and synchronized. A task then looks
/// after its connection.
///
/// # Errors
///
/// Returns why the plugin was refused. The reason is logged, and the plugin gets it as far as the
/// protocol allows.
pub(super) async fn attach<S>(core: &Arc<Core>, stream: S, mut origin: Origin) -> Result<PluginId>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (service, registered) = PluginService::new(core, origin.id.clone());
    let weak = Arc::downgrade(&service);
    let (connection, caller) = Connection::new(stream, CHANNELS, Limits::default());
    let serving = tokio::spawn(async move { connection.serve(&*service).await });
    let connected = Connected { caller, serving, service: weak };
    let admitting = async {
        let registration =
            registration(core, registered).await.map_err(|error| match &origin.id {
                Some(id) => named(id, error),
                None => error,
            })?;
        admit(core, &connected, &origin, registration).await
    };
    let admitted = first(admitting, core.stopped()).await;
    let stopping = || Error::with_kind(ErrorKind::Connection, "the runtime is shutting down");
    match admitted.unwrap_or_else(|| Err(stopping())) {
        Ok(member) => {
            let id = member.id.clone();
            tracing::info!("{} plugin {id} connected and synchronized", origin.kind);
            tokio::spawn(look_after(Arc::clone(core), member, connected, origin));
            Ok(id)
        }
        Err(error) => {
            let error = with_last_words(error, &mut origin).await;
            let kind = origin.kind;
            tracing::error!("failed to start {kind} plugin: {error}");
            let reason = error.to_string();
            tokio::spawn(async move { turn_away(connected, reason, origin).await });
            Err(error)
        }
    }
}

/// Runs a plugin in this process.
///
/// It registers, synchronizes and asks for updates over a stream in memory, as it would over a
/// socket. Events are calls of its handlers, with nothing in between but the deadline.
pub(super) async fn run_builtin<P: Plugin>(
    core: &Arc<Core>,
    plugin: P,
    id: PluginId,
) -> Result<PluginId> {
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    let stub = Stub::builder(plugin)
        .name(&id.name)
        .index(&id.index)
        .stream(theirs)
        .no_logging()
        .no_reconnect()
        .build()?;
    let direct = stub.direct();
    let stopping = Arc::clone(core);
    let full_name = id.to_string();
    tokio::spawn(async move {
        if let Err(error) = stub.run_until(async move { stopping.stopped().await }).await {
            tracing::error!("builtin plugin {full_name} ended: {error}");
        }
    });
    let origin = Origin { direct: Some(direct), ..Origin::new("builtin", Some(id), String::new()) };
    attach(core, ours, origin).await
}

async fn registration(
    core: &Core,
    registered: tokio::sync::oneshot::Receiver<Result<Registration, String>>,
) -> Result<Registration> {
    let limit = core.registration_timeout;
    match timeout(limit, registered).await {
        Ok(Ok(Ok(registration))) => Ok(registration),
        Ok(Ok(Err(reason))) => {
            let message = format!("failed to register plugin: {reason}");
            Err(Error::with_kind(ErrorKind::Config, message))
        }
        Ok(Err(_)) => {
            let message = "failed to register plugin, connection closed";
            Err(Error::with_kind(ErrorKind::Connection, message))
        }
        Err(_) => {
            let message = format!("plugin registration timed out after {limit:?}");
            Err(Error::with_kind(ErrorKind::Timeout, message))
        }
    }
}

async fn admit(
    core: &Arc<Core>,
    connected: &Connected,
    origin: &Origin,
    registration: Registration,
) -> Result<Arc<Member>> {
    let id = registration.id.clone();
    let shown = match &*registration.nri_version {
        "" => "unknown",
        version => version,
    };
    let kind = origin.kind;
    tracing::info!("{kind} plugin registered as {id} (with NRI version {shown})");
    let named = |error: Error| named(&id, error);
    let (events, failure_policy) =
        configure(core, &connected.caller, &origin.config).await.map_err(named)?;
    let member = Arc::new(Member::new(
        registration,
        events,
        failure_policy,
        connected.caller.clone(),
        connected.serving.abort_handle(),
        origin.direct.clone(),
        core.queue_limit,
    ));
    join(core, &member).await.map_err(named)?;
    Ok(member)
}

/// Configures a plugin. Returns the events that it subscribes to, and its failure policy.
///
/// # Errors
///
/// Returns an error if the plugin returns one or does not answer, and [`ErrorKind::Protocol`] if
/// its event mask has bits that the revision does not know.
async fn configure(
    core: &Core,
    caller: &Caller,
    config: &str,
) -> Result<(EventMask, FailurePolicy)> {
    let request = configure_request(core, config);
    let within = Some(core.request_timeout);
    let answer =
        caller.call(PLUGIN_SERVICE, "Configure", request, within).await.map_err(|error| {
            let message = format!("failed to configure plugin: {error}");
            Error::with_kind(ErrorKind::Connection, message).with_source(error)
        })?;
    let answer = ConfigureResponse::decode(answer).map_err(|error| {
        let message = format!("failed to configure plugin: unreadable answer: {error}");
        Error::with_kind(ErrorKind::Malformed, message)
    })?;
    let policy = answer.failure_policy.filter(|_| core.revision.is_at_least("v0.12.4"));
    let events = subscribed(answer.events, &core.revision)?;
    Ok((events, policy.unwrap_or_default()))
}

fn configure_request(core: &Core, config: &str) -> Bytes {
    let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let request = ConfigureRequest {
        config: config.to_owned(),
        runtime_name: core.name.clone(),
        runtime_version: core.version.clone(),
        registration_timeout: millis(core.registration_timeout),
        request_timeout: millis(core.request_timeout),
        nri_version: core.revision.release().to_owned(),
    };
    core.revision.without_newer("ConfigureRequest", &request.encode_to_vec())
}

/// Checks an event mask; 0 stands for all events.
fn subscribed(mask: i32, revision: &Revision) -> Result<EventMask> {
    let known = revision.events();
    if mask == 0 {
        return Ok(known);
    }
    let extra = mask & !known.bits();
    if extra != 0 {
        let message = unknown_events(extra, revision.release());
        return Err(Error::with_kind(ErrorKind::Protocol, message));
    }
    Ok(EventMask::from_bits_truncate(mask))
}

/// Returns the reason for refusing a plugin that subscribes to events of a later release. The
/// plugin is told, too.
fn unknown_events(mask: i32, release: &str) -> String {
    let unknown = EventMask::from_bits_truncate(mask);
    let names: Vec<&str> = Event::ALL
        .iter()
        .filter(|event| unknown.contains(**event))
        .map(|event| event.as_str_name())
        .collect();
    let message = format!("invalid plugin events: 0x{mask:x}, which NRI {release} does not know");
    if names.is_empty() { message } else { format!("{message}: {}", names.join(", ")) }
}

fn named(id: &PluginId, error: Error) -> Error {
    Error::with_kind(error.kind(), format!("plugin {id}: {error}")).with_source(error)
}

/// Adds what a plugin that the runtime started wrote last: the reason is usually there.
async fn with_last_words(error: Error, origin: &mut Origin) -> Error {
    match origin.last_words().await {
        Some(words) => {
            let message = format!("{error}; its last output: {words}");
            Error::with_kind(error.kind(), message).with_source(error)
        }
        None => error,
    }
}

/// Waits for the end of the connection, or of the adaptation.
async fn look_after(
    core: Arc<Core>,
    member: Arc<Member>,
    connected: Connected,
    mut origin: Origin,
) {
    let ended = first(connected.serving, core.stopped()).await;
    let is_stopping = ended.is_none();
    match ended {
        Some(Ok(Err(error))) => {
            tracing::error!("connection to plugin {} ended: {error}", member.full_name);
        }
        Some(Err(error)) if error.is_panic() => {
            tracing::error!("plugin {}: {error}", member.full_name);
        }
        Some(Ok(Ok(_)) | Err(_)) | None => {
            tracing::info!("connection to plugin {} closed", member.full_name)
        }
    }
    core.disconnect(&member);
    if !is_stopping && let Some(words) = origin.last_words().await {
        tracing::info!("last output of plugin {}: {words}", member.full_name);
    }
    end_process(origin).await;
}

/// Leaves a refused plugin some time to read the reason, then closes the connection.
async fn turn_away(mut connected: Connected, reason: String, origin: Origin) {
    if let Some(service) = connected.service.upgrade() {
        service.refuse(reason);
    }
    let _ = timeout(REFUSAL_LINGER, &mut connected.serving).await;
    connected.serving.abort();
    end_process(origin).await;
}

async fn end_process(origin: Origin) {
    if let Some(process) = origin.process {
        process.end().await;
    }
}
