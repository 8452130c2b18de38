//! The events that a plugin has taken, which it must take again.

use nri::api::{Container, Event, PodSandbox};
use nri::wire::CallError;

use super::live::Live;
use super::verdict::{Judged, blocked, in_the_way};
use crate::session::Answer;

/// The events that a plugin has answered with success.
#[derive(Debug, Default)]
pub(crate) struct Taken(Vec<Event>);

impl Taken {
    /// Sends an event, and judges the answer.
    ///
    /// # Errors
    ///
    /// Returns the verdict on a plugin that is late, ends, or refuses an event that it has taken before.
    pub(crate) async fn send(
        &mut self,
        live: &Live,
        event: Event,
        pod: &PodSandbox,
        container: &Container,
    ) -> Judged {
        let answer = live.send(event, pod, container).await;
        self.judge(live, event, &answer)
    }

    /// Judges the answer to an event: one that the plugin has taken before, about a pod of the same kind, is an event that it
    /// must take.
    ///
    /// # Errors
    ///
    /// See [`send`](Self::send).
    pub(crate) fn judge(&mut self, live: &Live, event: Event, answer: &Answer) -> Judged {
        let is_known = self.0.contains(&event);
        match &answer.result {
            Ok(_) if is_known => Ok(()),
            Ok(_) => {
                self.0.push(event);
                Ok(())
            }
            Err(_) if live.session.is_closed() => {
                let (sent, got) = (answer.sent(), answer.got());
                Err(blocked("W4", sent, got, "success"))
            }
            Err(CallError::Status(_)) if event == Event::ValidateContainerAdjustment => Ok(()),
            Err(CallError::Status(_)) if is_known => {
                let (sent, got) = (answer.sent(), answer.got());
                Err(blocked("W4", sent, got, "success, as before"))
            }
            Err(_) => Err(in_the_way(answer)),
        }
    }
}
