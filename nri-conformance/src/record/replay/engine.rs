//! Drives a plugin with a recorded connection.

use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::__private::RuntimeRpc;
use nri::api::ConfigureRequest;
use nri::codec::Message as _;
use nri::wire::{CallError, Caller, Channels, Connection, Limits};
use tokio::sync::mpsc;
use tokio::time::{sleep_until, timeout};

use crate::error::{Error, ErrorKind, Result};
use crate::incident::Incident;
use crate::record::decode::decode;
use crate::record::frame::Request;
use crate::record::reader::Reader;
use crate::record::replay::compare::{compare, judge};
use crate::record::replay::connections::{
    ConnectionInfo, Exchange, Exchanges, RecordedAnswer, Update,
};
use crate::record::replay::outcome::{Difference, DifferenceKind, Replayed};
use crate::record::replay::plan::{Plan, Step};
use crate::record::replay::{Replay, Speed};
use crate::record::schema;
use crate::session::{Arrivals, RUNTIME_SERVICE, SessionEnd, UpdateAnswer};
use crate::subject::Stream;

/// The runtime calls on the first logical connection and serves on the second.
const CHANNELS: Channels = Channels::PLUGIN.flipped();

/// Requests that are read ahead of the plugin.
const READ_AHEAD: usize = 16;

/// The time to wait for recorded unsolicited updates after the last request.
const LAST_UPDATES: Duration = Duration::from_secs(1);

/// The time limit for an answer if none was recorded.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(2);

/// A plugin under replay.
struct Player<'r> {
    caller: Caller,
    /// The requests of the plugin to the runtime.
    arrivals: Arrivals,
    replay: &'r Replay,
    plan: Plan,
    outcome: Replayed,
    /// True once the plugin did not answer or closed the connection, after which a runtime sends
    /// nothing more.
    gone: bool,
}

/// Replays a connection over a stream to a plugin.
pub(super) async fn play(
    replay: &Replay,
    info: ConnectionInfo,
    stream: impl Stream + 'static,
) -> Result<Replayed> {
    let reader = Reader::open(&replay.path)?;
    let arrivals = Arrivals::default();
    let answers = info.updates.iter().map(|update| update.answer.clone());
    arrivals.answer_updates(UpdateAnswer::InOrder(answers.collect()));
    let (connection, caller) = Connection::new(stream, CHANNELS, Limits::default());
    let mut player = Player {
        caller,
        arrivals: arrivals.clone(),
        replay,
        plan: Plan::new(),
        outcome: Replayed {
            recorded_plugin: info.plugin,
            redacted: reader.header().redacted,
            ..Replayed::default()
        },
        gone: false,
    };
    let played = async {
        player.register().await?;
        player.play_all(Exchanges::new(reader, info.number)).await?;
        player.compare_updates(&info.updates).await;
        Ok(player.outcome)
    };
    let mut played = std::pin::pin!(played);
    // The connection is also read between the calls, until the plugin closes it.
    tokio::select! {
        outcome = played.as_mut() => outcome,
        ended = connection.serve(&arrivals) => {
            arrivals.set_end(SessionEnd::from(&ended));
            played.await
        }
    }
}

