//! Drives a plugin with a recorded connection.

use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::api::{ConfigureRequest, RegisterPluginRequest};
use nri::codec::Message as _;
use nri::wire::{CallError, Caller, Channels, Connection, Limits, Service, Status};
use prost_reflect::DynamicMessage;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep_until, timeout};

use crate::error::{Error, ErrorKind, Result};
use crate::record::frame::Request;
use crate::record::reader::Reader;
use crate::record::replay::compare::{compare, judge};
use crate::record::replay::exchange::{Exchange, Exchanges, RecordedAnswer};
use crate::record::replay::index::{ConnectionInfo, MAX_UPDATE_BYTES, Update};
use crate::record::replay::outcome::{Difference, DifferenceKind, Replayed};
use crate::record::replay::plan::{Plan, Step};
use crate::record::replay::{Settings, Speed};
use crate::record::schema;
use crate::record::schema::Side;
use crate::session::RUNTIME_SERVICE;

/// The runtime calls on the first logical connection and serves on the second.
const CHANNELS: Channels = Channels { serve: 2, call: 1 };

/// Requests that are read ahead of the plugin.
const READ_AHEAD: usize = 16;

/// The time to wait for recorded unsolicited updates after the last request.
const LAST_UPDATES: Duration = Duration::from_secs(1);

/// A plugin under replay.
struct Player {
    caller: Caller,
    settings: Settings,
    redacted: bool,
    plan: Plan,
    outcome: Replayed,
    /// True once the plugin did not answer or closed the connection, after which a runtime sends nothing more.
    gone: bool,
}

/// Replays a connection over a stream to a plugin.
pub(super) async fn play<S>(
    reader: Reader<impl BufRead + Send + 'static>,
    info: ConnectionInfo,
    stream: S,
    settings: Settings,
) -> Result<Replayed>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let runtime = Arc::new(ReplayedRuntime::new(info.updates));
    let (connection, caller) = Connection::new(stream, CHANNELS, Limits::default());
    let mut player = Player {
        caller,
        settings,
        redacted: reader.header().redacted,
        plan: Plan::new(),
        outcome: Replayed {
            recorded_plugin: info.plugin,
            redacted: reader.header().redacted,
            ..Replayed::default()
        },
        gone: false,
    };
    let played = async {
        player.register(&runtime).await?;
        player.play_all(Exchanges::new(reader, info.number)).await?;
        player.compare_updates(&runtime).await;
        Ok(player.outcome)
    };
    let mut played = std::pin::pin!(played);
    // The connection is also read between the calls, until the plugin closes it.
    tokio::select! {
        outcome = played.as_mut() => outcome,
        _ended = connection.serve(&*runtime) => {
            runtime.state.send_modify(|state| state.ended = true);
            played.await
        }
    }
}

impl Player {
    async fn register(&mut self, runtime: &ReplayedRuntime) -> Result<()> {
        let within = self.settings.registration_timeout;
        let failed = |message: String| {
            Error::of(ErrorKind::Registration, message).with_help("check the output of the plugin")
        };
        let registration = timeout(within, runtime.registered())
            .await
            .map_err(|_| failed(format!("the plugin did not register within {within:?}")))?
            .ok_or_else(|| {
                failed("the plugin closed the connection before it registered".into())
            })?;
        self.outcome.plugin = format!("{}-{}", registration.plugin_idx, registration.plugin_name);
        Ok(())
    }

    async fn play_all<R>(&mut self, exchanges: Exchanges<R>) -> Result<()>
    where
        R: BufRead + Send + 'static,
    {
        let mut exchanges = read_ahead(exchanges);
        let mut clock = None;
        while let Some(exchange) = exchanges.recv().await {
            let exchange = exchange?;
            let (started, first) = *clock.get_or_insert((Instant::now(), exchange.at));
            if self.gone {
                self.outcome.skipped.after_end += 1;
                continue;
            }
            if self.settings.speed == Speed::Original {
                let due = started + exchange.at.saturating_sub(first);
                sleep_until(due.into()).await;
            }
            self.play(exchange).await;
            self.outcome.elapsed = started.elapsed();
        }
        Ok(())
    }

