//! One instance of the plugin, from its start to the last event.

use std::time::Duration;

use bytes::Bytes;
use nri::api::{ConfigureResponse, RegisterPluginRequest, SynchronizeResponse};
use nri::codec::Message;
use nri::wire::{CallError, Code};
use nri_adaptation::Revision;
use tokio::time::{Instant, timeout};

use crate::error::Result;
use crate::session::{End, Session};
use crate::subject::{Exit, Instance};

use super::answers::Reply;
use super::printed::error_lines;
use super::run::Run;
use super::{RuntimeRelease, Trouble, TroubleKind, answers};

/// The time that a process has to end after an error or the end of its connection. It is long, because a busy machine is no
/// reason for another explanation. A plugin that kept running once is given less.
const END: Duration = Duration::from_secs(2);

/// The name of that wait among the steps that have a time limit.
const ENDING: &str = "end of the process";

/// The number of bytes of output above which a plugin is reported as flooding.
const FLOOD: u64 = 16 << 20;

/// The steps before the first event, as named in troubles.
pub(super) const CONNECT: &str = "connection";
pub(super) const REGISTER: &str = "RegisterPlugin";
pub(super) const CONFIGURE: &str = "Configure";
pub(super) const SYNCHRONIZE: &str = "Synchronize";

/// An instance with its connection.
pub(super) struct Live {
    instance: Instance,
    session: Session,
    /// The registration, and the time from the start of the instance to it.
    pub(super) registration: Option<(RegisterPluginRequest, Duration)>,
    /// Why the plugin no longer answers, if so.
    silence: Option<String>,
    over: bool,
}

impl Live {
    /// Starts an instance and waits for its registration. Also returns an instance that is connected but does not
    /// register. A WebAssembly module must have all functions of `revision` if `complete` is true, and otherwise is
    /// loaded with the functions that it has.
    pub(super) async fn start(
        run: &mut Run<'_>,
        revision: &Revision,
        complete: bool,
    ) -> Result<std::result::Result<Self, String>> {
        let start = Instant::now();
        let started = run.subject.start_under(complete.then_some(revision)).await;
        let mut instance = match started {
            Ok(instance) => instance,
            Err(error) if run.awaits_first && !run.subject.is_module() => return Err(error),
            Err(error) => {
                let message = error.to_string();
                let kind = TroubleKind::NotConnected;
                run.note(trouble(kind, CONNECT, revision, &message));
                return Ok(Err(message));
            }
        };
        let limit = connection_limit(run);
        let stream = match instance.connection(limit).await {
            Ok(stream) => stream,
            Err(reason) => {
                let message = reason.to_string();
                run.patience.was_silent(CONNECT);
                let mut trouble = trouble(TroubleKind::NotConnected, CONNECT, revision, &message);
                trouble.last_lines = instance.last_lines().await;
                run.note(trouble);
                return Ok(Err(message));
            }
        };
        if std::mem::take(&mut run.awaits_first) && instance.process.is_none() {
            run.patience.restart(run.options.within);
        }
        let session = Session::new(stream, revision.clone(), run.options.timeouts);
        let mut live = Live {
            instance,
            session,
            registration: None,
            silence: None,
            over: false,
        };
        live.register(run, start).await;
        Ok(Ok(live))
    }

    async fn register(&mut self, run: &mut Run<'_>, start: Instant) {
        let limit = run
            .patience
            .limit(REGISTER, run.options.timeouts.registration);
        let registration = timeout(limit, self.session.arrivals().registration()).await;
        match registration.ok().flatten() {
            Some(registration) => self.registration = Some((registration, start.elapsed())),
            None if self.session.arrivals().end().is_some() => self.has_ended(run, REGISTER).await,
            None => self.is_silent(run, REGISTER, limit).await,
        }
    }

    /// Returns the RPCs that a WebAssembly module has functions for; `None` for other plugins.
    pub(super) fn exported_rpcs(&self) -> Option<&[&'static str]> {
        self.instance.rpcs.as_deref()
    }

