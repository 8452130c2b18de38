//! Decides how to send each recorded request to a plugin that may differ from the recorded one.

use bytes::Bytes;
use nri::api::{ConfigureResponse, Event, EventMask};
use nri::codec::Message as _;
use nri::wire::{CallError, Code};
use nri_adaptation::{Revision, Via};

use super::connections::{Exchange, RecordedAnswer};
use crate::session::can_fall_back;

/// The state of the connection that determines what a runtime would send.
pub(super) struct Plan {
    /// The events that the plugin subscribed to.
    subscribed: EventMask,
    /// The events whose dedicated RPC the plugin does not implement.
    falls_back: EventMask,
    /// The event of the last request if the recorded plugin refused its dedicated RPC and this one
    /// handled it.
    taken: Option<Event>,
}

/// The way in which a recorded request is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Sends the request as it was recorded.
    AsRecorded,
    /// Sends this request as StateChange, because the plugin does not implement the RPC.
    Converted(Bytes),
    /// Does not send the request, because the plugin did not subscribe to the event.
    Unsubscribed,
    /// Does not send the request, because the plugin has handled the event through its dedicated
    /// RPC.
    Repeated,
}

impl Plan {
    pub(super) fn new() -> Self {
        Plan { subscribed: EventMask::ALL, falls_back: EventMask::EMPTY, taken: None }
    }

    /// Returns how to send a request.
    pub(super) fn step(&mut self, exchange: &Exchange, payload: &Bytes) -> Step {
        let method = exchange.request.method.as_str();
        let taken = self.taken.take();
        let (event, is_change) = event(method, payload);
        let Some(event) = event else {
            return Step::AsRecorded;
        };
        if !self.subscribed.contains(event) {
            return Step::Unsubscribed;
        }
        if is_change && taken == Some(event) {
            return Step::Repeated;
        }
        let converts = !is_change && self.falls_back.contains(event);
        let change = converts.then(|| converted(event, payload)).flatten();
        change.map_or(Step::AsRecorded, Step::Converted)
    }

    /// Processes the answer to a request that was sent as recorded. Returns the StateChange that a
    /// runtime sends next if the plugin does not implement the RPC.
    pub(super) fn answered(
        &mut self,
        exchange: &Exchange,
        payload: &Bytes,
        answer: &Result<Bytes, CallError>,
    ) -> Option<Bytes> {
        let (event, is_change) = event(&exchange.request.method, payload);
        match (exchange.request.method.as_str(), event) {
            ("Configure", _) => self.subscribed = subscription(answer.as_ref().ok()?)?,
            (_, Some(event)) if !is_change && can_fall_back(event) => {
                let recorded_refused = was_refused(&exchange.answer);
                match answer {
                    Err(CallError::Status(status)) if status.code == Code::UNIMPLEMENTED => {
                        self.falls_back = self.falls_back.with(event);
                        // Otherwise, the recording contains the StateChange that follows.
                        return converted(event, payload).filter(|_| !recorded_refused);
                    }
                    Ok(_) | Err(CallError::Status(_)) => {
                        self.taken = recorded_refused.then_some(event);
                    }
                    Err(_) => {}
                }
            }
            _other => {}
        }
        None
    }

    /// Returns true if the recorded plugin refused the last request and then succeeded with
    /// StateChange, while this plugin handled the request.
    pub(super) fn takes_what_was_refused(&self) -> bool {
        self.taken.is_some()
    }
}

/// Returns the request as StateChange.
fn converted(event: Event, payload: &[u8]) -> Option<Bytes> {
    let (_, change) = Revision::newest().request(event, Via::StateChange, payload)?;
    Some(change)
}

/// Returns the events in an answer to Configure. `None` means all events.
pub(super) fn subscription(answer: &[u8]) -> Option<EventMask> {
    let mask = ConfigureResponse::decode(answer).ok()?.events;
    let known = EventMask::from_bits(mask & EventMask::ALL.bits()).ok()?;
    let all = mask == 0;
    Some(if all { EventMask::ALL } else { known })
}

/// Returns the event of a request, and whether it is a StateChange.
#[expect(deprecated, reason = "runtimes before v0.12.0 send it")]
fn event(method: &str, payload: &[u8]) -> (Option<Event>, bool) {
    if method == "StateChange" {
        let change = nri::api::StateChangeEvent::decode(payload).ok();
        let event = change.and_then(|change| Event::try_from(change.event).ok());
        return (event, true);
    }
    let rpc = Revision::rpcs().iter().find(|rpc| rpc.name == method);
    (rpc.and_then(|rpc| rpc.event), false)
}

fn was_refused(answer: &RecordedAnswer) -> bool {
    matches!(answer, RecordedAnswer::Given(Err(status)) if status.code == Code::UNIMPLEMENTED)
}
