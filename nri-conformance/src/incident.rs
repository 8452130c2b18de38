//! Incidents: what the log of a runtime would say about a plugin that behaves like the tested one.
//!
//! `nri-compat logs` finds the same ids in the logs of real runtimes, and `nri-compat explain`
//! explains them. [`Incident::at`] is the only place that maps an outcome to an id, except for two
//! that depend on the content of an answer: a mask, and `more` of Synchronize.

use nri::__private::{EventKind, RuntimeRpc};
use nri::api::Event;
use nri::wire::{CallError, Code};

use crate::names::names;

names! {
    /// An incident, by its id in the catalogue of `nri-compat`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Incident {
        /// The plugin could not be started.
        LaunchFailed = "INCIDENT_LAUNCH_FAILED",
        /// A WebAssembly module could not be loaded.
        WasmFailed = "INCIDENT_WASM_FAILED",
        /// The plugin did not register in time.
        RegistrationTimeout = "INCIDENT_REGISTRATION_TIMEOUT",
        /// The plugin ended before it registered, or registered with an invalid name or index.
        RegistrationFailed = "INCIDENT_REGISTRATION_FAILED",
        /// The plugin answered Configure with an error, or not at all.
        ConfigureFailed = "INCIDENT_CONFIGURE_FAILED",
        /// The plugin subscribed to events that the runtime does not know.
        EventsUnknown = "INCIDENT_EVENTS_UNKNOWN",
        /// The plugin did not answer Synchronize in time.
        SynchronizeTimeout = "INCIDENT_SYNCHRONIZE_TIMEOUT",
        /// The plugin answered Synchronize with an error, or ended.
        SynchronizeFailed = "INCIDENT_SYNCHRONIZE_FAILED",
        /// The plugin cannot read Synchronize in parts.
        SynchronizeParts = "INCIDENT_SYNCHRONIZE_PARTS",
        /// The plugin did not answer an event in time.
        EventTimeout = "INCIDENT_EVENT_TIMEOUT",
        /// The plugin ended at an event, or its answer could not be read.
        Closed = "INCIDENT_CLOSED",
        /// The plugin answered an event with an error, which fails the request of the runtime.
        RequestFailed = "INCIDENT_REQUEST_FAILED",
        /// The plugin answered an event that cannot be refused with an error.
        NotificationFailed = "INCIDENT_NOTIFICATION_FAILED",
    }
}

/// The way in which a step of the conversation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// There was no answer in time.
    Silent,
    /// The plugin ended or closed the connection, or its answer could not be read.
    Closed,
    /// The answer was an error, or something that the runtime does not accept.
    Refused,
}

/// A step of the conversation between a runtime and a plugin.
enum Step {
    Register,
    Configure,
    Synchronize,
    /// An event that a plugin can refuse.
    Request,
    /// An event that no plugin can refuse.
    Notification,
}

impl Incident {
    /// Returns the incident of a step that failed. The step has the name of its RPC, such as
    /// `Synchronize`; `None` for any other name.
    pub fn at(step: &str, ending: Ending) -> Option<Self> {
        Some(match (Step::named(step)?, ending) {
            (Step::Register, Ending::Silent) => Self::RegistrationTimeout,
            (Step::Register, Ending::Closed | Ending::Refused) => Self::RegistrationFailed,
            (Step::Configure, Ending::Silent | Ending::Closed | Ending::Refused) => {
                Self::ConfigureFailed
            }
            (Step::Synchronize, Ending::Silent) => Self::SynchronizeTimeout,
            (Step::Synchronize, Ending::Closed | Ending::Refused) => Self::SynchronizeFailed,
            (Step::Request | Step::Notification, Ending::Silent) => Self::EventTimeout,
            (Step::Request | Step::Notification, Ending::Closed) => Self::Closed,
            (Step::Request, Ending::Refused) => Self::RequestFailed,
            (Step::Notification, Ending::Refused) => Self::NotificationFailed,
        })
    }

    /// Returns the incident of a call that failed at a step.
    pub(crate) fn of_call(step: &str, error: &CallError) -> Option<Self> {
        Self::at(step, Ending::of(error)?)
    }

