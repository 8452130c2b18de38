//! A plugin that is registered, configured and synchronized.

use nri::__private::EventKind;
use nri::api::{Event, EventMask};
use nri::wire::CallError;
use nri_adaptation::Via;

use super::verdict::{Judged, blocked, failed, in_the_way, skip};
use crate::session::world::Sample;
use crate::session::{Answer, RuntimeKind, Session, life, sample_request};
use crate::subject::Instance;

/// A plugin that serves.
#[derive(Debug)]
pub(crate) struct Live {
    runtime: RuntimeKind,
    pub(crate) instance: Instance,
    pub(crate) session: Session,
    /// The mask that it answered Configure with.
    pub(crate) mask: i32,
    subscribed: EventMask,
}

/// Returns true if a plugin may answer an event with an error.
pub(crate) fn may_reject(event: Event) -> bool {
    EventKind::of(event) == EventKind::Consent
}

impl Live {
    pub(crate) fn new(
        runtime: RuntimeKind,
        instance: Instance,
        session: Session,
        mask: i32,
    ) -> Self {
        let revision = session.revision();
        let subscribed = session
            .subscribed(mask)
            .iter()
            .filter(|event| revision.carrier(*event).is_some())
            .fold(EventMask::EMPTY, EventMask::with);
        Live { runtime, instance, session, mask, subscribed }
    }

    /// Closes the connection, and returns the instance.
    pub(crate) fn disconnect(self) -> Instance {
        self.instance
    }

    /// Returns true if the plugin receives an event.
    pub(crate) fn subscribes(&self, event: Event) -> bool {
        self.subscribed.contains(event)
    }

    /// Returns the events of a pod's life that the plugin receives.
    pub(crate) fn life(&self) -> impl Iterator<Item = Event> + use<> {
        let subscribed = self.subscribed;
        life().filter(move |event| subscribed.contains(*event))
    }

    /// Skips the test unless the plugin receives one of some events.
    pub(crate) fn requires(&self, events: &[Event]) -> Judged {
        if events.iter().any(|event| self.subscribes(*event)) {
            return Ok(());
        }
        let names: Vec<_> = events.iter().map(|event| event.name()).collect();
        skip(format!("does not subscribe to {}", names.join(" or ")))
    }

    /// Returns the encoded request of the RPC that is dedicated to an event.
    pub(crate) fn request(&self, event: Event, sample: &Sample) -> Vec<u8> {
        sample_request(self.runtime, event, &sample.pod, &sample.container)
    }

    /// Sends an event as a runtime of the revision does.
    pub(crate) async fn send(&self, event: Event, sample: &Sample) -> Answer {
        let request = self.request(event, sample);
        self.session.send(event, &request).await
    }

    /// Sends an event in one of the two ways.
    pub(crate) async fn send_via(&self, event: Event, via: Via, sample: &Sample) -> Answer {
        let request = self.request(event, sample);
        self.session.send_via(event, via, &request).await
    }

    /// Sends an event that the test needs but does not test. Does nothing unless the plugin
    /// receives the event.
    pub(crate) async fn given(&self, event: Event, sample: &Sample) -> Judged {
        if !self.subscribes(event) {
            return Ok(());
        }
        let answer = self.send(event, sample).await;
        answer.result.as_ref().map(drop).map_err(|_| in_the_way(&answer))
    }

    /// Sends an event that must be answered with success. Does nothing unless the plugin receives
    /// the event.
    pub(crate) async fn expect(&self, event: Event, sample: &Sample, what: &str) -> Judged {
        if !self.subscribes(event) {
            return Ok(());
        }
        judge(&self.send(event, sample).await, what)
    }
}

/// Fails unless an answer is success. `what` describes the request.
pub(crate) fn judge(answer: &Answer, what: &str) -> Judged {
    let sent = || format!("{} {what}", answer.sent());
    answer
        .result
        .as_ref()
        .map(drop)
        .map_err(|error| failed(sent(), error, "success").seen_as(answer.incident()))
}

/// The events that a plugin has answered with success.
#[derive(Debug, Default)]
pub(crate) struct Taken(Vec<Event>);

impl Taken {
    /// Sends an event, and judges the answer.
    pub(crate) async fn send(&mut self, live: &Live, event: Event, sample: &Sample) -> Judged {
        let answer = live.send(event, sample).await;
        self.judge(live, &answer)
    }

    /// Judges the answer to an event: one that the plugin has taken before, about a pod of the same
    /// kind, is an event that it must take.
    pub(crate) fn judge(&mut self, live: &Live, answer: &Answer) -> Judged {
        let broken = |expected| {
            let verdict = blocked("W4", answer.sent(), answer.got(), expected);
            Err(verdict.seen_as(answer.incident()))
        };
        let is_known = self.0.contains(&answer.event);
        match &answer.result {
            Ok(_) => {
                if !is_known {
                    self.0.push(answer.event);
                }
                Ok(())
            }
            Err(_) if live.session.is_closed() => broken("success"),
            Err(CallError::Status(_)) if answer.event == Event::ValidateContainerAdjustment => {
                Ok(())
            }
            Err(CallError::Status(_)) if is_known => broken("success, as before"),
            Err(_) => Err(in_the_way(answer)),
        }
    }
}
