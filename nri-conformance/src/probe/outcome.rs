//! The result of probing a plugin, as plain data.

use std::time::Duration;

use nri_adaptation::Via;
use serde::{Serialize, Serializer};

use crate::incident::Incident;
use crate::names::names;
use crate::result::Subject;

/// The result of probing a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probed {
    /// The plugin: the name, index and NRI version that it registers with. All are empty if it
    /// never registered.
    pub subject: Subject,
    /// The kind of plugin.
    pub form: Form,
    /// The time from the start of the plugin to its registration; `None` if it never registered.
    #[serde(rename = "registered_after_millis", serialize_with = "maybe_millis")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub registered_after: Option<Duration>,
    /// The answer to Configure under the newest revision; `None` if there was none.
    pub subscription: Option<Subscription>,
    /// The functions of the calling convention that a WebAssembly module exports; empty for other
    /// plugins.
    pub exports: Vec<String>,
    /// The answer to each RPC of every known revision, and to one that does not exist.
    pub rpcs: Vec<RpcResult>,
    /// The verdict for each target, in the order of the targets.
    pub targets: Vec<TargetResult>,
    /// The troubles of the plugin, in the order in which they happened. Repeated ones are listed
    /// once.
    pub troubles: Vec<Trouble>,
    /// The duration of the probe.
    #[serde(skip)]
    pub took: Duration,
}

names! {
    /// The kinds of plugins.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Form {
        /// A program, or a value in this process, that speaks the protocol over a connection.
        Native = "native",
        /// A WebAssembly module.
        Wasm = "wasm",
    }
}

/// A plugin's answer to Configure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subscription {
    /// The event mask that the plugin sent. 0 means all events that the runtime knows.
    pub mask: i32,
    /// The names of the events in the mask, in the order of their numbers.
    pub events: Vec<&'static str>,
    /// The failure policy, if the plugin declared one.
    pub failure_policy: Option<FailurePolicy>,
}

/// The failure policy that a plugin declares, since NRI v0.12.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailurePolicy {
    /// True if a request fails when the plugin does not answer it.
    pub fail_request: bool,
    /// True if the plugin stays connected when it does not answer in time.
    pub keep_connected: bool,
}

/// The answer of a plugin to one RPC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RpcResult {
    /// The name of the RPC, such as `RunPodSandbox`.
    pub rpc: &'static str,
    /// The first NRI release with the RPC; `None` for the RPC that does not exist.
    pub since: Option<&'static str>,
    /// The kind of answer.
    pub answer: RpcAnswer,
    /// A description of the answer.
    pub detail: String,
    /// The time until the answer; `None` if there was none.
    #[serde(rename = "millis", serialize_with = "maybe_millis")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub took: Option<Duration>,
}

names! {
    /// The kinds of answers to an RPC.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RpcAnswer {
        /// Success.
        Implemented = "implemented",
        /// UNIMPLEMENTED (12), after which a runtime falls back to StateChange.
        Fallback = "fallback",
        /// An error of the plugin's handler, such as UNKNOWN (2). The request fails.
        Error = "error",
        /// The error with which the plugin also answers an RPC that does not exist, and which is
        /// not UNIMPLEMENTED; or a code that does not exist, or an answer that cannot be decoded.
        /// The request fails.
        Breaks = "breaks",
        /// No answer.
        Silent = "silent",
    }
}

/// The verdict for one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetResult {
    /// The name of the target, such as `containerd@2.2.9`.
    pub target: String,
    /// The NRI release that it speaks, such as `v0.11.0`.
    #[serde(rename = "nri")]
    pub release: String,
    /// The verdict for the target.
    pub verdict: Verdict,
    /// The reason in one line, in lower case; empty if it works.
    pub reason: String,
    /// The events that the plugin subscribes to under this release, and those that it loses, in the
    /// order of a pod's life.
    pub events: Vec<EventResult>,
}

names! {
    /// The outcome for a plugin under a target, from good to bad.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// Every event arrives and is answered, and nothing deprecated is used.
        Works = "works",
        /// Works, but receives events through the deprecated StateChange.
        Deprecated = "deprecated",
        /// Works, but some events that it wants do not arrive.
        Loses = "loses",
        /// Could not be determined.
        Unknown = "unknown",
        /// Works, but answers some events with an error of its own, which fails the request. It may
        /// do so only because the request is a sample.
        Errors = "errors",
        /// Registers, but leaves some of its events unanswered, or answers them with something that
        /// no runtime accepts.
        Breaks = "breaks",
        /// Is dropped before the first event.
        Dropped = "dropped",
    }
}

/// The outcome for one event under a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventResult {
    /// The RPC name of the event, such as `RunPodSandbox`.
    pub event: &'static str,
    /// The outcome of the event.
    pub outcome: EventOutcome,
    /// The way in which the event was sent last; `None` if it was not sent.
    #[serde(serialize_with = "via")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>", extend("enum" = ["dedicated", "state-change", null])))]
    pub via: Option<Via>,
    /// True if it was sent as StateChange because the plugin does not implement the RPC of the
    /// release.
    #[serde(skip)]
    pub fell_back: bool,
    /// A description of the answer, or the reason if there is none.
    pub detail: String,
    /// The time until the answer, including an earlier attempt; `None` if there was no answer.
    #[serde(rename = "millis", serialize_with = "maybe_millis")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub took: Option<Duration>,
}