    /// Returns the incident with this id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|incident| incident.as_str() == id)
    }

    /// Returns the commands that see it, each with its outcome.
    pub const fn seen_by(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::LaunchFailed => &[("probe", "trouble `not-connected`")],
            Self::WasmFailed => &[("probe", "trouble `not-connected` of a module")],
            Self::RegistrationTimeout => &[
                ("conformance", "W1 broken: no registration in time"),
                ("probe", "trouble `hung` at RegisterPlugin"),
                ("replay", "error: the plugin did not register in time"),
            ],
            Self::RegistrationFailed => &[
                ("conformance", "W1 broken: an invalid name or index"),
                ("probe", "trouble `died`, `closed` or `refused` at RegisterPlugin"),
                ("replay", "error: the plugin closed the connection before it registered"),
            ],
            Self::ConfigureFailed => &[
                ("conformance", "P6 broken"),
                ("probe", "trouble at Configure"),
                ("replay", "difference at Configure"),
            ],
            Self::EventsUnknown => &[
                ("conformance", "W2 broken: unknown bits"),
                ("probe", "trouble `refused` at Configure"),
            ],
            Self::SynchronizeTimeout => &[
                ("conformance", "P5 broken at Synchronize"),
                ("probe", "trouble `hung` at Synchronize"),
                ("replay", "difference at Synchronize: no answer"),
            ],
            Self::SynchronizeFailed => &[
                ("conformance", "Y2 broken"),
                ("probe", "trouble at Synchronize"),
                ("replay", "difference at Synchronize"),
            ],
            Self::SynchronizeParts => &[
                ("conformance", "Y2 or W9 broken: `more` is not repeated"),
                ("replay", "difference at Synchronize: `more`"),
            ],
            Self::EventTimeout => &[
                ("conformance", "P5 broken at an event"),
                ("probe", "trouble `hung` at an event"),
                ("replay", "difference at an event: no answer"),
            ],
            Self::Closed => &[
                ("conformance", "a test broken by the end of the connection"),
                ("probe", "trouble `died`, `closed` or `broke-protocol` at an event"),
                ("replay", "difference at an event: the connection was closed"),
            ],
            Self::RequestFailed | Self::NotificationFailed => &[
                ("conformance", "a test broken by an error at an event"),
                ("replay", "difference at an event: another error"),
            ],
        }
    }
}

impl Ending {
    /// Returns the way in which a call failed; `None` if the plugin has no part in it, or if a
    /// runtime goes on with StateChange.
    fn of(error: &CallError) -> Option<Self> {
        match error {
            CallError::Status(status) if status.code == Code::UNIMPLEMENTED => None,
            CallError::Status(_) => Some(Self::Refused),
            CallError::Timeout(_) => Some(Self::Silent),
            CallError::Closed | CallError::Protocol(_) | CallError::Unreadable(_) => {
                Some(Self::Closed)
            }
            CallError::TooLarge { .. } => None,
        }
    }
}

impl Step {
    /// Returns the step with the name of this RPC. StateChange stands for any event.
    fn named(rpc: &str) -> Option<Self> {
        match rpc {
            "Configure" => return Some(Self::Configure),
            "Synchronize" => return Some(Self::Synchronize),
            "StateChange" => return Some(Self::Notification),
            _ if rpc == RuntimeRpc::RegisterPlugin.name() => return Some(Self::Register),
            _ => {}
        }
        let event = Event::ALL.iter().find(|event| event.name() == rpc)?;
        Some(match EventKind::of(*event) {
            EventKind::Consent => Self::Request,
            EventKind::Report | EventKind::Stop | EventKind::Removal => Self::Notification,
        })
    }
}

#[cfg(test)]
mod tests {
    use nri::wire::Status;

    use super::*;

    #[test]
    fn every_incident_of_a_step_is_in_the_table() {
        let endings = [Ending::Silent, Ending::Closed, Ending::Refused];
        let events = Event::ALL.iter().map(|event| event.name());
        let steps = ["RegisterPlugin", "Configure", "Synchronize"].into_iter().chain(events);
        for step in steps {
            let incidents = endings.map(|ending| Incident::at(step, ending));
            assert!(incidents.iter().all(Option::is_some), "{step}");
        }
        assert_eq!(Incident::at("connection", Ending::Silent), None);
        assert_eq!(Incident::at("RunPodSandbox", Ending::Refused), Some(Incident::RequestFailed));
        let removal = Incident::at("RemovePodSandbox", Ending::Refused);
        assert_eq!(removal, Some(Incident::NotificationFailed));
    }

    #[test]
    fn a_fallback_is_no_incident() {
        let error = |code| CallError::Status(Status::new(code, "x"));
        assert_eq!(Incident::of_call("RunPodSandbox", &error(Code::UNIMPLEMENTED)), None);
        let failed = Incident::of_call("RunPodSandbox", &error(Code::UNKNOWN));
        assert_eq!(failed, Some(Incident::RequestFailed));
    }

    #[test]
    fn all_have_an_id_and_are_seen_by_a_command() {
        for incident in Incident::ALL {
            assert_eq!(Incident::from_id(incident.as_str()), Some(*incident));
            assert!(!incident.seen_by().is_empty());
        }
    }
}