    /// Returns the runtime's end of the connection.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Returns true if a runtime would have disconnected the plugin by now: it did not answer, or the connection is gone.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Returns true if the connection or the process is gone, so that nothing can be called.
    pub(super) fn is_gone(&self) -> bool {
        let exited = self
            .instance
            .process
            .as_ref()
            .is_some_and(|it| it.exit().is_some());
        exited || self.session.is_closed()
    }

    /// Treats the plugin as connected, although it has not answered yet.
    pub(super) fn go_on(&mut self) {
        self.over = false;
    }

    /// Configures the plugin.
    pub(super) async fn configure(
        &mut self,
        run: &mut Run<'_>,
        runtime: Option<&RuntimeRelease>,
    ) -> Reply<ConfigureResponse> {
        let mut request = self.session.configuration(&run.options.config);
        if let Some(runtime) = runtime {
            request.runtime_name.clone_from(&runtime.name);
            request.runtime_version.clone_from(&runtime.version);
        }
        let message = request.encode_to_vec();
        let message = self
            .session
            .revision()
            .without_newer("ConfigureRequest", &message);
        self.shake_hands(run, CONFIGURE, message).await.decoded()
    }

    /// Synchronizes the plugin.
    pub(super) async fn synchronize(&mut self, run: &mut Run<'_>) -> Reply<SynchronizeResponse> {
        let message = run.sample.state().encode_to_vec();
        let message = self
            .session
            .revision()
            .without_newer("SynchronizeRequest", &message);
        self.shake_hands(run, SYNCHRONIZE, message).await.decoded()
    }

    /// Calls an RPC before the first event. A plugin whose answer is an error, of any code, usually ends at once.
    async fn shake_hands(
        &mut self,
        run: &mut Run<'_>,
        step: &'static str,
        request: Bytes,
    ) -> Reply {
        let reply = self.exchange(run, step, request).await;
        if matches!(reply.result, Err(CallError::Status(_))) {
            self.unless_ended(run, step, reply).await
        } else {
            reply
        }
    }

    /// Calls an RPC after the handshake. If there is no answer, records what happened to the plugin.
    pub(super) async fn call(
        &mut self,
        run: &mut Run<'_>,
        method: &'static str,
        request: impl Into<Bytes>,
    ) -> Reply {
        let reply = self.exchange(run, method, request).await;
        let is_failure = match &reply.result {
            Err(CallError::Status(status)) => status.code != Code::UNIMPLEMENTED,
            Ok(_) | Err(_) => false,
        };
        if is_failure && !run.patience.was_survived(method) {
            self.unless_ended(run, method, reply).await
        } else {
            reply
        }
    }

    /// Replaces an error by the end of the plugin if the plugin ends after it. The error may or may not arrive before the
    /// end, and the result is the same in both cases.
    async fn unless_ended(
        &mut self,
        run: &mut Run<'_>,
        step: &'static str,
        mut reply: Reply,
    ) -> Reply {
        if self.exit(run).await.is_some() {
            self.has_ended(run, step).await;
            reply.result = Err(CallError::Closed);
        } else {
            run.patience.survived(step);
        }
        reply
    }

    /// Waits for the process of the plugin to end. Returns `None` if it keeps running, or is not a process.
    async fn exit(&self, run: &mut Run<'_>) -> Option<Exit> {
        let process = self.instance.process.as_ref()?;
        let exit = process.ended(run.patience.limit(ENDING, END)).await;
        if exit.is_none() {
            run.patience.was_silent(ENDING);
        }
        exit
    }

    /// Sends a request and waits for the answer. If there is none, records what happened to the plugin.
    async fn exchange(
        &mut self,
        run: &mut Run<'_>,
        method: &'static str,
        request: impl Into<Bytes>,
    ) -> Reply {
        let limit = run.patience.limit(method, run.options.timeouts.request);
        let start = Instant::now();
        let result = self.session.call_within(method, request, limit).await;
        let took = start.elapsed();
        match &result {
            Err(CallError::Closed) => self.has_ended(run, method).await,
            Err(CallError::Timeout(_)) => self.is_silent(run, method, limit).await,
            Ok(_) | Err(_) => {}
        }
        Reply { result, took }
    }