names! {
    /// The outcomes for an event, from good to bad.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EventOutcome {
        /// Arrives and is answered.
        Works = "works",
        /// Arrives as StateChange, which is deprecated in this release.
        Deprecated = "deprecated",
        /// Does not arrive, although the plugin wants it.
        Lost = "lost",
        /// Was not tried.
        NotTried = "not-tried",
        /// Arrives, and is answered with an error of the plugin's own, which fails the request.
        Error = "error",
        /// Is answered with something that no runtime accepts, which fails the request.
        Fails = "fails",
        /// Is not answered: the plugin hangs, ends, or breaks the connection.
        Silent = "silent",
    }
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trouble {
    /// The kind of trouble.
    pub kind: TroubleKind,
    /// The step at which it happened, such as `RunPodSandbox`.
    pub step: String,
    /// The release that was spoken, such as `v0.11.0`.
    #[serde(rename = "nri")]
    pub release: String,
    /// The incident that the log of a runtime would report for it, if any.
    pub incident: Option<Incident>,
    /// A description, in one line, in lower case.
    pub message: String,
    /// The last lines that the plugin printed, if it was started as a process.
    pub last_lines: Vec<String>,
}

names! {
    /// The kinds of trouble.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum TroubleKind {
        /// The plugin could not be started, or did not connect.
        NotConnected = "not-connected",
        /// The process of the plugin ended.
        Died = "died",
        /// The plugin closed the connection.
        Closed = "closed",
        /// The plugin broke the protocol.
        BrokeProtocol = "broke-protocol",
        /// The plugin did not answer in time.
        Hung = "hung",
        /// The plugin was refused, or answered Configure or Synchronize with an error.
        Refused = "refused",
        /// The plugin printed an error.
        PrintedError = "printed-error",
        /// The plugin flooded the runtime with requests.
        Flooded = "flooded",
        /// The time limit of the whole probe was reached.
        OutOfTime = "out-of-time",
    }
}

/// The durations of the answers to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latency {
    /// The RPC name of the event.
    pub event: &'static str,
    /// The median.
    #[serde(rename = "median_millis", serialize_with = "millis")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub median: Duration,
    /// The slowest answer.
    #[serde(rename = "slowest_millis", serialize_with = "millis")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub slowest: Duration,
    /// The number of answers.
    pub answers: usize,
}

/// Returns milliseconds, to the microsecond.
fn in_millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn millis<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(in_millis(*time))
}

fn maybe_millis<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(in_millis).serialize(serializer)
}

fn via<S: Serializer>(via: &Option<Via>, serializer: S) -> Result<S::Ok, S::Error> {
    let name = via.map(|via| match via {
        Via::Dedicated => "dedicated",
        Via::StateChange => "state-change",
    });
    name.serialize(serializer)
}

impl Probed {
    /// Returns the duration of the probe in milliseconds, to the microsecond.
    pub fn millis(&self) -> f64 {
        in_millis(self.took)
    }

    /// Returns the result for an RPC.
    pub fn rpc(&self, name: &str) -> Option<&RpcResult> {
        self.rpcs.iter().find(|result| result.rpc == name)
    }

    /// Returns the result for the target with this name.
    pub fn target(&self, name: &str) -> Option<&TargetResult> {
        self.targets.iter().find(|result| result.target == name)
    }

    /// Returns the worst verdict; `None` without targets.
    pub fn worst(&self) -> Option<Verdict> {
        self.targets.iter().map(|result| result.verdict).max()
    }

    /// Returns the durations of the answers, for each event that was answered under some target.
    pub fn latencies(&self) -> Vec<Latency> {
        crate::session::life().filter_map(|event| self.latency(event.name())).collect()
    }

    /// Returns the durations of the answers to an event; `None` without answers.
    fn latency(&self, event: &'static str) -> Option<Latency> {
        let mut times: Vec<Duration> = self
            .targets
            .iter()
            .flat_map(|target| &target.events)
            .filter(|result| result.event == event)
            .filter_map(|result| result.took)
            .collect();
        times.sort_unstable();
        Some(Latency {
            event,
            median: *times.get(times.len() / 2)?,
            slowest: *times.last()?,
            answers: times.len(),
        })
    }
}

impl TargetResult {
    /// Returns the names of the events that arrive as StateChange, also if they are answered with
    /// an error.
    pub fn events_as_state_change(&self) -> Vec<&'static str> {
        self.events
            .iter()
            .filter(|event| {
                event.outcome == EventOutcome::Deprecated
                    || event.outcome == EventOutcome::Error && event.fell_back
            })
            .map(|event| event.event)
            .collect()
    }

    /// Returns the names of the events with an outcome.
    pub fn events_that(&self, outcome: EventOutcome) -> Vec<&'static str> {
        self.events
            .iter()
            .filter(|event| event.outcome == outcome)
            .map(|event| event.event)
            .collect()
    }
}
