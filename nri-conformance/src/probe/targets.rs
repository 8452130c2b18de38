//! The second pass: the events that a plugin subscribes to, sent as each target sends them.

use std::time::Duration;

use nri::api::{ConfigureResponse, Event, EventMask};
use nri::wire::CallError;
use nri_adaptation::{Revision, Via};

use crate::error::{Error, Result};
use crate::incident::Incident;
use crate::session::{RuntimeKind, can_fall_back, checked, life};

use super::answers::Reply;
use super::live::Live;
use super::run::{CONFIGURE, REGISTER, Run, SYNCHRONIZE, linking, out_of_time};
use super::{
    EventOutcome, EventResult, RpcAnswer, RuntimeRelease, Target, TargetResult, Trouble,
    TroubleKind, Verdict, answers,
};

/// The prefix of the releases before the protocol, which run programs once per event: v0.1.0 and
/// v0.1.1.
const ONE_SHOT: &str = "v0.1.";

/// The number of unanswered events under one target after which the others are not tried.
const MAX_SILENT: usize = 3;

/// Returns the revision that a target speaks; `None` for a release before the protocol.
pub(super) fn revision(target: &Target) -> Result<Option<Revision>> {
    if target.release.starts_with(ONE_SHOT) {
        return Ok(None);
    }
    Revision::of(&target.release).map(Some).map_err(|error| {
        let message = format!("cannot probe for {}: {error}", target.name);
        Error::new(message).with_help("name a release of NRI from v0.2.0 on")
    })
}

/// Probes the plugin under a target. `wanted` is the event mask under the newest revision.
pub(super) async fn probe(
    run: &mut Run<'_>,
    target: &Target,
    revision: Option<&Revision>,
    wanted: i32,
) -> Result<TargetResult> {
    let Some(revision) = revision else {
        let reason = format!("NRI {} only runs one-shot plugins", target.release);
        return Ok(without_events(target, Verdict::Dropped, reason));
    };
    if run.is_out_of_time(revision) {
        let reason = out_of_time(run.options);
        return Ok(without_events(target, Verdict::Unknown, reason));
    }
    let runtime = target.runtime.clone().or_else(|| linking(revision));
    let name = runtime.as_ref().map_or("", |runtime| &runtime.name);
    run.kind = RuntimeKind::reporting(name);
    let mut pass = TargetPass { run, target, revision, runtime };
    Ok(match pass.admit().await? {
        Err((verdict, reason)) => without_events(target, verdict, reason),
        Ok((live, mask)) => {
            let mut result = without_events(target, Verdict::Works, String::new());
            result.events = pass.events(live, mask, wanted).await?;
            judge(&mut result);
            result
        }
    })
}

fn without_events(target: &Target, verdict: Verdict, reason: String) -> TargetResult {
    TargetResult {
        target: target.name.clone(),
        release: target.release.clone(),
        verdict,
        reason,
        events: Vec::new(),
    }
}

/// The result of a step before the first event, or the reason for which the plugin is dropped.
type Admitted<T, E = String> = std::result::Result<T, E>;

/// The pass under one target.
struct TargetPass<'r, 'a> {
    run: &'r mut Run<'a>,
    target: &'r Target,
    revision: &'r Revision,
    runtime: Option<RuntimeRelease>,
}

impl TargetPass<'_, '_> {
    /// Starts an instance and performs the handshake. Returns the instance with its event mask.
    async fn admit(&mut self) -> Result<Admitted<(Live, i32), (Verdict, String)>> {
        let mut live = match Live::start(self.run, self.revision, true).await? {
            Ok(live) => live,
            // Its only connection may already have been used.
            Err(reason) if self.run.subject.executable().is_none() => {
                return Ok(Err((Verdict::Unknown, reason)));
            }
            Err(reason) => return Ok(Err((Verdict::Dropped, reason))),
        };
        match self.handshake(&mut live).await {
            Ok(mask) => Ok(Ok((live, mask))),
            Err(reason) => {
                live.finish(self.run).await;
                Ok(Err((Verdict::Dropped, reason)))
            }
        }
    }