    async fn play(&mut self, exchange: Exchange) {
        let Some(payload) = exchange.request.payload.bytes().cloned() else {
            self.outcome.skipped.withheld += 1;
            return;
        };
        let payload = self.configured(&exchange.request.method, payload);
        match self.plan.step(&exchange, &payload) {
            Step::Unsubscribed => self.outcome.skipped.unsubscribed += 1,
            Step::Repeated => self.outcome.skipped.repeated += 1,
            Step::Converted(change) => self.change(&exchange, &change).await,
            Step::AsRecorded => {
                let got = self
                    .call(&exchange.request.method, &exchange, &payload)
                    .await;
                let status = match &got {
                    Ok(payload) => Some(Ok(payload)),
                    Err(CallError::Status(status)) => Some(Err(status)),
                    Err(_) => None,
                };
                let falls_back =
                    status.and_then(|answer| self.plan.answered(&exchange, &payload, answer));
                match falls_back {
                    Some(change) => self.change(&exchange, &change).await,
                    None if self.plan.takes_what_was_refused() => self.outcome.compared += 1,
                    None => self.judge(&exchange, &got, false),
                }
            }
        }
    }

    /// Replaces the recorded configuration in a request of Configure, if another one is set.
    fn configured(&self, method: &str, payload: Bytes) -> Bytes {
        let config = self.settings.plugin_config.as_ref();
        let Some(config) = config.filter(|_| method == "Configure") else {
            return payload;
        };
        // A request that cannot be read is sent as recorded: the answer of the plugin shows what it makes of it.
        let Ok(request) = ConfigureRequest::decode(&*payload) else {
            return payload;
        };
        let request = ConfigureRequest {
            config: config.clone(),
            ..request
        };
        request.encode_to_vec().into()
    }

    /// Sends a request as StateChange instead.
    async fn change(&mut self, exchange: &Exchange, change: &Bytes) {
        let got = self.call("StateChange", exchange, change).await;
        self.judge(exchange, &got, true);
    }

    async fn call(
        &mut self,
        method: &str,
        exchange: &Exchange,
        payload: &Bytes,
    ) -> Result<Bytes, CallError> {
        let recorded = exchange.request.timeout;
        let within = self.settings.timeout.or(recorded);
        let within = within.unwrap_or(self.settings.default_timeout);
        self.outcome.requests += 1;
        let service = &exchange.request.service;
        let got = self
            .caller
            .call(service, method, payload.clone(), Some(within))
            .await;
        self.gone |= matches!(got, Err(CallError::Timeout(_) | CallError::Closed));
        got
    }

    fn judge(&mut self, exchange: &Exchange, got: &Result<Bytes, CallError>, converted: bool) {
        let request = &exchange.request;
        if exchange.answer != RecordedAnswer::Unknown {
            self.outcome.compared += 1;
        }
        for kind in judge(request, &exchange.answer, got, converted, self.redacted) {
            self.outcome.add(Difference {
                request: exchange.number,
                at: exchange.at,
                method: request.method.clone(),
                subject: subject(request).unwrap_or_default(),
                kind,
            });
        }
    }

    /// Compares the unsolicited updates in order, regardless of their times.
    async fn compare_updates(&mut self, runtime: &ReplayedRuntime) {
        if !self.gone {
            // Updates that are still missing after that are reported.
            let _ = timeout(LAST_UPDATES, runtime.all_updates()).await;
        }
        let (recorded, got) = runtime.updates();
        for number in 0..recorded.len().max(got.len()) {
            let kinds = match (recorded.get(number), got.get(number)) {
                (Some(recorded), Some(got)) => self.compare_update(&recorded.request, got),
                (Some(_), None) => vec![DifferenceKind::MissingUpdate],
                (None, Some(_)) => vec![DifferenceKind::ExtraUpdate],
                (None, None) => Vec::new(),
            };
            for kind in kinds {
                self.outcome.add(Difference {
                    request: 0,
                    at: Duration::ZERO,
                    method: "UpdateContainers".to_owned(),
                    subject: format!("unsolicited update {}", number + 1),
                    kind,
                });
            }
        }
    }

