//! The parts that all tests of a run share: the plugin, the settings, and the steps up to a plugin
//! that serves.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nri::api::{ConfigureResponse, SynchronizeRequest};
use nri::wire::CallError;
use nri_adaptation::Revision;

use crate::contract;
use crate::contract::Status;
use crate::incident::Incident;
use crate::plugin::live::Live;
use crate::plugin::verdict::{Judged, Verdict, blocked, skip, unconfigured};
use crate::session::world::{Sample, World};
use crate::session::{Cut, RuntimeKind, Session, Timeouts, Trace, describe, recut};
use crate::subject::{Instance, Stream, Subject};

/// The time to wait for something that must not happen.
pub(crate) const MOMENT: Duration = Duration::from_millis(200);

/// The plugin under test, and the settings of the run.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) subject: Subject,
    pub(crate) options: Options,
    /// The revision of the current test.
    pub(crate) revision: Revision,
    /// The traces of the connections of the current test.
    traces: Mutex<Vec<Trace>>,
    worlds: AtomicU64,
    /// The number of consecutive instances that never served.
    stuck: AtomicU64,
}

/// The number of consecutive instances that never served after which no more are started, because
/// each runs into a time limit.
const MAX_STUCK: u64 = 3;

impl Bench {
    pub(crate) fn new(subject: Subject, options: Options) -> Self {
        Bench {
            subject,
            options,
            revision: Revision::newest(),
            traces: Mutex::default(),
            worlds: AtomicU64::default(),
            stuck: AtomicU64::default(),
        }
    }

    /// Returns pods that no test has used before, because all tests may share a plugin that
    /// remembers them.
    pub(crate) fn world(&self) -> World {
        let number = self.worlds.fetch_add(1, Ordering::Relaxed);
        let seed = self.options.seed.wrapping_shl(32).wrapping_add(number);
        World::of(self.options.runtime, seed)
    }

    /// Returns a pod with a container that no test has used before.
    pub(crate) fn sample(&self) -> Sample {
        self.world().sample()
    }

