//! Many pods and events.

use std::time::Duration;

use nri::api::{Container, Event, EventMask, SynchronizeRequest};
use nri::codec::Message as _;
use nri_adaptation::{Adaptation, OutcomeResult, RuntimeCallbacks};

use crate::old::{Behaviour, Bridged, Old, container, handled, pod};

/// A runtime whose containers do not fit into one message.
struct ManyContainers;

/// The number of its containers.
const MANY: usize = 100_000;

fn id(number: usize) -> String {
    format!("{number:064x}")
}

impl RuntimeCallbacks for ManyContainers {
    async fn synchronize(&self, state: &mut nri_adaptation::State) -> nri::Result<()> {
        for number in 0..MANY {
            let (id, pod_sandbox_id) = (id(number), id(number / 2));
            state.add_container(&Container { id, pod_sandbox_id, ..Container::default() });
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_split_state_arrives_in_its_parts() {
    let limit = Duration::from_secs(120);
    let builder = Adaptation::builder("containerd", "v2.7.0").without_state_change();
    let builder = builder.callbacks(ManyContainers).request_timeout(limit);
    let adaptation = builder.start().await.expect("it starts");
    let bridged = Bridged::with(adaptation, Old::new(handled(), Behaviour::Answers)).await;
    let requests = bridged.plugin.requests.lock().expect("no panic").clone();
    let parts = requests.iter().filter(|(method, _)| method == "Synchronize");
    let parts = parts.map(|(_, part)| SynchronizeRequest::decode(&part[..]).expect("a message"));
    let parts: Vec<_> = parts.collect();
    assert!(parts.len() > 1, "{} parts", parts.len());
    let (last, others) = parts.split_last().expect("parts");
    assert!(!last.more && others.iter().all(|part| part.more));
    let arrived = parts.iter().flat_map(|part| &part.containers);
    assert!(arrived.map(|container| container.id.clone()).eq((0..MANY).map(id)));
    assert_eq!(bridged.state.serving(), 1);
}

/// The events that never had another carrier than StateChange before NRI v0.12.0.
const CARRIED: [Event; 9] = [
    Event::RunPodSandbox,
    Event::PostUpdatePodSandbox,
    Event::PostCreateContainer,
    Event::StartContainer,
    Event::PostStartContainer,
    Event::PostUpdateContainer,
    Event::RemoveContainer,
    Event::StopPodSandbox,
    Event::RemovePodSandbox,
];

#[tokio::test]
async fn many_events_of_each_kind_arrive_once_and_in_order() {
    const ROUNDS: usize = if cfg!(feature = "slow-tests") { 10_000 } else { 1_000 };
    let mask = CARRIED.into_iter().fold(EventMask::EMPTY, EventMask::with);
    let bridged = Bridged::start(Old::new(mask, Behaviour::Answers)).await;
    for _ in 0..ROUNDS {
        for event in CARRIED {
            let sent = bridged.adaptation.send(event, &pod(), Some(&container())).await;
            let sent = sent.expect("it passes");
            assert_eq!(sent.outcomes[0].result, OutcomeResult::Answered, "{event:?}");
        }
    }
    let called = bridged.plugin.called();
    let arrived: Vec<_> =
        called.iter().filter_map(|call| call.strip_prefix("StateChange ")).collect();
    let expected = CARRIED.iter().map(|event| event.as_str_name()).cycle();
    let expected: Vec<_> = expected.take(ROUNDS * CARRIED.len()).collect();
    assert!(arrived == expected, "{} events arrived", arrived.len());
    // Each RPC was tried once: the refusals, Configure and Synchronize.
    assert_eq!(called.len() - arrived.len(), CARRIED.len() + 2);
}
