//! The plugins' answers, merged by kind of event.

use std::sync::Arc;

use nri::api::{
    ContainerAdjustment, CreateContainerResponse, Empty, Event, PodSandbox, UpdateContainerResponse,
};

use nri::__private::{Changes, changes, downcast};
use nri::codec::Message as _;
use nri::plugin::Body;
use nri::wire::MAX_MESSAGE;

use super::core::Core;
use super::intake::SMALL;
use super::member::Member;
use super::merge::{CreateCollector, MergeError, UpdateCollector};
use super::message::Content;
use super::outcome::{Reason, RequestError};
use super::relay::Answers;

/// The largest request in bytes that the answers may make: a message without its envelope, which
/// names the RPC.
const MAX_REQUEST: usize = MAX_MESSAGE - (4 << 10);

/// Answers of events that have none: they only have to be readable.
pub(super) struct Empties<'a>(pub(super) Content<'a>);

impl Answers for Empties<'_> {
    fn content(&self) -> Content<'_> {
        self.0
    }

    fn take(&mut self, _: &Core, member: &Member, answer: Body) -> Result<bool, RequestError> {
        match answer {
            Body::Encoded(_) => read::<Empty>(member, answer).map(|Empty {}| false),
            // The plugin's response of this type has no fields.
            Body::Message(_) => Ok(false),
        }
    }
}

/// Answers to CreateContainer.
pub(super) struct Creation<'a> {
    pub(super) pod: &'a PodSandbox,
    pub(super) collector: CreateCollector,
    /// The plugin with the largest answer, and the size of the answer in bytes.
    pub(super) largest: Option<(Arc<str>, usize)>,
}

impl Creation<'_> {
    fn note(&mut self, member: &Member, size: usize) {
        if self.largest.as_ref().is_none_or(|(_, largest)| *largest < size) {
            self.largest = Some((Arc::clone(&member.full_name), size));
        }
    }
}

/// Checks that the request about a merged adjustment fits into a message. The plugin with the
/// largest answer is to blame, and no validator.
pub(super) fn fits_validators(
    size: usize,
    largest: Option<(Arc<str>, usize)>,
) -> Result<(), RequestError> {
    if size <= MAX_REQUEST {
        return Ok(());
    }
    let blamed = largest.as_ref().map(|(plugin, answer)| {
        format!(": plugin {plugin} asked for the most, with an answer of {answer} bytes")
    });
    let message = format!(
        "the adjustments are too large for validators: the request would have {size} bytes, at most {MAX_REQUEST} fit{}",
        blamed.unwrap_or_default()
    );
    Err(RequestError::new(Reason::TooLarge, largest.map(|(plugin, _)| plugin), message))
}

impl Answers for Creation<'_> {
    fn content(&self) -> Content<'_> {
        Content::container(self.pod, self.collector.container())
    }

    fn take(&mut self, core: &Core, member: &Member, answer: Body) -> Result<bool, RequestError> {
        let (grows, encoded) = (is_large(member, &answer), encoded_len(&answer));
        let answer: CreateContainerResponse = read(member, answer)?;
        self.note(member, encoded.unwrap_or_else(|| answer.encoded_len()));
        let (updates, evictions) = (answer.update.len(), answer.evict.len());
        let adjustment = answer.adjust.as_ref();
        let rpc = "CreateContainer";
        core.metrics.adjustments(&member.full_name, rpc, adjustment, updates, evictions);
        let changes = adjustment.is_some_and(|asked| *asked != ContainerAdjustment::default());
        let (event, pod) = (Event::CreateContainer, self.pod);
        merge(core, member, event, &mut self.collector, |collector| {
            collector.apply(&member.full_name, answer).map_err(|error| conflict(member, &error))?;
            let next = || Content::container(pod, collector.container());
            if grows { fits(member, event, next()) } else { Ok(()) }
        })?;
        Ok(changes)
    }
}

/// Answers that may update other containers, and in the case of UpdateContainer that of the
/// request.
pub(super) struct Updates<'a> {
    pub(super) event: Event,
    pub(super) content: Content<'a>,
    pub(super) collector: UpdateCollector,
}

