//! One instance of the plugin, from its start to the last event.

use std::time::Duration;

use bytes::Bytes;
use nri::api::{ConfigureResponse, RegisterPluginRequest, SynchronizeResponse};
use nri::codec::Message as _;
use nri::wire::{CallError, Code};
use nri_adaptation::Revision;
use tokio::time::{Instant, timeout};

use crate::error::Result;
use crate::incident::Incident;
use crate::session::{Session, SessionEnd, decoded};
use crate::subject::{Exit, Instance};

use super::answers::Reply;
use super::printed::error_lines;
use super::run::{CONFIGURE, CONNECT, Patience, REGISTER, Run, SYNCHRONIZE, trouble};
use super::{RuntimeRelease, Trouble, TroubleKind, answers};

/// The time that a process has to end after an error or the end of its connection. It is long,
/// because a busy machine is no reason for another explanation. A plugin that kept running once is
/// given less.
const END: Duration = Duration::from_secs(2);

/// The name of that wait among the steps that have a time limit.
const ENDING: &str = "end of the process";

/// The number of bytes of output above which a plugin is reported as flooding.
const FLOOD: u64 = 16 << 20;

/// An instance with its connection.
pub(super) struct Live {
    pub(super) instance: Instance,
    pub(super) session: Session,
    /// The registration, and the time from the start of the instance to it.
    pub(super) registration: Option<(RegisterPluginRequest, Duration)>,
    /// Why the plugin no longer answers, if so.
    silence: Option<String>,
    /// True if a runtime would have disconnected the plugin by now: it did not answer, or the
    /// connection is gone.
    pub(super) over: bool,
}

