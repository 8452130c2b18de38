//! Errors of plugins in a test.

use std::fmt;
#[cfg(feature = "oci")]
use std::sync::Arc;

use nri::api::Event;
#[cfg(feature = "oci")]
use nri_adaptation::oci;
use nri_adaptation::{Outcome, RequestError};

/// An event that a plugin did not handle correctly.
#[derive(Clone)]
pub struct EventError(Box<EventErrorKind>);

#[derive(Clone)]
enum EventErrorKind {
    /// The request failed.
    Request(Event, RequestError),
    /// The merged adjustment cannot be applied to the container's spec.
    #[cfg(feature = "oci")]
    Spec(Event, Arc<oci::Error>),
    /// The request succeeded although a plugin failed.
    Plugin(Outcome),
    /// The test refers to a pod or container that the runtime does not have.
    Unknown(Event, &'static str, String),
}

impl EventError {
    pub(super) fn request(event: Event, error: RequestError) -> Self {
        EventError(Box::new(EventErrorKind::Request(event, error)))
    }

    #[cfg(feature = "oci")]
    pub(super) fn spec(event: Event, error: oci::Error) -> Self {
        EventError(Box::new(EventErrorKind::Spec(event, Arc::new(error))))
    }

    pub(super) fn unknown(event: Event, what: &'static str, id: &str) -> Self {
        EventError(Box::new(EventErrorKind::Unknown(
            event,
            what,
            id.to_owned(),
        )))
    }

    /// Returns the first outcome that is an error, as an error.
    pub(super) fn in_outcomes(outcomes: &[Outcome]) -> Result<(), Self> {
        let failed = outcomes.iter().find(|outcome| outcome.result.is_error());
        failed.map_or(Ok(()), |outcome| {
            Err(EventError(Box::new(EventErrorKind::Plugin(
                outcome.clone(),
            ))))
        })
    }

    /// Returns the event.
    pub fn event(&self) -> Event {
        match &*self.0 {
            EventErrorKind::Request(event, _) | EventErrorKind::Unknown(event, ..) => *event,
            #[cfg(feature = "oci")]
            EventErrorKind::Spec(event, _) => *event,
            EventErrorKind::Plugin(outcome) => outcome.event,
        }
    }

    /// Returns true if a runtime would fail the pod or container because of it. Otherwise it logs
    /// the error and continues.
    pub fn fails_request(&self) -> bool {
        match &*self.0 {
            EventErrorKind::Request(..) => true,
            #[cfg(feature = "oci")]
            EventErrorKind::Spec(..) => true,
            EventErrorKind::Plugin(_) | EventErrorKind::Unknown(..) => false,
        }
    }

    /// Returns the outcome of the event at each plugin that was called before it failed; empty if the test refers to a pod
    /// or container that does not exist.
    pub fn outcomes(&self) -> &[Outcome] {
        match &*self.0 {
            EventErrorKind::Request(_, error) => error.outcomes(),
            EventErrorKind::Plugin(outcome) => std::slice::from_ref(outcome),
            #[cfg(feature = "oci")]
            EventErrorKind::Spec(..) => &[],
            EventErrorKind::Unknown(..) => &[],
        }
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = self.event().name();
        match &*self.0 {
            EventErrorKind::Request(_, error) => write!(f, "{event} failed: {error}"),
            #[cfg(feature = "oci")]
            EventErrorKind::Spec(_, error) => {
                write!(f, "the answer to {event} cannot be applied: {error}")
            }
            EventErrorKind::Plugin(outcome) => {
                let (plugin, result) = (&outcome.plugin, outcome.result);
                let error = outcome.error.as_deref().unwrap_or(result.as_str());
                write!(f, "plugin {plugin} failed to handle {event}: {error}")
            }
            EventErrorKind::Unknown(_, what, id) => write!(
                f,
                "{event}: the test runtime has no {what} with id {id:?}: create it first"
            ),
        }
    }
}

/// Formats the message, as `unwrap` prints it in a test, and the result of each plugin.
impl fmt::Debug for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        for outcome in self.outcomes() {
            write!(
                f,
                "\n  plugin {}: {}",
                outcome.plugin,
                outcome.result.as_str()
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for EventError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            EventErrorKind::Request(_, error) => Some(error),
            #[cfg(feature = "oci")]
            EventErrorKind::Spec(_, error) => Some(&**error),
            EventErrorKind::Plugin(_) | EventErrorKind::Unknown(..) => None,
        }
    }
}
