//! The state of a probe.

use std::collections::HashSet;
use std::time::Duration;

use nri::__private::RuntimeRpc;
use nri::api::{Event, SynchronizeRequest};
use nri::stub::Runtime;
use nri::wire::Code;
use nri_adaptation::Revision;
use tokio::time::Instant;

use super::{Options, RuntimeRelease, Trouble, TroubleKind};
use crate::error::Error;
use crate::incident::{Ending, Incident};
use crate::session::world::{Sample, World};
use crate::session::{RuntimeKind, sample_request};
use crate::subject::Subject;

/// The maximum number of troubles that a result lists.
const MAX_TROUBLES: usize = 50;

/// The name of the step in which the time of the probe ran out, in the list of troubles.
const ANY_STEP: &str = "probe";

/// The steps before the first event, as named in troubles.
pub(super) const CONNECT: &str = "connection";
pub(super) const REGISTER: &str = RuntimeRpc::RegisterPlugin.name();
pub(super) const CONFIGURE: &str = "Configure";
pub(super) const SYNCHRONIZE: &str = "Synchronize";

/// A probe under way.
pub(super) struct Run<'a> {
    pub(super) subject: &'a Subject,
    pub(super) options: &'a Options,
    /// The kind of the runtime that the plugin is probed under.
    pub(super) kind: RuntimeKind,
    pub(super) patience: Patience,
    /// False once an instance has connected.
    pub(super) awaits_first: bool,
    /// The code with which the plugin answers a call to an RPC that does not exist; `None` if it is
    /// not known.
    pub(super) denial: Option<Code>,
    pub(super) troubles: Vec<Trouble>,
}

impl<'a> Run<'a> {
    pub(super) fn new(subject: &'a Subject, options: &'a Options) -> Self {
        Run {
            subject,
            options,
            kind: RuntimeKind::default(),
            patience: Patience::new(options.within),
            awaits_first: true,
            denial: None,
            troubles: Vec::new(),
        }
    }

    /// Records a trouble, unless it is already recorded for this step.
    pub(super) fn note(&mut self, trouble: Trouble) {
        let is_known =
            self.troubles.iter().any(|it| it.kind == trouble.kind && it.step == trouble.step);
        if !is_known && self.troubles.len() < MAX_TROUBLES {
            self.troubles.push(trouble);
        }
    }

    /// Records that an instance did not start or connect. Returns the reason.
    pub(super) fn not_connected(
        &mut self,
        revision: &Revision,
        error: &Error,
        lines: Vec<String>,
        incident: Option<Incident>,
    ) -> String {
        let reason = error.to_string();
        let kind = TroubleKind::NotConnected;
        let trouble = trouble(kind, CONNECT, revision, &reason, lines);
        self.note(Trouble { incident, ..trouble });
        reason
    }

    /// Returns two pods, each with a container, like those of the runtime that the plugin is probed
    /// under.
    fn samples(&self) -> [Sample; 2] {
        let mut world = World::of(self.kind, SEED);
        [world.sample(), world.sample()]
    }

    /// Returns the state at Synchronize: a pod with a container, neither of which has events later.
    pub(super) fn state(&self) -> SynchronizeRequest {
        let [Sample { pod, container }, _] = self.samples();
        SynchronizeRequest { pods: vec![pod], containers: vec![container], more: false }
    }

    /// Returns the encoded request of the RPC that is dedicated to an event.
    pub(super) fn request(&self, event: Event) -> Vec<u8> {
        let [_, Sample { pod, container }] = self.samples();
        sample_request(self.kind, event, &pod, &container)
    }

    /// Returns true if the time of the whole probe is over, and records that.
    pub(super) fn is_out_of_time(&mut self, revision: &Revision) -> bool {
        let over = self.patience.is_over();
        if over {
            let message = out_of_time(self.options);
            let (kind, lines) = (TroubleKind::OutOfTime, Vec::new());
            self.note(trouble(kind, ANY_STEP, revision, &message, lines));
        }
        over
    }
}

/// Returns a trouble at a step, with what the log of a runtime would say about it.
pub(super) fn trouble(
    kind: TroubleKind,
    step: &str,
    revision: &Revision,
    message: &str,
    last_lines: Vec<String>,
) -> Trouble {
    Trouble {
        kind,
        step: step.to_owned(),
        release: revision.release().to_owned(),
        incident: ending(kind).and_then(|ending| Incident::at(step, ending)),
        message: message.to_owned(),
        last_lines,
    }
}