impl Answers for Updates<'_> {
    fn content(&self) -> Content<'_> {
        match self.collector.resources() {
            Some(resources) => self.content.with_resources(resources),
            None => self.content,
        }
    }

    fn take(&mut self, core: &Core, member: &Member, answer: Body) -> Result<bool, RequestError> {
        let grows = is_large(member, &answer);
        let (update, evict) = if self.event == Event::UpdateContainer {
            let answer: UpdateContainerResponse = read(member, answer)?;
            (answer.update, answer.evict)
        } else {
            let Changes { update, evict, .. } = changes(self.event, &answer.into_bytes())
                .map_err(|error| RequestError::unreadable(&member.full_name, &error))?
                .unwrap_or_default();
            (update, evict)
        };
        let (name, rpc) = (&*member.full_name, self.event.name());
        core.metrics.adjustments(name, rpc, None, update.len(), evict.len());
        let changes = self.collector.resources().is_some() && !update.is_empty();
        let (event, content) = (self.event, self.content);
        merge(core, member, event, &mut self.collector, |collector| {
            let applied = collector.apply(name, update, evict);
            applied.map_err(|error| conflict(member, &error))?;
            match collector.resources() {
                Some(resources) if grows => fits(member, event, content.with_resources(resources)),
                Some(_) | None => Ok(()),
            }
        })?;
        Ok(changes)
    }
}

/// Merges an answer. An answer that cannot be merged has no effect if the request continues without
/// it.
fn merge<C: Clone>(
    core: &Core,
    member: &Member,
    event: Event,
    collector: &mut C,
    apply: impl FnOnce(&mut C) -> Result<(), RequestError>,
) -> Result<(), RequestError> {
    let before = (!core.error_fails(member, event)).then(|| collector.clone());
    let merged = apply(collector);
    if let (Err(_), Some(before)) = (&merged, before) {
        *collector = before;
    }
    merged
}

fn conflict(member: &Member, error: &MergeError) -> RequestError {
    unusable(member, Reason::Conflict, error.to_string())
}

/// Returns the size of an answer, unless it is a message already.
fn encoded_len(answer: &Body) -> Option<usize> {
    match answer {
        Body::Encoded(encoded) => Some(encoded.len()),
        Body::Message(_) => None,
    }
}

/// Returns true if an answer may be what makes the request to the next plugin too large. Plugins in
/// the process answer with messages that are not encoded, and are trusted; other answers are
/// messages if they were large.
fn is_large(member: &Member, answer: &Body) -> bool {
    match answer {
        Body::Encoded(encoded) => encoded.len() > SMALL,
        Body::Message(_) => member.direct.is_none(),
    }
}

/// Checks that the request to the next plugin fits into a message with the answer of this one: its
/// sender is to blame, not the next plugin.
fn fits(member: &Member, event: Event, next: Content<'_>) -> Result<(), RequestError> {
    let size = next.encode(event).len();
    if size <= MAX_REQUEST {
        return Ok(());
    }
    let (plugin, rpc) = (&member.full_name, event.name());
    let message = format!(
        "plugin {plugin} asked for too much: the {rpc} request to the next plugin would have {size} bytes, at most {MAX_REQUEST} fit"
    );
    Err(unusable(member, Reason::TooLarge, message))
}

/// Reads an answer.
pub(super) fn read<M: nri::codec::Message + 'static>(
    member: &Member,
    answer: Body,
) -> Result<M, RequestError> {
    let read = match answer {
        Body::Encoded(encoded) => M::decode(encoded).map_err(|error| error.to_string()),
        Body::Message(message) => {
            downcast(message).ok_or_else(|| "it is of another type".to_owned())
        }
    };
    read.map_err(|error| RequestError::unreadable(&member.full_name, &error))
}

/// Returns the error for an answer that cannot be used.
pub(super) fn unusable(member: &Member, reason: Reason, message: String) -> RequestError {
    RequestError::new(reason, Some(Arc::clone(&member.full_name)), message)
}