    /// Returns the traces of the connections since the last call.
    pub(crate) fn take_traces(&self) -> Vec<Trace> {
        std::mem::take(&mut *self.traces.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts an instance.
    pub(crate) async fn instance(&self) -> Judged<Instance> {
        if self.stuck.load(Ordering::Relaxed) >= MAX_STUCK {
            return skip("never served in earlier tests; see W1, P5 and P6");
        }
        let started = self.subject.start().await;
        started.map_err(|error| Verdict::Skip(error.to_string()))
    }

    /// Waits for an instance to connect.
    pub(crate) async fn connection(&self, instance: &mut Instance) -> Judged<Box<dyn Stream>> {
        let within = self.options.timeouts.registration;
        let connected = instance.connection(within).await;
        connected.map_err(|_| self.unregistered("connection"))
    }

    /// Serves the runtime's end of a stream.
    pub(crate) fn session(&self, stream: impl Stream + 'static) -> Session {
        self.session_under(&self.revision, stream)
    }

    fn session_under(&self, revision: &Revision, stream: impl Stream + 'static) -> Session {
        let session = Session::new(stream, revision.clone(), self.options.timeouts);
        let mut traces = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
        traces.push(session.trace().clone());
        session
    }

    /// Starts an instance that registers.
    pub(crate) async fn registered(&self) -> Judged<(Instance, Session)> {
        self.registered_as(&self.revision, None).await
    }

    /// Starts an instance that registers under this revision, over a connection whose messages are
    /// split in this way.
    pub(crate) async fn registered_as(
        &self,
        revision: &Revision,
        cut: Option<Cut>,
    ) -> Judged<(Instance, Session)> {
        let mut instance = self.instance().await?;
        let stream = self.connection(&mut instance).await?;
        let session = match cut {
            Some(cut) => self.session_under(revision, recut(stream, cut)),
            None => self.session_under(revision, stream),
        };
        if session.registration().await.is_none() {
            return Err(self.unregistered("registration"));
        }
        Ok((instance, session))
    }

    /// Returns the verdict on a test whose instance did not connect or register.
    fn unregistered(&self, missing: &str) -> Verdict {
        self.count_stuck();
        let within = self.options.timeouts.registration;
        let got = format!("no {missing} within {within:?}");
        let incident = Incident::RegistrationTimeout;
        blocked("W1", "nothing", got, "a registration").seen_as(Some(incident))
    }

    /// Counts an instance that did not serve within a time limit.
    pub(crate) fn count_stuck(&self) {
        self.stuck.fetch_add(1, Ordering::Relaxed);
    }

    /// Starts an instance that serves, with nothing to synchronize.
    pub(crate) async fn serving(&self) -> Judged<Live> {
        let (instance, session) = self.registered().await?;
        self.begin(instance, session).await
    }

    /// Configures and synchronizes a registered instance, with nothing to synchronize.
    pub(crate) async fn begin(&self, instance: Instance, session: Session) -> Judged<Live> {
        let nothing = SynchronizeRequest::default();
        self.begin_with(instance, session, &nothing).await
    }

    /// Configures a registered instance, and synchronizes it with this state.
    pub(crate) async fn begin_with(
        &self,
        instance: Instance,
        session: Session,
        state: &SynchronizeRequest,
    ) -> Judged<Live> {
        let answer = self.configured(&session).await?;
        let within = self.options.timeouts.request;
        if let Err(error) = session.synchronize(state, within).await {
            let incident = Incident::of_call("Synchronize", &error);
            let verdict = blocked("Y2", "Synchronize", describe(&error), "an answer");
            return Err(verdict.seen_as(incident));
        }
        self.stuck.store(0, Ordering::Relaxed);
        let runtime = self.options.runtime;
        Ok(Live::new(runtime, instance, session, answer.events))
    }

    /// Configures a registered instance.
    pub(crate) async fn configured(&self, session: &Session) -> Judged<ConfigureResponse> {
        let request = session.configuration(&self.options.config);
        let answer = session.configure(&request).await;
        if let Err(CallError::Timeout(_)) = answer {
            self.count_stuck();
        }
        answer.map_err(|error| unconfigured(&error))
    }
}

/// The settings of a run. Assign to the fields of the [default](Options::default).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The statements to test; empty means all of them, except those about
    /// [robustness](Status::Robustness).
    pub only: BTreeSet<String>,
    /// The statements to skip.
    pub skip: BTreeSet<String>,
    /// The protocol revisions to test under, such as `v0.11.0`; empty means all of them.
    pub revisions: BTreeSet<String>,
    /// The runtime whose pods and containers are imitated.
    pub runtime: RuntimeKind,
    /// The time limits of the simulated runtime.
    pub timeouts: Timeouts,
    /// The seed for ids and random content.
    pub seed: u64,
    /// True if W17 is tested with 1,000,000 events, or as many as take ten minutes after the first
    /// 100,000, and with 1,000 connections rather than a few thousand events, and W11 with a
    /// hundred times as many requests.
    pub soak: bool,
    /// The configuration that is sent to the plugin.
    pub config: String,
    /// The folder for a wire trace of each failure.
    pub trace: Option<PathBuf>,
}

impl Options {
    /// Returns true if a statement is tested.
    pub fn selects(&self, statement: &str) -> bool {
        let is_usual = || contract::get(statement).is_none_or(|it| it.status != Status::Robustness);
        let is_asked = self.only.contains(statement) || self.only.is_empty() && is_usual();
        is_asked && !self.skip.contains(statement)
    }

    /// Returns the number or time of a soak test, or of a usual run.
    pub(crate) fn soak_or<T>(&self, soak: T, usual: T) -> T {
        if self.soak { soak } else { usual }
    }
}
