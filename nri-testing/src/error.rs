//! Errors of plugins in a test.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use nri::api::Event;
#[cfg(feature = "oci")]
use nri_adaptation::oci;
use nri_adaptation::{Outcome, RequestError};

/// An event that a plugin did not handle correctly.
#[derive(Clone)]
pub struct EventError(Box<Failure>);

#[derive(Clone)]
struct Failure {
    event: Event,
    message: String,
    fails_request: bool,
    outcomes: Vec<Outcome>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl EventError {
    fn new(event: Event, message: String) -> Self {
        EventError(Box::new(Failure {
            event,
            message,
            fails_request: false,
            outcomes: Vec::new(),
            source: None,
        }))
    }

    fn failing(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.0.fails_request = true;
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Returns the error of a request that failed.
    pub(super) fn request(event: Event, error: RequestError) -> Self {
        let mut failed = EventError::new(event, format!("{} failed: {error}", event.name()));
        failed.0.outcomes = error.outcomes().to_vec();
        failed.failing(error)
    }

    /// Returns the error of an adjustment that cannot be applied to the container's spec.
    #[cfg(feature = "oci")]
    pub(super) fn spec(event: Event, error: oci::Error) -> Self {
        let name = event.name();
        let message = format!("the answer to {name} cannot be applied: {error}");
        EventError::new(event, message).failing(error)
    }

    /// Returns the error of a test that refers to a pod or container that the runtime does not
    /// have.
    pub(super) fn unknown(event: Event, what: &str, id: &str) -> Self {
        let name = event.name();
        let message =
            format!("{name}: the test runtime has no {what} with id {id:?}: create it first");
        EventError::new(event, message)
    }

    /// Returns the first outcome that is an error, as an error: the request succeeded although a
    /// plugin failed.
    pub(super) fn in_outcomes(outcomes: &[Outcome]) -> Result<(), Self> {
        let Some(outcome) = outcomes.iter().find(|outcome| outcome.result.is_error()) else {
            return Ok(());
        };
        let (plugin, event) = (&outcome.plugin, outcome.event);
        let error = outcome.error.as_deref().unwrap_or(outcome.result.as_str());
        let message = format!("plugin {plugin} failed to handle {}: {error}", event.name());
        let mut failed = EventError::new(event, message);
        failed.0.outcomes = vec![outcome.clone()];
        Err(failed)
    }

    /// Returns the event.
    pub fn event(&self) -> Event {
        self.0.event
    }

    /// Returns true if a runtime would fail the pod or container because of it. Otherwise it logs
    /// the error and continues.
    pub fn fails_request(&self) -> bool {
        self.0.fails_request
    }

    /// Returns the outcome of the event at each plugin that was called before it failed; empty if
    /// the test refers to a pod or container that does not exist.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.0.outcomes
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// Formats the message, as `unwrap` prints it in a test, and the result of each plugin.
impl fmt::Debug for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        for outcome in self.outcomes() {
            write!(f, "\n  plugin {}: {}", outcome.plugin, outcome.result)?;
        }
        Ok(())
    }
}

impl Error for EventError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}