impl Live {
    /// Starts an instance and waits for its registration. Also returns an instance that is
    /// connected but does not register. A WebAssembly module must have all functions of `revision`
    /// if `complete` is true, and otherwise is loaded with the functions that it has.
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
                let is_module = run.subject.is_module();
                let incident =
                    if is_module { Incident::WasmFailed } else { Incident::LaunchFailed };
                let lines = Vec::new();
                return Ok(Err(run.not_connected(revision, &error, lines, Some(incident))));
            }
        };
        let limit = connection_limit(run);
        let stream = match instance.connection(limit).await {
            Ok(stream) => stream,
            Err(error) => {
                run.patience.silent.insert(CONNECT);
                let lines = instance.last_lines().await;
                // A runtime says nothing about a plugin that never connects.
                return Ok(Err(run.not_connected(revision, &error, lines, None)));
            }
        };
        if std::mem::take(&mut run.awaits_first) && instance.process.is_none() {
            run.patience = Patience::new(run.options.within);
        }
        let session = Session::new(stream, revision.clone(), run.options.timeouts);
        let mut live = Live { instance, session, registration: None, silence: None, over: false };
        live.register(run, start).await;
        Ok(Ok(live))
    }

    async fn register(&mut self, run: &mut Run<'_>, start: Instant) {
        let limit = run.patience.limit(REGISTER, run.options.timeouts.registration);
        let registration = timeout(limit, self.session.arrivals().registration()).await;
        match registration.ok().flatten() {
            Some(registration) => self.registration = Some((registration, start.elapsed())),
            None if self.session.arrivals().end().is_some() => self.has_ended(run, REGISTER).await,
            None => self.is_silent(run, REGISTER, limit).await,
        }
    }

    /// Returns true if the connection or the process is gone, so that nothing can be called.
    pub(super) fn is_gone(&self) -> bool {
        let process = self.instance.process.as_ref();
        self.session.is_closed() || process.is_some_and(|process| process.exit().is_some())
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
        let encoded = request.encode_to_vec();
        let revision = self.session.revision();
        let message = revision.without_newer("ConfigureRequest", &encoded);
        self.call(run, CONFIGURE, message).await.and_then(decoded)
    }

    /// Synchronizes the plugin.
    pub(super) async fn synchronize(&mut self, run: &mut Run<'_>) -> Reply<SynchronizeResponse> {
        let encoded = run.state().encode_to_vec();
        let revision = self.session.revision();
        let message = revision.without_newer("SynchronizeRequest", &encoded);
        self.call(run, SYNCHRONIZE, message).await.and_then(decoded)
    }

    /// Calls an RPC. If there is no answer, records what happened to the plugin.
    ///
    /// An error that a plugin sends before it ends may or may not arrive. The result is the same in
    /// both cases: the end.
    pub(super) async fn call(
        &mut self,
        run: &mut Run<'_>,
        method: &'static str,
        request: impl Into<Bytes>,
    ) -> Reply {
        let limit = run.patience.limit(method, run.options.timeouts.request);
        let start = Instant::now();
        let mut result = self.session.call_within(method, request, limit).await;
        let took = start.elapsed();
        match &result {
            Err(CallError::Closed) => self.has_ended(run, method).await,
            Err(CallError::Timeout(_)) => self.is_silent(run, method, limit).await,
            Err(CallError::Status(status)) if may_end(run, method, status.code) => {
                if self.exit(run).await.is_some() {
                    self.has_ended(run, method).await;
                    result = Err(CallError::Closed);
                } else {
                    run.patience.survived.insert(method);
                }
            }
            Ok(_) | Err(_) => {}
        }
        Reply { result, took }
    }

    /// Waits for the process of the plugin to end. Returns `None` if it keeps running, or is not a
    /// process.
    async fn exit(&self, run: &mut Run<'_>) -> Option<Exit> {
        let process = self.instance.process.as_ref()?;
        let exit = process.ended(run.patience.limit(ENDING, END)).await;
        if exit.is_none() {
            run.patience.silent.insert(ENDING);
        }
        exit
    }

    /// Records that the plugin does not answer.
    async fn is_silent(&mut self, run: &mut Run<'_>, step: &'static str, limit: Duration) {
        run.patience.silent.insert(step);
        let exit = self.instance.process.as_ref().and_then(|it| it.exit());
        let kind = exit.map_or(TroubleKind::Hung, |_| TroubleKind::Died);
        let message = match exit {
            Some(exit) => format!("the plugin ended with {exit}, and left its connection open"),
            None if step == REGISTER => format!("the plugin did not register within {limit:.1?}"),
            None => format!("the plugin did not answer within {limit:.1?}"),
        };
        self.is_over(run, kind, step, message).await;
    }

    /// Records how the connection ended.
    async fn has_ended(&mut self, run: &mut Run<'_>, step: &'static str) {
        self.session.closed(run.patience.limit(ENDING, END)).await;
        let end = self.session.arrivals().end();
        let (kind, message) = if let Some(SessionEnd::Broken(reason)) = end {
            let reason = answers::short(&reason);
            let message = format!("the plugin broke the protocol: {reason}");
            (TroubleKind::BrokeProtocol, message)
        } else if let Some(exit) = self.exit(run).await {
            let message = format!("the plugin ended with {exit}");
            (TroubleKind::Died, message)
        } else {
            let mut message = "the plugin closed the connection".to_owned();
            if let Some(SessionEnd::Lost(reason)) = end {
                message.push_str(&format!(" ({})", answers::short(&reason)));
            }
            (TroubleKind::Closed, message)
        };
        self.is_over(run, kind, step, message).await;
    }

    /// Records a trouble after which the plugin is not called again.
    async fn is_over(&mut self, run: &mut Run<'_>, kind: TroubleKind, step: &str, why: String) {
        self.note(run, kind, step, &why).await;
        (self.over, self.silence) = (true, Some(why));
    }

    /// Records a trouble.
    pub(super) async fn note(
        &mut self,
        run: &mut Run<'_>,
        kind: TroubleKind,
        step: &str,
        message: &str,
    ) {
        run.note(self.trouble(kind, step, message).await);
    }

    /// Returns a trouble, with the last lines that the plugin printed.
    pub(super) async fn trouble(
        &mut self,
        kind: TroubleKind,
        step: &str,
        message: &str,
    ) -> Trouble {
        let lines = self.instance.last_lines().await;
        trouble(kind, step, self.session.revision(), message, lines)
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
        let flooded = TroubleKind::Flooded;
        let surplus = self.session.arrivals().surplus();
        if surplus > 0 {
            let message = format!("the plugin sent {surplus} requests more than are remembered");
            self.note(run, flooded, CONNECT, &message).await;
        }
        let Some(process) = &self.instance.process else {
            return;
        };
        let printed = process.output().bytes();
        if printed > FLOOD {
            let message = format!("the plugin printed {} MiB", printed >> 20);
            self.note(run, flooded, CONNECT, &message).await;
        }
        let errors = error_lines(&self.instance.last_lines().await);
        if let Some(first) = errors.first() {
            let message = format!("the plugin printed an error: {}", answers::short(first));
            let (kind, revision) = (TroubleKind::PrintedError, self.session.revision());
            run.note(trouble(kind, CONNECT, revision, &message, errors));
        }
    }
}

/// Returns true if a plugin may end after this error. One whose answer to a step of the handshake
/// is an error, of any code, usually ends at once.
fn may_end(run: &Run<'_>, method: &str, code: Code) -> bool {
    let is_handshake = [CONFIGURE, SYNCHRONIZE].contains(&method);
    is_handshake || code != Code::UNIMPLEMENTED && !run.patience.survived.contains(method)
}

fn connection_limit(run: &Run<'_>) -> Duration {
    if run.awaits_first && run.subject.executable().is_none() {
        return run.options.first_connection;
    }
    run.patience.limit(CONNECT, run.options.timeouts.registration)
}
