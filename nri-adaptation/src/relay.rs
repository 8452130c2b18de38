//! Takes an event from plugin to plugin.

use std::sync::Arc;

use tokio::time::timeout;

use nri::__private::{EventKind, newer_than};
use nri::api::fields::Newer;
use nri::plugin::Body;

use super::core::Core;
use super::exchange::{assess, exchange};
use super::identity::matches;
use super::intake;
use super::member::{Admission, Member};
use super::message::{Content, Message};
use super::outcome::{Delivery, Outcome, OutcomeResult, Reason, RequestError};
use super::roster::Members;

/// Takes the answers of the plugins, one after the other.
pub(super) trait Answers: Send {
    /// Returns the content of the request for the next plugin.
    fn content(&self) -> Content<'_>;

    /// Takes an answer. Returns true if the content has changed by it.
    ///
    /// # Errors
    ///
    /// Returns why the answer cannot be used. It leaves no trace then.
    fn take(&mut self, core: &Core, member: &Member, answer: Body) -> Result<bool, RequestError>;
}

/// The way of one event through the plugins.
pub(super) struct Relay<'a> {
    core: &'a Core,
    message: Message,
    pub(super) outcomes: Vec<Outcome>,
    /// The plugins that answered.
    pub(super) accepted: Vec<Arc<Member>>,
}

impl<'a> Relay<'a> {
    pub(super) fn new(core: &'a Core, message: Message) -> Self {
        Relay { core, message, outcomes: Vec::new(), accepted: Vec::new() }
    }

    /// Visits all plugins.
    ///
    /// # Errors
    ///
    /// Returns the error that ended the chain, without the outcomes.
    pub(super) async fn run(
        &mut self,
        members: &Members,
        answers: &mut dyn Answers,
    ) -> Result<(), RequestError> {
        self.check_required(members)?;
        for member in members.iter() {
            self.visit(member, answers).await?;
        }
        Ok(())
    }

    /// Checks that the plugins that are required for the event are there.
    fn check_required(&self, members: &Members) -> Result<(), RequestError> {
        let event = self.message.event;
        if EventKind::of(event).is_teardown() {
            return Ok(());
        }
        for pattern in self.core.policy.required(event) {
            if !members.iter().any(|member| matches(&member.id, pattern)) {
                let rpc = self.message.rpc.name;
                let message =
                    format!("plugin {pattern} is required for {rpc} and is not connected");
                return Err(RequestError::new(Reason::MissingPlugin, None, message));
            }
        }
        Ok(())
    }

    pub(super) async fn visit(
        &mut self,
        member: &Arc<Member>,
        answers: &mut dyn Answers,
    ) -> Result<(), RequestError> {
        if !member.events.contains(self.message.event) {
            self.note(member, OutcomeResult::NotSubscribed, None);
            return Ok(());
        }
        let waits = EventKind::of(self.message.event) == EventKind::Consent;
        match member.admit(&mut self.message, &answers.content(), waits) {
            Admission::Direct => self.send(member, answers).await,
            Admission::Waiting(answer) => {
                let within = self.core.request_timeout;
                match timeout(within, answer).await {
                    Ok(Ok(delivery)) => self.conclude(member, delivery, answers).await,
                    Ok(Err(_)) => {
                        self.absent(member, OutcomeResult::Disconnected, CONNECTION_CLOSED)
                    }
                    Err(_) => self.absent(member, OutcomeResult::Queued, "still synchronizing"),
                }
            }
            Admission::Queued => {
                self.note(member, OutcomeResult::Queued, None);
                Ok(())
            }
            Admission::Full(limit) => {
                let reason =
                    format!("more than {limit} events occurred while the plugin synchronized");
                tracing::error!("closing plugin {}: {reason}", member.full_name);
                self.core.disconnect(member);
                self.absent(member, OutcomeResult::Disconnected, &reason)
            }
            Admission::Closed => {
                self.absent(member, OutcomeResult::Disconnected, CONNECTION_CLOSED)
            }
        }
    }