impl Player<'_> {
    async fn register(&mut self) -> Result<()> {
        let within = self.replay.registration_timeout;
        let registration = timeout(within, self.arrivals.registration())
            .await
            .map_err(|_| {
                let message = format!("the plugin did not register within {within:?}");
                unregistered(message, Incident::RegistrationTimeout)
            })?
            .ok_or_else(|| {
                let message = "the plugin closed the connection before it registered".to_owned();
                unregistered(message, Incident::RegistrationFailed)
            })?;
        self.outcome.plugin = format!("{}-{}", registration.plugin_idx, registration.plugin_name);
        Ok(())
    }

    async fn play_all(&mut self, exchanges: Exchanges) -> Result<()> {
        let mut exchanges = read_ahead(exchanges);
        let mut clock = None;
        while let Some(exchange) = exchanges.recv().await {
            let exchange = exchange?;
            let (started, first) = *clock.get_or_insert((Instant::now(), exchange.at));
            if self.gone {
                self.outcome.skipped.after_end += 1;
                continue;
            }
            if self.replay.speed == Speed::Original {
                let due = started + exchange.at.saturating_sub(first);
                sleep_until(due.into()).await;
            }
            self.play(exchange).await;
            self.outcome.elapsed = started.elapsed();
        }
        Ok(())
    }

    async fn play(&mut self, exchange: Exchange) {
        let Some(recorded) = exchange.request.payload.bytes().cloned() else {
            self.outcome.skipped.withheld += 1;
            return;
        };
        let payload = self.configured(&exchange.request.method, recorded);
        match self.plan.step(&exchange, &payload) {
            Step::Unsubscribed => self.outcome.skipped.unsubscribed += 1,
            Step::Repeated => self.outcome.skipped.repeated += 1,
            Step::Converted(change) => self.change(&exchange, &change).await,
            Step::AsRecorded => {
                let got = self.call(&exchange.request.method, &exchange, &payload).await;
                match self.plan.answered(&exchange, &payload, &got) {
                    Some(change) => self.change(&exchange, &change).await,
                    None if self.plan.takes_what_was_refused() => self.outcome.compared += 1,
                    None => self.judge(&exchange, &got, false),
                }
            }
        }
    }

    /// Replaces the recorded configuration in a request of Configure, if another one is set.
    fn configured(&self, method: &str, payload: Bytes) -> Bytes {
        // A request that cannot be read is sent as recorded: the answer of the plugin shows what it
        // makes of it.
        if method == "Configure"
            && let Some(config) = &self.replay.plugin_config
            && let Ok(mut request) = ConfigureRequest::decode(&*payload)
        {
            request.config.clone_from(config);
            return request.encode_to_vec().into();
        }
        payload
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
        let Request { service, timeout, .. } = &exchange.request;
        let within = self.replay.timeout.or(*timeout).or(Some(DEFAULT_TIMEOUT));
        self.outcome.requests += 1;
        let call = self.caller.call(service, method, payload.clone(), within);
        let got = call.await;
        self.gone |= matches!(got, Err(CallError::Timeout(_) | CallError::Closed));
        got
    }

    fn judge(&mut self, exchange: &Exchange, got: &Result<Bytes, CallError>, converted: bool) {
        let request = &exchange.request;
        if exchange.answer != RecordedAnswer::Unknown {
            self.outcome.compared += 1;
        }
        let redacted = self.outcome.redacted;
        for kind in judge(request, &exchange.answer, got, converted, redacted) {
            self.outcome.add(Difference {
                request: exchange.number,
                at: exchange.at,
                method: request.method.clone(),
                subject: subject(request).unwrap_or_default(),
                incident: kind.incident(&request.method),
                kind,
            });
        }
    }

    /// Compares the unsolicited updates in order, regardless of their times.
    async fn compare_updates(&mut self, recorded: &[Update]) {
        if !self.gone {
            // Updates that are still missing after that are reported.
            let _ = timeout(LAST_UPDATES, self.arrivals.updated(recorded.len())).await;
        }
        let got = self.arrivals.updates();
        let method = schema::method(RUNTIME_SERVICE, RuntimeRpc::UpdateContainers.name());
        let message = method.map(|method| method.input());
        for number in 0..recorded.len().max(got.len()) {
            let kinds = match (recorded.get(number), got.get(number)) {
                (Some(recorded), Some(got)) => {
                    let redacted = self.outcome.redacted;
                    compare(message.clone(), &recorded.request, got, redacted)
                }
                (Some(_), None) => vec![DifferenceKind::MissingUpdate],
                (None, Some(_)) => vec![DifferenceKind::ExtraUpdate],
                (None, None) => Vec::new(),
            };
            for kind in kinds {
                self.outcome.add(Difference {
                    request: 0,
                    at: Duration::ZERO,
                    method: RuntimeRpc::UpdateContainers.name().to_owned(),
                    subject: format!("unsolicited update {}", number + 1),
                    incident: None,
                    kind,
                });
            }
        }
    }
}

/// Returns the error for a plugin that did not register.
fn unregistered(message: String, incident: Incident) -> Error {
    let help = format!("check the output of the plugin, and see {incident}");
    Error::of(ErrorKind::Registration, message).with_help(help)
}

/// Reads exchanges on a separate thread, so that decoding does not delay the plugin.
fn read_ahead(mut exchanges: Exchanges) -> mpsc::Receiver<Result<Exchange>> {
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
    let descriptor = schema::method(&request.service, &request.method)?.input();
    let decoded = decode(descriptor, request.payload.bytes()?).ok()?;
    let name = |message: &str, field: &str| -> Option<String> {
        let part = decoded.get_field_by_name(message)?;
        let name = part.as_message()?.get_field_by_name(field)?;
        name.as_str().filter(|name| !name.is_empty()).map(str::to_owned)
    };
    let parts = [name("pod", "namespace"), name("pod", "name"), name("container", "name")];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join("/"))
}
