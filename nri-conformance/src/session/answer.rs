//! The answer to an event, or the failure instead of it.

use bytes::Bytes;
use nri::api::Event;
use nri::wire::{CallError, Code};
use nri_adaptation::{Revision, Via};

/// The answer to an event, or the failure instead of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The event that was answered.
    pub event: Event,
    /// The RPC that it was sent through.
    pub via: Via,
    /// The encoded response, or the failure instead of it.
    pub result: Result<Bytes, CallError>,
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
    pub fn is_unimplemented(&self) -> bool {
        self.code() == Some(Code::UNIMPLEMENTED)
    }

    /// Returns the status code of the answer; `None` for success, or if there was no answer.
    pub fn code(&self) -> Option<Code> {
        match &self.result {
            Err(CallError::Status(status)) => Some(status.code),
            Ok(_) | Err(_) => None,
        }
    }

    /// Describes the request, such as `StopPodSandbox as StateChange`.
    pub fn sent(&self) -> String {
        let name = event_name(self.event);
        match self.via {
            Via::Dedicated => name.to_owned(),
            Via::StateChange => format!("{name} as StateChange"),
        }
    }

    /// Describes the answer.
    pub fn got(&self) -> String {
        match &self.result {
            Ok(_) => "success".to_owned(),
            Err(error) => describe(error),
        }
    }
}

/// Describes the failure of a call.
pub fn describe(error: &CallError) -> String {
    match error {
        CallError::Status(status) => format!("the error {:?}, {}", status.message, status.code),
        CallError::Closed => "the end of the connection".to_owned(),
        CallError::Timeout(within) => format!("no answer within {within:?}"),
        CallError::TooLarge { .. } | CallError::Protocol(_) | CallError::Unreadable(_) => {
            error.to_string()
        }
    }
}

/// Returns the name of the RPC that is dedicated to an event.
pub(crate) fn event_name(event: Event) -> &'static str {
    let mut rpcs = Revision::rpcs().iter();
    let rpc = rpcs.find(|rpc| rpc.event == Some(event));
    rpc.map_or("unknown event", |rpc| rpc.name)
}
