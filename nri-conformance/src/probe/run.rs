//! The state of a probe.

use std::collections::HashSet;
use std::time::Duration;

use nri::api::{Event, SynchronizeRequest};
use nri::wire::Code;
use nri_adaptation::{Revision, Via};
use tokio::time::Instant;

use crate::probe::{Options, Trouble, TroubleKind};
use crate::session;
use crate::session::RuntimeKind;
use crate::session::world::{Sample as PodWithContainer, World};
use crate::subject::Subject;

/// The maximum number of troubles that a result lists.
const MAX_TROUBLES: usize = 50;

/// The name of the step in which the time of the probe ran out, in the list of troubles.
const ANY_STEP: &str = "probe";

/// A probe under way.
pub(super) struct Run<'a> {
    pub(super) subject: &'a Subject,
    pub(super) options: &'a Options,
    /// The pods and containers of the requests, like those of the runtime that the plugin is probed under.
    pub(super) sample: Sample,
    pub(super) patience: Patience,
    /// False once an instance has connected.
    pub(super) awaits_first: bool,
    /// The code with which the plugin answers a call to an RPC that does not exist; `None` if it is not known.
    pub(super) denial: Option<Code>,
    troubles: Vec<Trouble>,
}

impl<'a> Run<'a> {
    pub(super) fn new(subject: &'a Subject, options: &'a Options) -> Self {
        Run {
            subject,
            options,
            sample: Sample::of(RuntimeKind::default()),
            patience: Patience::new(options.within),
            awaits_first: true,
            denial: None,
            troubles: Vec::new(),
        }
    }

    /// Records a trouble, unless it is already recorded for this step.
    pub(super) fn note(&mut self, trouble: Trouble) {
        let same = |it: &&Trouble| it.kind == trouble.kind && it.step == trouble.step;
        if self.troubles.iter().find(same).is_none() && self.troubles.len() < MAX_TROUBLES {
            self.troubles.push(trouble);
        }
    }

    /// Returns true if the time of the whole probe is over, and records that.
    pub(super) fn is_out_of_time(&mut self, revision: &Revision) -> bool {
        let over = self.patience.is_over();
        if over {
            self.note(Trouble {
                kind: TroubleKind::OutOfTime,
                step: ANY_STEP.to_owned(),
                release: revision.release().to_owned(),
                message: out_of_time(self.options),
                last_lines: Vec::new(),
            });
        }
        over
    }

    pub(super) fn into_troubles(self) -> Vec<Trouble> {
        self.troubles
    }
}

/// Returns the reason for steps that were not tried because the time was over.
pub(super) fn out_of_time(options: &Options) -> String {
    format!(
        "not tried: the {:?} for the probe were over",
        options.within
    )
}

/// The seed for the ids of pods and containers; any number will do.
const SEED: u64 = 0x006e_7269;

/// The pods and containers that are sent to a plugin.
#[derive(Debug)]
pub(super) struct Sample {
    runtime: RuntimeKind,
    known: PodWithContainer,
    new: PodWithContainer,
}

impl Sample {
    /// Creates pods and containers like those of this runtime.
    pub(super) fn of(runtime: RuntimeKind) -> Self {
        let mut world = World::of(runtime, SEED);
        Sample {
            runtime,
            known: world.sample(),
            new: world.sample(),
        }
    }

    /// Returns the state at Synchronize: a pod with a container, neither of which has events later.
    pub(super) fn state(&self) -> SynchronizeRequest {
        SynchronizeRequest {
            pods: vec![self.known.pod.clone()],
            containers: vec![self.known.container.clone()],
            more: false,
        }
    }

    /// Returns the encoded request of the RPC that is dedicated to an event.
    pub(super) fn request(&self, event: Event) -> Vec<u8> {
        let PodWithContainer { pod, container } = &self.new;
        session::sample_request(self.runtime, event, pod, container)
    }

    /// Returns the request of StateChange, with the event that starts a pod.
    pub(super) fn state_change(&self, revision: &Revision) -> Vec<u8> {
        let event = Event::RunPodSandbox;
        let request = revision.request(event, Via::StateChange, &self.request(event));
        request
            .map(|(_, encoded)| encoded.to_vec())
            .unwrap_or_default()
    }
}

/// The divisor of the time limit of a step that was not answered before.
const REPEAT_DIVISOR: u32 = 10;

/// The minimum time limit of an answer, unless the whole probe is out of time.
const MIN_LIMIT: Duration = Duration::from_millis(100);

/// The time limits of a probe. The limit of a step is reduced after it was not answered once, so that a plugin which
/// always hangs is probed in bounded time.
#[derive(Debug)]
pub(super) struct Patience {
    deadline: Option<Instant>,
    silent: HashSet<&'static str>,
    survived: HashSet<&'static str>,
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

    /// Restarts the time of the whole probe.
    pub(super) fn restart(&mut self, within: Duration) {
        self.deadline = Instant::now().checked_add(within);
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

    /// Records that a step was not answered in time.
    pub(super) fn was_silent(&mut self, step: &'static str) {
        self.silent.insert(step);
    }

    /// Records that the plugin kept running after its error to an RPC.
    pub(super) fn survived(&mut self, rpc: &'static str) {
        self.survived.insert(rpc);
    }

    /// Returns true if the plugin kept running after an error to this RPC before. Its end is not waited for again.
    pub(super) fn was_survived(&self, rpc: &'static str) -> bool {
        self.survived.contains(rpc)
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
        patience.was_silent("Configure");
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
}
