//! Asks the validators about a merged adjustment.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use nri::api::{Event, ValidateContainerAdjustmentRequest, ValidateContainerAdjustmentResponse};

use nri::plugin::Body;

use super::answers::{fits_validators, read, unusable};
use super::core::Core;
use super::member::Member;
use super::message::{Content, Message};
use super::outcome::{Outcome, Reason, RequestError};
use super::relay::{Answers, Relay};
use super::roster::Members;

impl Core {
    /// Passes the request about a merged adjustment, made if any validator is there, to the
    /// runtime's validators, then to all plugins that validate, concurrently. Returns the outcomes
    /// of the plugins.
    ///
    /// # Errors
    ///
    /// Returns the first rejection, in the order of the validators, and an error about the plugin
    /// with the `largest` answer if the request does not fit into a message.
    pub(super) async fn validate(
        &self,
        members: &Members,
        largest: Option<(Arc<str>, usize)>,
        request: impl FnOnce() -> ValidateContainerAdjustmentRequest,
    ) -> Result<Vec<Outcome>, RequestError> {
        let event = Event::ValidateContainerAdjustment;
        let validating =
            |member: &&Arc<Member>| member.events.contains(event) && !member.caller.is_closed();
        let plugins: Vec<_> = members.iter().filter(validating).collect();
        if plugins.is_empty() && self.validators.is_empty() {
            return Ok(Vec::new());
        }
        let request = request();
        self.validate_inside(&request)?;
        let Some(mut message) = Message::new(&self.revision, event) else {
            return Ok(Vec::new());
        };
        let content = Content::Validation(&request);
        if plugins.iter().any(|member| member.direct.is_none()) {
            fits_validators(message.encode(&content), largest)?;
        }
        let visits = plugins.into_iter().map(|member| {
            let mut relay = Relay::new(self, message.clone());
            Box::pin(async move {
                let result = relay.visit(member, &mut Verdicts(content)).await;
                (relay.outcomes, result)
            }) as Visit<'_>
        });
        let mut outcomes = Vec::new();
        let mut rejected = None;
        for (visited, result) in all(visits.collect()).await {
            outcomes.extend(visited);
            rejected = rejected.or(result.err());
        }
        match rejected {
            None => Ok(outcomes),
            Some(error) => Err(error.with_outcomes(outcomes)),
        }
    }

    fn validate_inside(
        &self,
        request: &ValidateContainerAdjustmentRequest,
    ) -> Result<(), RequestError> {
        for validator in &self.validators {
            validator
                .validate(request)
                .map_err(|reason| RequestError::new(Reason::Rejected, None, reason))?;
        }
        Ok(())
    }
}

type Visited = (Vec<Outcome>, Result<(), RequestError>);
type Visit<'a> = Pin<Box<dyn Future<Output = Visited> + Send + 'a>>;

/// Turns rejections into errors.
struct Verdicts<'a>(Content<'a>);

impl Answers for Verdicts<'_> {
    fn content(&self) -> Content<'_> {
        self.0
    }

    fn take(&mut self, _: &Core, member: &Member, answer: Body) -> Result<bool, RequestError> {
        let ValidateContainerAdjustmentResponse { reject, reason } = read(member, answer)?;
        if !reject {
            return Ok(false);
        }
        let plugin = &member.full_name;
        let reason = if reason.is_empty() { "no reason given" } else { &reason };
        let message = format!("validator {plugin:?} rejected container adjustment: {reason}");
        Err(unusable(member, Reason::Rejected, message))
    }
}

/// Waits for all futures at once.
async fn all<T>(futures: Vec<Pin<Box<dyn Future<Output = T> + Send + '_>>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(Ok).collect();
    poll_fn(move |cx| {
        let mut pending = false;
        for slot in &mut futures {
            if let Ok(future) = slot {
                match future.as_mut().poll(cx) {
                    Poll::Ready(output) => *slot = Err(output),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending {
            return Poll::Pending;
        }
        Poll::Ready(std::mem::take(&mut futures))
    })
    .await
    .into_iter()
    .filter_map(Result::err)
    .collect()
}