    async fn handshake(&mut self, live: &mut Live) -> Admitted<i32> {
        let Some((registration, _)) = live.registration.clone() else {
            return Err(live.why_silent());
        };
        if self.run.subject.has_own_identity()
            && let Err(invalid) =
                self.revision.plugin_id(&registration.plugin_idx, &registration.plugin_name)
        {
            return self.refused(live, REGISTER, invalid.to_string()).await;
        }
        let configured = live.configure(self.run, self.runtime.as_ref()).await;
        let answer = self.answered(live, CONFIGURE, configured).await?;
        self.check_mask(live, &answer).await?;
        let synchronized = live.synchronize(self.run).await;
        self.answered(live, SYNCHRONIZE, synchronized).await?;
        Ok(answer.events)
    }

    /// Records that the plugin is refused for this reason.
    async fn refused<T>(&mut self, live: &mut Live, step: &str, reason: String) -> Admitted<T> {
        let kind = TroubleKind::Refused;
        live.note(self.run, kind, step, &reason).await;
        Err(reason)
    }

    async fn answered<T>(&mut self, live: &mut Live, step: &str, reply: Reply<T>) -> Admitted<T> {
        if let Err(
            error @ (CallError::Status(_) | CallError::Unreadable(_) | CallError::Protocol(_)),
        ) = &reply.result
        {
            let message = format!("the plugin answers {}", answers::short(&error.to_string()));
            let kind = TroubleKind::Refused;
            live.note(self.run, kind, step, &message).await;
        }
        let words = live.words(&reply.result);
        reply.result.map_err(|_| match &self.runtime {
            Some(RuntimeRelease { name, version }) if step == CONFIGURE => {
                format!("{step}, from {name} {version}: {words}")
            }
            Some(_) | None => format!("{step}: {words}"),
        })
    }

    async fn check_mask(&mut self, live: &mut Live, answer: &ConfigureResponse) -> Admitted<()> {
        let extra = answer.events & !self.revision.events().bits();
        if extra == 0 {
            return Ok(());
        }
        let unknown: Vec<_> =
            EventMask::from_bits_truncate(extra).iter().map(Event::name).collect();
        let mut reason = format!("invalid plugin events: 0x{extra:x}");
        if !unknown.is_empty() {
            reason.push_str(&format!(" ({})", unknown.join(", ")));
        }
        let trouble = live.trouble(TroubleKind::Refused, CONFIGURE, &reason).await;
        self.run.note(Trouble { incident: Some(Incident::EventsUnknown), ..trouble });
        Err(reason)
    }

    /// Sends the events of a pod's life. A plugin that does not answer one is restarted for the
    /// next.
    async fn events(&mut self, live: Live, mask: i32, wanted: i32) -> Result<Vec<EventResult>> {
        let subscribed = live.session.subscribed(mask);
        let wanted = EventMask::from_bits_truncate(wanted);
        let mut live = Some(live);
        let mut results = Vec::new();
        let mut silent = 0;
        for event in life() {
            if !subscribed.contains(event) {
                if wanted.contains(event) {
                    results.push(self.lost(event));
                }
                continue;
            }
            let result = self.event(event, &mut live, silent).await?;
            silent += usize::from(result.outcome == EventOutcome::Silent);
            results.push(result);
        }
        if let Some(live) = live {
            live.finish(self.run).await;
        }
        Ok(results)
    }

    fn lost(&self, event: Event) -> EventResult {
        let release = self.revision.release();
        let detail = if self.revision.events().contains(event) {
            format!("the plugin does not subscribe to it under {release}")
        } else {
            format!("{release} does not know it")
        };
        unsent(event, EventOutcome::Lost, detail)
    }

    async fn event(
        &mut self,
        event: Event,
        live: &mut Option<Live>,
        silent: usize,
    ) -> Result<EventResult> {
        if self.run.is_out_of_time(self.revision) {
            let detail = out_of_time(self.run.options);
            return Ok(unsent(event, EventOutcome::NotTried, detail));
        }
        if silent >= MAX_SILENT {
            let detail = format!("not tried after {MAX_SILENT} events without an answer");
            return Ok(unsent(event, EventOutcome::NotTried, detail));
        }
        let mut current = match live.take() {
            Some(live) => live,
            None => match self.admit().await? {
                Ok((admitted, _)) => admitted,
                Err((_, reason)) => return Ok(unsent(event, EventOutcome::NotTried, reason)),
            },
        };
        let result = self.send(&mut current, event).await;
        if current.over {
            current.finish(self.run).await;
        } else {
            *live = Some(current);
        }
        Ok(result)
    }