    /// Records that the plugin does not answer.
    async fn is_silent(&mut self, run: &mut Run<'_>, step: &'static str, limit: Duration) {
        self.over = true;
        run.patience.was_silent(step);
        let exit = self.instance.process.as_ref().and_then(|it| it.exit());
        let kind = exit.map_or(TroubleKind::Hung, |_| TroubleKind::Died);
        let message = match exit {
            Some(exit) => format!("the plugin ended with {exit}, and left its connection open"),
            None if step == REGISTER => format!("the plugin did not register within {limit:.1?}"),
            None => format!("the plugin did not answer within {limit:.1?}"),
        };
        self.note(run, kind, step, &message).await;
        self.silence = Some(message);
    }

    /// Records how the connection ended.
    async fn has_ended(&mut self, run: &mut Run<'_>, step: &'static str) {
        self.over = true;
        self.session.closed(run.patience.limit(ENDING, END)).await;
        let (kind, message) = match self.session.arrivals().end() {
            Some(End::Broken(reason)) => (
                TroubleKind::BrokeProtocol,
                format!("the plugin broke the protocol: {}", answers::short(&reason)),
            ),
            end => self.ended_or_closed(run, end).await,
        };
        self.note(run, kind, step, &message).await;
        self.silence = Some(message);
    }

    async fn ended_or_closed(
        &mut self,
        run: &mut Run<'_>,
        end: Option<End>,
    ) -> (TroubleKind, String) {
        let reason = match end {
            Some(End::Lost(reason)) => format!(" ({})", answers::short(&reason)),
            Some(End::Broken(_) | End::Closed) | None => String::new(),
        };
        match self.exit(run).await {
            Some(exit) => (TroubleKind::Died, format!("the plugin ended with {exit}")),
            None => (
                TroubleKind::Closed,
                format!("the plugin closed the connection{reason}"),
            ),
        }
    }

    /// Records a trouble.
    pub(super) async fn note(
        &mut self,
        run: &mut Run<'_>,
        kind: TroubleKind,
        step: &str,
        message: &str,
    ) {
        let mut trouble = trouble(kind, step, self.session.revision(), message);
        trouble.last_lines = self.instance.last_lines().await;
        run.note(trouble);
    }

    /// Returns why the plugin does not answer, or a description of the answer.
    pub(super) fn words<T>(&self, result: &std::result::Result<T, CallError>) -> String {
        match (result, &self.silence) {
            (Err(CallError::Closed | CallError::Timeout(_)), Some(silence)) => silence.clone(),
            _ => answers::words(result),
        }
    }

    /// Returns why the plugin did not register, or no longer answers.
    pub(super) fn why_silent(&self) -> String {
        let reason = self.silence.clone();
        reason.unwrap_or_else(|| "the plugin does not answer".to_owned())
    }

    /// Ends the instance, and records what it printed or sent in addition to its answers.
    pub(super) async fn finish(mut self, run: &mut Run<'_>) {
        let surplus = self.session.arrivals().surplus();
        if surplus > 0 {
            let message = format!("the plugin sent {surplus} requests more than are remembered");
            self.note(run, TroubleKind::Flooded, CONNECT, &message)
                .await;
        }
        let Some(process) = &self.instance.process else {
            return;
        };
        let printed = process.output().bytes();
        if printed > FLOOD {
            let message = format!("the plugin printed {} MiB", printed >> 20);
            self.note(run, TroubleKind::Flooded, CONNECT, &message)
                .await;
        }
        let errors = error_lines(&self.instance.last_lines().await);
        if let Some(first) = errors.first() {
            let message = format!("the plugin printed an error: {}", answers::short(first));
            let mut trouble = trouble(
                TroubleKind::PrintedError,
                CONNECT,
                self.session.revision(),
                &message,
            );
            trouble.last_lines = errors;
            run.note(trouble);
        }
    }
}

fn connection_limit(run: &Run<'_>) -> Duration {
    if run.awaits_first && run.subject.executable().is_none() {
        return run.options.first_connection;
    }
    run.patience
        .limit(CONNECT, run.options.timeouts.registration)
}

fn trouble(kind: TroubleKind, step: &str, revision: &Revision, message: &str) -> Trouble {
    Trouble {
        kind,
        step: step.to_owned(),
        release: revision.release().to_owned(),
        message: message.to_owned(),
        last_lines: Vec::new(),
    }
}