    fn compare_update(&self, recorded: &Bytes, got: &Bytes) -> Vec<DifferenceKind> {
        let message = schema::message(RUNTIME_SERVICE, "UpdateContainers", Side::Request);
        let compared = message.map(|message| compare(&message, recorded, got, self.redacted));
        match compared {
            Some(Ok(kinds)) => kinds,
            Some(Err(reason)) => vec![DifferenceKind::Unreadable(reason)],
            None => Vec::new(),
        }
    }
}

/// Reads exchanges on a separate thread, so that decoding does not delay the plugin.
fn read_ahead<R>(mut exchanges: Exchanges<R>) -> mpsc::Receiver<Result<Exchange>>
where
    R: BufRead + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    tokio::task::spawn_blocking(move || {
        while let Some(exchange) = exchanges.next().transpose() {
            let failed = exchange.is_err();
            if sender.blocking_send(exchange).is_err() || failed {
                return;
            }
        }
    });
    receiver
}

/// Returns the pod and the container of a request.
fn subject(request: &Request) -> Option<String> {
    let message = schema::message(&request.service, &request.method, Side::Request)?;
    let request = DynamicMessage::decode(message, request.payload.bytes()?.clone()).ok()?;
    let name = |message: &str, field: &str| -> Option<String> {
        let part = request.get_field_by_name(message)?;
        let name = part.as_message()?.get_field_by_name(field)?;
        name.as_str()
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    };
    let parts = [
        name("pod", "namespace"),
        name("pod", "name"),
        name("container", "name"),
    ];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join("/"))
}

/// A service that answers the plugin like the recorded runtime.
pub(super) struct ReplayedRuntime {
    recorded: Vec<Update>,
    state: watch::Sender<State>,
}

#[derive(Default)]
struct State {
    registration: Option<RegisterPluginRequest>,
    updates: Vec<Bytes>,
    update_bytes: usize,
    /// True once the connection has ended.
    ended: bool,
}

impl ReplayedRuntime {
    pub(super) fn new(recorded: Vec<Update>) -> Self {
        ReplayedRuntime {
            recorded,
            state: watch::Sender::default(),
        }
    }

    /// Waits for the plugin to register. Returns `None` if the connection ends before.
    pub(super) async fn registered(&self) -> Option<RegisterPluginRequest> {
        let mut state = self.state.subscribe();
        let come = |state: &State| state.registration.is_some() || state.ended;
        let registered = state.wait_for(come).await;
        // Cannot fail: the sender is part of `self`.
        registered.ok()?.registration.clone()
    }

    /// Waits until the plugin has sent as many unsolicited updates as were recorded.
    pub(super) async fn all_updates(&self) {
        let all = self.recorded.len();
        let mut state = self.state.subscribe();
        // Cannot fail: the sender is part of `self`.
        let _ = state.wait_for(|state| state.updates.len() >= all).await;
    }

    /// Returns the unsolicited updates, recorded and sent.
    pub(super) fn updates(&self) -> (&[Update], Vec<Bytes>) {
        (&self.recorded, self.state.borrow().updates.clone())
    }

    fn register(&self, payload: Bytes) -> Result<Bytes, Status> {
        let registration = RegisterPluginRequest::decode(payload)
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        self.state.send_modify(|state| {
            state.registration.get_or_insert(registration);
        });
        Ok(Bytes::new())
    }

    fn update(&self, payload: Bytes) -> Result<Bytes, Status> {
        let mut number = 0;
        self.state.send_modify(|state| {
            number = state.updates.len();
            state.update_bytes += payload.len();
            if state.update_bytes <= MAX_UPDATE_BYTES {
                state.updates.push(payload);
            }
        });
        let recorded = self.recorded.get(number);
        recorded.map_or(Ok(Bytes::new()), |update| update.answer.clone())
    }
}

impl Service for ReplayedRuntime {
    async fn call(&self, request: nri::wire::Request) -> Result<Bytes, Status> {
        if request.service != RUNTIME_SERVICE {
            return Err(Status::unknown_service(&request.service));
        }
        match request.method.as_str() {
            "RegisterPlugin" => self.register(request.payload),
            "UpdateContainers" => self.update(request.payload),
            other => Err(Status::unknown_method(&request.service, other)),
        }
    }
}
