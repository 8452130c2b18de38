//! The state of a probe.

use crate::session::RuntimeKind;
use crate::subject::Subject;

use super::patience::Patience;
use super::sample::Sample;
use super::{Options, Trouble, TroubleKind};

use nri::wire::Code;
use nri_adaptation::Revision;

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
