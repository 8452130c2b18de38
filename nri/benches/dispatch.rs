//! Dispatch alone: bytes in, bytes out, no transport. `cargo bench -p nri --bench dispatch`.
//!
//! Each line shows the cost of decoding a request, and what dispatch adds to it; the target is at
//! most 2 us.
#![allow(deprecated)]

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context as Task, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::api::{CreateContainerRequest, PostStartContainerRequest, StateChangeEvent};
use nri::codec::Message;
use nri::plugin::dispatch;
use nri::prelude::*;

const ROUNDS: usize = 300;
const CALLS: u32 = 300;

#[derive(NriPlugin)]
struct Dedicated;

impl PostStartContainer for Dedicated {
    async fn post_start_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<()> {
        black_box((&pod, &container));
        Ok(())
    }
}

impl CreateContainer for Dedicated {
    async fn create_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        black_box((&pod, &container));
        Ok(Adjustment::default())
    }
}

#[derive(NriPlugin)]
#[allow(deprecated)]
struct Legacy;

impl StateChange for Legacy {
    async fn state_change(
        &self,
        _: &EventContext,
        _: Event,
        pod: PodSandbox,
        container: Option<Container>,
    ) -> nri::Result<()> {
        black_box((&pod, &container));
        Ok(())
    }
}

#[derive(NriPlugin)]
struct Unrelated;

impl RunPodSandbox for Unrelated {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn answer<P: nri::plugin::Plugin>(plugin: &P, method: &str, payload: &Bytes) {
    let cx = EventContext::default();
    let mut dispatched = pin!(dispatch(plugin, &cx, method, payload.clone()));
    match dispatched.as_mut().poll(&mut Task::from_waker(Waker::noop())) {
        Poll::Ready(Ok(answer)) => drop(black_box(answer)),
        other => panic!("{method}: {other:?}"),
    }
}

/// Returns the time of one call, on average over a round.
fn round(call: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    (0..CALLS).for_each(|_| call());
    start.elapsed() / CALLS
}

/// Returns the lower quartile, as other work on the machine only makes rounds slower.
fn quartile(mut rounds: Vec<Duration>) -> Duration {
    rounds.sort_unstable();
    rounds[ROUNDS / 4]
}

/// Prints what a dispatch costs with and without decoding, measured by turns.
fn report(name: &str, mut decode: impl FnMut(), mut dispatch: impl FnMut()) {
    let (decoded, dispatched) =
        (0..ROUNDS).map(|_| (round(&mut decode), round(&mut dispatch))).unzip();
    let decoding = quartile(decoded);
    let dispatching = quartile(dispatched).saturating_sub(decoding);
    println!("{name:<40} decoding {decoding:>9.2?}, dispatch {dispatching:>9.2?}");
}

fn labels() -> impl Iterator<Item = (String, String)> {
    (0..10).map(|n| (format!("example.com/label-{n}"), format!("value of label {n}")))
}

fn pod_and_container() -> (Option<PodSandbox>, Option<Container>) {
    let pod = PodSandbox {
        id: "0123456789abcdef".repeat(4),
        name: "web-7c5ddbdf54-x2x7k".to_owned(),
        namespace: "default".to_owned(),
        labels: labels().collect(),
        annotations: labels().collect(),
        ..PodSandbox::default()
    };
    let container = Container {
        id: "fedcba9876543210".repeat(4),
        pod_sandbox_id: pod.id.clone(),
        name: "server".to_owned(),
        labels: labels().collect(),
        annotations: labels().collect(),
        ..Container::default()
    };
    (Some(pod), Some(container))
}

fn main() {
    let (pod, container) = pod_and_container();
    let event = Event::PostStartContainer as i32;
    let change: Bytes = StateChangeEvent { event, pod: pod.clone(), container: container.clone() }
        .encode_to_vec()
        .into();
    let create: Bytes = CreateContainerRequest { pod: pod.clone(), container: container.clone() }
        .encode_to_vec()
        .into();
    let started: Bytes = PostStartContainerRequest { pod, container }.encode_to_vec().into();
    let decode_started =
        || drop(black_box(PostStartContainerRequest::decode(black_box(&*started))));
    let decode_create = || drop(black_box(CreateContainerRequest::decode(black_box(&*create))));
    let decode_change = || drop(black_box(StateChangeEvent::decode(black_box(&*change))));
    report("PostStartContainer", decode_started, || {
        answer(&Dedicated, "PostStartContainer", &started)
    });
    report("CreateContainer", decode_create, || answer(&Dedicated, "CreateContainer", &create));
    report("StateChange to PostStartContainer", decode_started, || {
        answer(&Dedicated, "StateChange", &change)
    });
    report("PostStartContainer to StateChange", decode_change, || {
        answer(&Legacy, "PostStartContainer", &started)
    });
    report(
        "PostStartContainer without handler",
        || (),
        || answer(&Unrelated, "PostStartContainer", &started),
    );
}