    /// Sends an event as the target does.
    async fn send(&mut self, live: &mut Live, event: Event) -> EventResult {
        let via = self.revision.carrier(event);
        let Some(mut via) = via.filter(|via| self.sends(*via)) else {
            return unsent(event, EventOutcome::Lost, self.no_state_change());
        };
        let mut reply = self.send_via(live, event, via).await;
        let mut took = reply.took;
        let falls_back = via == Via::Dedicated
            && answers::kind(&reply.result, self.run.denial) == RpcAnswer::Fallback
            && can_fall_back(event);
        if falls_back && !self.sends(Via::StateChange) {
            let detail = format!("{}; {}", live.words(&reply.result), self.no_state_change());
            return unsent(event, EventOutcome::Lost, detail);
        }
        if falls_back {
            via = Via::StateChange;
            reply = self.send_via(live, event, via).await;
            took += reply.took;
        }
        EventResult {
            event: event.name(),
            outcome: outcome(answers::kind(&reply.result, self.run.denial), falls_back),
            via: Some(via),
            fell_back: falls_back,
            detail: live.words(&reply.result),
            took: reply.answered_after().map(|_| took),
        }
    }

    async fn send_via(&mut self, live: &mut Live, event: Event, via: Via) -> Reply<()> {
        let request = self.run.request(event);
        let Some((method, request)) = self.revision.request(event, via, &request) else {
            return Reply { result: Err(CallError::Closed), took: Duration::ZERO };
        };
        let reply = live.call(self.run, method, request).await;
        reply.and_then(|answer| checked(event, via, answer).map(drop))
    }

    fn sends(&self, via: Via) -> bool {
        via == Via::Dedicated || self.target.sends_state_change
    }

    fn no_state_change(&self) -> String {
        format!("{} does not send StateChange", self.target.name)
    }
}

fn outcome(answer: RpcAnswer, fell_back: bool) -> EventOutcome {
    match answer {
        RpcAnswer::Implemented if fell_back => EventOutcome::Deprecated,
        RpcAnswer::Implemented => EventOutcome::Works,
        RpcAnswer::Error => EventOutcome::Error,
        RpcAnswer::Fallback | RpcAnswer::Breaks => EventOutcome::Fails,
        RpcAnswer::Silent => EventOutcome::Silent,
    }
}

fn unsent(event: Event, outcome: EventOutcome, detail: String) -> EventResult {
    EventResult { event: event.name(), outcome, via: None, fell_back: false, detail, took: None }
}

/// Derives the verdict and its reason from the outcomes of all events.
fn judge(result: &mut TargetResult) {
    let mut reasons = Vec::new();
    for (outcome, before, after) in [
        (EventOutcome::Silent, "does not answer ", ""),
        (EventOutcome::Fails, "", " fails"),
        (EventOutcome::Error, "answers ", " with an error"),
        (EventOutcome::NotTried, "", " not tried"),
        (EventOutcome::Lost, "does not receive ", ""),
    ] {
        let names = result.events_that(outcome).join(", ");
        if let Some(first) = result.events.iter().find(|event| event.outcome == outcome) {
            reasons.push(format!("{before}{names}{after}: {}", first.detail));
        }
    }
    let deprecated = result.events_as_state_change().join(", ");
    if !deprecated.is_empty() {
        reasons.push(format!("receives {deprecated} as StateChange"));
    }
    result.reason = reasons.join("; ");
    let verdicts = result.events.iter().map(|event| verdict(event.outcome));
    result.verdict = verdicts.max().unwrap_or(Verdict::Works);
}

fn verdict(outcome: EventOutcome) -> Verdict {
    match outcome {
        EventOutcome::Works => Verdict::Works,
        EventOutcome::Deprecated => Verdict::Deprecated,
        EventOutcome::Lost => Verdict::Loses,
        EventOutcome::NotTried => Verdict::Unknown,
        EventOutcome::Error => Verdict::Errors,
        EventOutcome::Fails | EventOutcome::Silent => Verdict::Breaks,
    }
}
