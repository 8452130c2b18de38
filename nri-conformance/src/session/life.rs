//! The events of a pod with one container.

use nri::api::Event;

/// Every event, in the order in which a runtime sends them.
pub(crate) const LIFE: [Event; 14] = [
    Event::RunPodSandbox,
    Event::UpdatePodSandbox,
    Event::PostUpdatePodSandbox,
    Event::CreateContainer,
    Event::ValidateContainerAdjustment,
    Event::PostCreateContainer,
    Event::StartContainer,
    Event::PostStartContainer,
    Event::UpdateContainer,
    Event::PostUpdateContainer,
    Event::StopContainer,
    Event::RemoveContainer,
    Event::StopPodSandbox,
    Event::RemovePodSandbox,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nri_adaptation::Revision;

    use super::LIFE;

    #[test]
    fn a_life_has_every_event_once() {
        let known = Revision::rpcs().iter().filter_map(|rpc| rpc.event);
        let known: BTreeSet<i32> = known.map(i32::from).collect();
        let life: BTreeSet<i32> = LIFE.into_iter().map(i32::from).collect();
        assert_eq!((LIFE.len(), life), (known.len(), known));
    }
}