/// Returns the way in which a step fails with a trouble; `None` if it does not.
fn ending(kind: TroubleKind) -> Option<Ending> {
    match kind {
        TroubleKind::Hung => Some(Ending::Silent),
        TroubleKind::Died | TroubleKind::Closed | TroubleKind::BrokeProtocol => {
            Some(Ending::Closed)
        }
        TroubleKind::Refused => Some(Ending::Refused),
        TroubleKind::NotConnected
        | TroubleKind::PrintedError
        | TroubleKind::Flooded
        | TroubleKind::OutOfTime => None,
    }
}

/// Returns the reason for steps that were not tried because the time was over.
pub(super) fn out_of_time(options: &Options) -> String {
    let within = options.within;
    format!("not tried: the {within:?} for the probe were over")
}

/// The seed for the ids of pods and containers; any number will do.
const SEED: u64 = 0x006e_7269;

/// Returns a released runtime that links this release of NRI, or else the closest earlier one.
pub(super) fn linking(revision: &Revision) -> Option<RuntimeRelease> {
    let earlier = nri_protos::REVISIONS.iter().rev().map(|known| known.name);
    let releases =
        std::iter::once(revision.release()).chain(earlier.filter(|it| revision.is_at_least(it)));
    let runtime = releases.filter_map(Runtime::linking).next()?;
    Some(RuntimeRelease {
        name: runtime.name().to_owned(),
        version: format!("v{}", runtime.version()),
    })
}

/// The divisor of the time limit of a step that was not answered before.
const REPEAT_DIVISOR: u32 = 10;

/// The minimum time limit of an answer, unless the whole probe is out of time.
const MIN_LIMIT: Duration = Duration::from_millis(100);

/// The time limits of a probe. The limit of a step is reduced after it was not answered once, so
/// that a plugin which always hangs is probed in bounded time.
#[derive(Debug)]
pub(super) struct Patience {
    deadline: Option<Instant>,
    /// The steps that were not answered in time.
    pub(super) silent: HashSet<&'static str>,
    /// The RPCs after whose error the plugin kept running. Its end is not waited for again.
    pub(super) survived: HashSet<&'static str>,
}

impl Patience {
    /// Creates the limits of a probe that takes at most `within`.
    pub(super) fn new(within: Duration) -> Self {
        Patience {
            deadline: Instant::now().checked_add(within),
            silent: HashSet::new(),
            survived: HashSet::new(),
        }
    }

    /// Returns the time limit of a step whose usual limit is `usual`.
    pub(super) fn limit(&self, step: &'static str, usual: Duration) -> Duration {
        let wanted = if self.silent.contains(step) {
            (usual / REPEAT_DIVISOR).max(MIN_LIMIT.min(usual))
        } else {
            usual
        };
        wanted.min(self.left())
    }

    /// Returns true if the time of the whole probe is over.
    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    fn left(&self) -> Duration {
        match self.deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_time_limit_applies_once() {
        let usual = Duration::from_secs(2);
        let mut patience = Patience::new(Duration::from_secs(3600));
        assert_eq!(patience.limit("Configure", usual), usual);
        patience.silent.insert("Configure");
        assert_eq!(patience.limit("Configure", usual), usual / REPEAT_DIVISOR);
        assert_eq!(patience.limit("Synchronize", usual), usual);
        let short = Duration::from_millis(10);
        assert_eq!(patience.limit("Configure", short), short);
    }

    #[test]
    fn the_whole_probe_is_limited() {
        let patience = Patience::new(Duration::ZERO);
        assert!(patience.is_over());
        assert!(patience.limit("Configure", Duration::MAX).is_zero());
        assert!(!Patience::new(Duration::MAX).is_over());
    }

    #[test]
    fn each_revision_is_linked_by_a_runtime() {
        let linking = |release: &str| {
            let runtime = linking(&Revision::of(release).unwrap()).unwrap();
            format!("{} {}", runtime.name, runtime.version)
        };
        assert!(linking("v0.11.0").starts_with("containerd v2.2."));
        assert!(linking("v0.9.1-0.20250219030224-e597e7849f24").starts_with("cri-o v1.33."));
        assert!(linking("v0.2.0").starts_with("c"));
        assert_eq!(linking("v0.12.5"), linking("v0.12.4"));
    }
}
