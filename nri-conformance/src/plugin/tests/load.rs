//! P5, W10 and W11: exactly one answer, in time, also under load.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

use nri::adaptation::Revision;
use nri::api::{Container, Event, SynchronizeRequest};
use nri::wire::CallError;
use nri::wire::frame::Kind;
use tokio::time::sleep;

use crate::plugin::bench::Bench;
use crate::plugin::verdict::{IN_TIME, Judged, blocked, fail, in_the_way, skip, unconfigured};
use crate::session::{Answer, Direction, describe};

/// The number of concurrent requests, about different pods.
const AT_ONCE: usize = 16;

pub(in crate::plugin) async fn in_time(bench: &Bench, revision: &Revision) -> Judged {
    let (instance, session) = bench.registered(revision).await?;
    let within = bench.options.timeouts.request;
    let expected = format!("an answer within {within:?}");
    let request = session.configuration(&bench.options.config);
    let mask = match session.configure(&request).await {
        Ok(answer) => answer.events,
        Err(error @ CallError::Timeout(_)) => return fail("Configure", describe(&error), expected),
        Err(error) => return Err(unconfigured(&error)),
    };
    if let Err(error @ CallError::Timeout(_)) =
        session.synchronize(&SynchronizeRequest::default()).await
    {
        return fail("Synchronize", describe(&error), expected);
    }
    let live = crate::plugin::live::Live::new(instance, session, mask);
    let (pod, container) = bench.pod_and_container();
    for event in live.life() {
        let answer = live.send(event, &pod, &container).await;
        if is_late(&answer) {
            return fail(answer.sent(), answer.got(), expected);
        }
    }
    Ok(())
}

fn is_late(answer: &Answer) -> bool {
    matches!(answer.result, Err(CallError::Timeout(_)))
}

pub(in crate::plugin) async fn once(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    let (pod, container) = bench.pod_and_container();
    for event in live.life() {
        let answer = live.send(event, &pod, &container).await;
        if is_late(&answer) {
            return Err(in_the_way(&answer));
        }
    }
    // A second answer would follow the first.
    sleep(bench.moment()).await;
    let trace = live.session.trace();
    let mut answers = BTreeMap::new();
    for message in trace.messages(Direction::FromPlugin) {
        if message.connection == 1 && message.kind == Kind::Response {
            *answers.entry(message.stream).or_insert(0) += 1;
        }
    }
    for (stream, count) in answers {
        let asked = trace
            .messages(Direction::ToPlugin)
            .iter()
            .any(|message| message.connection == 1 && message.stream == stream);
        let sent = if asked { "one request" } else { "no request" };
        if count > 1 || !asked {
            let sent = format!("{sent} on stream {stream}");
            return fail(sent, format!("{count} answers"), "one answer per request");
        }
    }
    Ok(())
}

pub(in crate::plugin) async fn under_load(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    let mut world = bench.world();
    let Some(first) = live.life().next() else {
        return skip("subscribes to no event");
    };
    let alone = world.pod();
    for event in live.life() {
        let answer = live.send(event, &alone, &world.container(&alone)).await;
        if is_late(&answer) {
            return Err(in_the_way(&answer));
        }
    }
    let pods: Vec<_> = (0..AT_ONCE).map(|_| world.pod()).collect();
    let containers: Vec<Container> = pods.iter().map(|pod| world.container(pod)).collect();
    let events: Vec<Event> = [first].into_iter().chain(live.life().skip(1)).collect();
    for event in events {
        let calls = pods
            .iter()
            .zip(&containers)
            .map(|(pod, container)| live.send(event, pod, container));
        let answers = all(calls).await;
        if let Some(late) = answers.iter().find(|answer| is_late(answer)) {
            if live.session.arrivals().pending_updates() > 0 {
                let sent = format!("{}, while it sends updates", late.sent());
                return Err(blocked("W14", sent, late.got(), IN_TIME));
            }
            let sent = format!("{AT_ONCE} requests at once: {}", late.sent());
            let within = bench.options.timeouts.request;
            return fail(sent, late.got(), format!("each answer within {within:?}"));
        }
        if live.session.is_closed() {
            let sent = format!("{AT_ONCE} requests at once");
            return Err(blocked("W4", sent, "the end of the connection", "answers"));
        }
    }
    Ok(())
}

/// Waits for several futures at once.
async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<Pin<Box<F>>> = futures.map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (future, output) in running.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(done) = future.as_mut().poll(cx)
            {
                *output = Some(done);
            }
        }
        if outputs.iter().all(Option::is_some) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    outputs.into_iter().flatten().collect()
}
