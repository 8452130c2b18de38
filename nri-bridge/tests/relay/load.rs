//! Many pods and events.

use std::time::Duration;

use bytes::Bytes;
use nri::api::{Container, Event, EventMask, StartContainerRequest, SynchronizeRequest};
use nri::codec::Message as _;
use nri_adaptation::{Builder, RuntimeCallbacks};

use crate::bare::{Bare, PATIENCE};
use crate::old::{Behaviour, Behind, Bridged, Old, container, handled, pod};

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
    let settings = |builder: Builder| builder.callbacks(ManyContainers).request_timeout(limit);
    let bridged = Bridged::with(settings, Old::new(handled(), Behaviour::Answers)).await;
    let requests = bridged.plugin.requests.lock().expect("no panic").clone();
    let parts: Vec<_> = requests
        .iter()
        .filter(|(method, _)| method == "Synchronize")
        .map(|(_, part)| SynchronizeRequest::decode(&part[..]).expect("a message"))
        .collect();
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

/// The runtime is none of ours: it would take half of the time.
#[tokio::test]
async fn many_events_of_each_kind_arrive_once_and_in_order() {
    const ROUNDS: usize = 10_000;
    let mask = CARRIED.into_iter().fold(EventMask::EMPTY, EventMask::with);
    let plugin = Old::new(mask, Behaviour::Answers);
    let behind = Behind::start(&plugin);
    let runtime = Bare::over(behind.stream);
    behind.registered.await.expect("no panic");
    runtime.admit().await;
    // The fields of all their requests have the same numbers.
    let request = StartContainerRequest { pod: Some(pod()), container: Some(container()) };
    let payload = Bytes::from(request.encode_to_vec());
    for _ in 0..ROUNDS {
        for event in CARRIED {
            let answer = runtime.send(event, payload.clone(), PATIENCE).await;
            assert_eq!(answer.expect("it passes"), Bytes::new(), "{event:?}");
        }
    }
    let called = plugin.called();
    let arrived: Vec<_> =
        called.iter().filter_map(|call| call.strip_prefix("StateChange ")).collect();
    let expected: Vec<_> = CARRIED
        .iter()
        .map(|event| event.as_str_name())
        .cycle()
        .take(ROUNDS * CARRIED.len())
        .collect();
    assert!(arrived == expected, "{} events arrived", arrived.len());
    // Each RPC was tried once: the refusals, Configure and Synchronize.
    assert_eq!(called.len() - arrived.len(), CARRIED.len() + 2);
}