    async fn send(
        &mut self,
        member: &Arc<Member>,
        answers: &mut dyn Answers,
    ) -> Result<(), RequestError> {
        let turn = member.turn().await;
        if member.caller.is_closed() {
            return self.absent(member, OutcomeResult::Disconnected, CONNECTION_CLOSED);
        }
        let delivery =
            exchange(self.core, member, &mut self.message, Some(answers.content())).await;
        drop(turn);
        self.conclude(member, delivery, answers).await
    }

    async fn conclude(
        &mut self,
        member: &Arc<Member>,
        (mut outcome, result): Delivery,
        answers: &mut dyn Answers,
    ) -> Result<(), RequestError> {
        let failure = match result {
            Ok(answer) => self.take(member, answer, &mut outcome, answers).await,
            Err(error) => assess(self.core, member, &error, &mut outcome),
        };
        self.outcomes.push(outcome);
        failure.map_or(Ok(()), Err)
    }

    async fn take(
        &mut self,
        member: &Arc<Member>,
        answer: Body,
        outcome: &mut Outcome,
        answers: &mut dyn Answers,
    ) -> Option<RequestError> {
        member.reset_timeouts();
        let answer = self.known(member, answer, outcome);
        // Until the answer is merged.
        let _share = match &answer {
            Body::Encoded(encoded) => self.core.intake.answer(encoded).await,
            Body::Message(_) => None,
        };
        let read = intake::decode_answer(self.message.event, answer).await;
        let taken = match read {
            Ok(decoded) => answers.take(self.core, member, decoded),
            Err(status) => Err(RequestError::unreadable(&member.full_name, &status.message)),
        };
        match taken {
            Ok(changed) => {
                if changed {
                    self.message.renew();
                }
                self.accepted.push(Arc::clone(member));
                None
            }
            Err(unusable) => {
                let fails = self.core.error_fails(member, self.message.event);
                outcome.result = OutcomeResult::of_error(fails);
                outcome.error = Some(unusable.to_string());
                if !fails {
                    let (name, rpc) = (&member.full_name, self.message.rpc.name);
                    tracing::warn!("ignoring the answer of plugin {name} to {rpc}: {unusable}");
                }
                fails.then_some(unusable)
            }
        }
    }

    /// Removes the fields of an answer that the release does not know, as a runtime of that release
    /// does not read them.
    fn known(&self, member: &Member, answer: Body, outcome: &mut Outcome) -> Body {
        let revision = &self.core.revision;
        if !revision.lacks_fields() {
            return answer;
        }
        let (rpc, encoded) = (self.message.rpc.name, answer.into_bytes());
        let (message, release) = (format!("{rpc}Response"), revision.release());
        let newer = newer_than(&message, &encoded, release);
        if newer.is_empty() {
            return Body::Encoded(encoded);
        }
        for Newer { field, since, .. } in newer {
            tracing::warn!(
                "ignoring `{field}` in the answer of plugin {} to {rpc}: NRI {release} does not know it, it was added in {since}",
                member.full_name
            );
            outcome.ignored_fields.push(field);
        }
        Body::Encoded(revision.without_newer(&message, &encoded))
    }

    /// Notes a plugin that could not be asked.
    fn absent(
        &mut self,
        member: &Arc<Member>,
        result: OutcomeResult,
        reason: &str,
    ) -> Result<(), RequestError> {
        self.note(member, result, Some(reason));
        if !self.core.absence_fails(member, self.message.event) {
            return Ok(());
        }
        let plugin = &member.full_name;
        let rpc = self.message.rpc.name;
        let message = format!("plugin {plugin} is required for {rpc}: {reason}");
        Err(RequestError::new(Reason::NoAnswer, Some(Arc::clone(plugin)), message))
    }

    fn note(&mut self, member: &Member, result: OutcomeResult, error: Option<&str>) {
        let (plugin, event) = (Arc::clone(&member.full_name), self.message.event);
        let mut outcome = Outcome::without_call(plugin, event, result);
        outcome.error = error.map(str::to_owned);
        self.outcomes.push(outcome);
    }
}

/// The error of a plugin that is gone before a request reaches it.
const CONNECTION_CLOSED: &str = "connection closed";
