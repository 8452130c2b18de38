//! The plugins' answers, merged by kind of event.

use bytes::Bytes;

use crate::api::{
    Container, ContainerAdjustment, CreateContainerResponse, Empty, Event, LinuxResources,
    PodSandbox, StopContainerResponse, UpdateContainerResponse,
};

use super::core::Core;
use super::member::Member;
use super::merge::{CreateCollector, MergeError, UpdateCollector};
use super::message::{add_resources, of_container};
use super::outcome::Reason;
use super::relay::{Answers, Unusable};

/// The field of UpdateContainerRequest that holds the resources.
const UPDATE_RESOURCES: u32 = 3;

/// Answers of events that have none: they only have to be readable.
pub(super) struct Empties;

impl Answers for Empties {
    fn take(
        &mut self,
        _: &Core,
        member: &Member,
        answer: Bytes,
    ) -> Result<Option<Vec<u8>>, Unusable> {
        read::<Empty>(member, answer).map(|Empty {}| None)
    }
}

/// Answers to CreateContainer.
pub(super) struct Creation<'a> {
    pub(super) pod: &'a PodSandbox,
    pub(super) collector: CreateCollector,
}

impl Answers for Creation<'_> {
    fn take(
        &mut self,
        core: &Core,
        member: &Member,
        answer: Bytes,
    ) -> Result<Option<Vec<u8>>, Unusable> {
        let answer: CreateContainerResponse = read(member, answer)?;
        let (updates, evictions) = (answer.update.len(), answer.evict.len());
        let adjustment = answer.adjust.as_ref();
        let rpc = "CreateContainer";
        core.metrics
            .adjustments(&member.full_name, rpc, adjustment, updates, evictions);
        let changes = adjustment.is_some_and(|asked| *asked != ContainerAdjustment::default());
        let event = Event::CreateContainer;
        merge(core, member, event, &mut self.collector, |collector| {
            collector.apply(&member.full_name, answer)
        })?;
        Ok(changes.then(|| of_container(self.pod, self.collector.container())))
    }
}

/// Answers to UpdateContainer.
pub(super) struct Update<'a> {
    pub(super) pod: &'a PodSandbox,
    pub(super) container: &'a Container,
    pub(super) collector: UpdateCollector,
}

impl Answers for Update<'_> {
    fn take(
        &mut self,
        core: &Core,
        member: &Member,
        answer: Bytes,
    ) -> Result<Option<Vec<u8>>, Unusable> {
        let UpdateContainerResponse { update, evict } = read(member, answer)?;
        let (name, rpc) = (&*member.full_name, "UpdateContainer");
        core.metrics
            .adjustments(name, rpc, None, update.len(), evict.len());
        let changes = !update.is_empty();
        let event = Event::UpdateContainer;
        merge(core, member, event, &mut self.collector, |collector| {
            collector.apply(name, update, evict)
        })?;
        let resources = self.collector.resources().filter(|_| changes);
        Ok(resources.map(|resources| of_update(self.pod, self.container, resources)))
    }
}

/// Answers to StopContainer.
pub(super) struct Stop {
    pub(super) collector: UpdateCollector,
}

impl Answers for Stop {
    fn take(
        &mut self,
        core: &Core,
        member: &Member,
        answer: Bytes,
    ) -> Result<Option<Vec<u8>>, Unusable> {
        let StopContainerResponse { update } = read(member, answer)?;
        let (name, rpc) = (&*member.full_name, "StopContainer");
        core.metrics.adjustments(name, rpc, None, update.len(), 0);
        let event = Event::StopContainer;
        merge(core, member, event, &mut self.collector, |collector| {
            collector.apply(name, update, Vec::new())
        })?;
        Ok(None)
    }
}

/// Encodes an UpdateContainerRequest.
pub(super) fn of_update(
    pod: &PodSandbox,
    container: &Container,
    resources: &LinuxResources,
) -> Vec<u8> {
    let mut request = of_container(pod, container);
    add_resources(&mut request, UPDATE_RESOURCES, resources);
    request
}

/// Merges an answer. One that cannot be merged leaves no trace where the request goes on without it.
fn merge<C: Clone>(
    core: &Core,
    member: &Member,
    event: Event,
    collector: &mut C,
    apply: impl FnOnce(&mut C) -> Result<(), MergeError>,
) -> Result<(), Unusable> {
    let before = (!core.error_fails(member, event)).then(|| collector.clone());
    let merged = apply(collector);
    if let (Err(_), Some(before)) = (&merged, before) {
        *collector = before;
    }
    merged.map_err(|error| Unusable {
        reason: Reason::Conflict,
        message: error.to_string(),
    })
}

/// Decodes an answer.
pub(super) fn read<M: prost::Message + Default>(
    member: &Member,
    answer: Bytes,
) -> Result<M, Unusable> {
    M::decode(answer).map_err(|error| Unusable {
        reason: Reason::PluginError,
        message: format!(
            "plugin {} sent an unreadable answer: {error}",
            member.full_name
        ),
    })
}
