//! The answer to an event, or the failure instead of it.

use bytes::Bytes;
use nri::__private::changes;
use nri::api::{Empty, Event};
use nri::codec::Message as _;
use nri::wire::{CallError, Code};
use nri_adaptation::Via;

/// The answer to an event, or the failure instead of it.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The event that was answered.
    pub(crate) event: Event,
    /// The RPC that it was sent through.
    pub(crate) via: Via,
    /// The encoded response, or the failure instead of it.
    pub(crate) result: Result<Bytes, CallError>,
}

impl Answer {
    /// Creates the answer to an event that the revision does not send, as if the plugin did not implement it.
    pub(super) fn unsent(event: Event) -> Self {
        let status = nri::wire::Status::new(Code::UNIMPLEMENTED, "not sent under this revision");
        Answer {
            event,
            via: Via::Dedicated,
            result: Err(status.into()),
        }
    }

    /// Returns true if the plugin does not implement the RPC.
    pub(crate) fn is_unimplemented(&self) -> bool {
        self.code() == Some(Code::UNIMPLEMENTED)
    }

    /// Returns the status code of the answer; `None` for success, or if there was no answer.
    pub(crate) fn code(&self) -> Option<Code> {
        match &self.result {
            Err(CallError::Status(status)) => Some(status.code),
            Ok(_) | Err(_) => None,
        }
    }

    /// Describes the request, such as `StopPodSandbox as StateChange`.
    pub(crate) fn sent(&self) -> String {
        let name = self.event.name();
        match self.via {
            Via::Dedicated => name.to_owned(),
            Via::StateChange => format!("{name} as StateChange"),
        }
    }

    /// Describes the answer.
    pub(crate) fn got(&self) -> String {
        match &self.result {
            Ok(_) => "success".to_owned(),
            Err(error) => describe(error),
        }
    }
}

/// Describes the failure of a call.
pub(crate) fn describe(error: &CallError) -> String {
    match error {
        CallError::Status(status) => format!("the error {:?}, {}", status.message, status.code),
        CallError::Closed => "the end of the connection".to_owned(),
        CallError::Timeout(within) => format!("no answer within {within:?}"),
        CallError::TooLarge { .. } | CallError::Protocol(_) | CallError::Unreadable(_) => {
            error.to_string()
        }
    }
}

/// Returns the response to an event if a runtime can decode it.
pub(crate) fn checked(event: Event, via: Via, response: Bytes) -> Result<Bytes, CallError> {
    let decoded = match via {
        Via::Dedicated => changes(event, &response).map(drop),
        Via::StateChange => Empty::decode(&response).map(drop),
    };
    match decoded {
        Ok(()) => Ok(response),
        Err(error) => Err(CallError::Unreadable(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_another_type_is_unreadable() {
        let check = |event, answer| checked(event, Via::Dedicated, Bytes::from_static(answer));
        assert!(check(Event::RunPodSandbox, b"").is_ok());
        assert!(check(Event::CreateContainer, b"\x0a\xff").is_err());
        assert!(check(Event::StopPodSandbox, b"\xff").is_err());
    }
}
