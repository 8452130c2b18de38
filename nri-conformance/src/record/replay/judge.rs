//! Compares an answer with the recorded one.

use bytes::Bytes;
use nri::api::{ConfigureResponse, EventMask};
use nri::codec::Message as _;
use nri::wire::{CallError, Code, Status};

use super::super::frame::{Payload, Request};
use super::super::schema::{self, Side};
use super::compare::compare;
use super::exchange::RecordedAnswer;
use super::outcome::DifferenceKind;
use super::plan::subscription;

/// Returns the differences between an answer and the recorded one. `converted` is true if the request was sent through
/// another RPC than the recorded one, so that the answers have different types.
pub(super) fn judge(
    request: &Request,
    recorded: &RecordedAnswer,
    got: &Result<Bytes, CallError>,
    converted: bool,
    redacted: bool,
) -> Vec<DifferenceKind> {
    let got = match got {
        Ok(payload) => Ok(payload),
        Err(CallError::Status(status)) => Err(status),
        Err(CallError::Timeout(within)) => {
            return unanswered(recorded, DifferenceKind::NoAnswer(*within));
        }
        Err(CallError::Closed) => return unanswered(recorded, DifferenceKind::Closed),
        Err(other) => return vec![DifferenceKind::Unreadable(other.to_string())],
    };
    match (recorded, got) {
        (RecordedAnswer::Unknown, Ok(_)) => Vec::new(),
        (RecordedAnswer::Missing, _) => vec![DifferenceKind::Answered],
        (RecordedAnswer::Unknown | RecordedAnswer::Given(Ok(_)), Err(status)) => {
            vec![DifferenceKind::Failed(status.clone())]
        }
        (RecordedAnswer::Given(Err(recorded)), Err(got)) => other_error(recorded, got),
        (RecordedAnswer::Given(Err(recorded)), Ok(_)) => {
            vec![DifferenceKind::Succeeded(recorded.clone())]
        }
        (RecordedAnswer::Given(Ok(Payload::Bytes(recorded))), Ok(got)) if !converted => {
            payloads(request, recorded, got, redacted)
        }
        (RecordedAnswer::Given(Ok(Payload::Bytes(_) | Payload::Withheld(_))), Ok(_)) => Vec::new(),
    }
}

fn unanswered(recorded: &RecordedAnswer, kind: DifferenceKind) -> Vec<DifferenceKind> {
    match recorded {
        RecordedAnswer::Missing => Vec::new(),
        RecordedAnswer::Given(_) | RecordedAnswer::Unknown => vec![kind],
    }
}

/// Compares errors in the way of a runtime, which treats only these two codes differently.
fn other_error(recorded: &Status, got: &Status) -> Vec<DifferenceKind> {
    let class = |status: &Status| match status.code {
        Code::UNIMPLEMENTED => Some(Code::UNIMPLEMENTED),
        Code::DEADLINE_EXCEEDED => Some(Code::DEADLINE_EXCEEDED),
        _ => None,
    };
    if class(recorded) == class(got) {
        return Vec::new();
    }
    vec![DifferenceKind::OtherError {
        recorded: recorded.clone(),
        got: got.clone(),
    }]
}

fn payloads(
    request: &Request,
    recorded: &Bytes,
    got: &Bytes,
    redacted: bool,
) -> Vec<DifferenceKind> {
    let Some(message) = schema::message(&request.service, &request.method, Side::Response) else {
        return Vec::new();
    };
    let compared = if request.method == "Configure" {
        compare(&message, &expanded(recorded), &expanded(got), redacted)
    } else {
        compare(&message, recorded, got, redacted)
    };
    compared.unwrap_or_else(|reason| vec![DifferenceKind::Unreadable(reason)])
}

/// Expands a subscription to all events into a mask of these events.
fn expanded(answer: &Bytes) -> Bytes {
    match (ConfigureResponse::decode(&**answer), subscription(answer)) {
        (Ok(mut response), Some(EventMask::ALL)) => {
            response.events = EventMask::ALL.into();
            response.encode_to_vec().into()
        }
        _ => answer.clone(),
    }
}
