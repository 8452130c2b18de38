//! P5, W10 and W11: exactly one answer, in time, also under load.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use nri::__private::wire::Kind;
use nri::api::SynchronizeRequest;
use nri::wire::CallError;
use nri_adaptation::Revision;
use tokio::time::sleep;

use crate::plugin::bench::{Bench, MOMENT};
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::{Live, Taken};
use crate::plugin::verdict::{
    IN_TIME, Judged, ONCE, Verdict, answered_twice, blocked, fail, in_the_way, skip, unconfigured,
};
use crate::session::world::{Sample, World};
use crate::session::{Answer, describe};
use crate::tapped::Party;

pub(super) static TESTS: &[Test] = tests! {
    ["P5"] "answers-in-time" BothWays in_time;
    ["W10"] "answers-once" BothWays once;
    ["W11"] "answers-in-time-under-load" BothWays under_load;
};

/// The number of concurrent requests, about different pods.
const AT_ONCE: usize = 16;

/// The number of times that so many pods come and go, in a usual run and in a soak test.
const ROUNDS: usize = 30;
const SOAK_ROUNDS: usize = 3_000;

/// The time after which no further round begins, in a usual run and in a soak test.
const LOAD_TIME: Duration = Duration::from_secs(15);
const SOAK_TIME: Duration = Duration::from_secs(600);

async fn in_time(bench: &Bench, revision: &Revision) -> Judged {
    let (instance, session) = bench.registered(revision).await?;
    let within = bench.options.timeouts.request;
    let expected = format!("an answer within {within:?}");
    let request = session.configuration(&bench.options.config);
    let mask = match session.configure(&request).await {
        Ok(answer) => answer.events,
        Err(error @ CallError::Timeout(_)) => return fail("Configure", describe(&error), expected),
        Err(error) => return Err(unconfigured(&error)),
    };
    let state = SynchronizeRequest::default();
    if let Err(error @ CallError::Timeout(_)) = session.synchronize(&state, within).await {
        return fail("Synchronize", describe(&error), expected);
    }
    let live = Live::new(bench.options.runtime, instance, session, mask);
    let samples = [bench.sample(), bench.sample()];
    // The second pod begins while the first one runs.
    for event in live.life() {
        for sample in &samples {
            let answer = live.send(event, sample).await;
            if is_late(&answer) {
                return fail(answer.sent(), answer.got(), expected);
            }
            if live.session.is_closed() {
                return Err(in_the_way(&answer));
            }
        }
    }
    Ok(())
}

fn is_late(answer: &Answer) -> bool {
    matches!(answer.result, Err(CallError::Timeout(_)))
}

async fn once(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    let sample = bench.sample();
    for event in live.life() {
        let answer = live.send(event, &sample).await;
        if is_late(&answer) {
            return Err(in_the_way(&answer));
        }
    }
    // A second answer would follow the first.
    sleep(MOMENT).await;
    let trace = live.session.trace();
    if let Some(failure) = answered_twice(trace) {
        return Err(Verdict::Fail(failure));
    }
    let asked = trace.messages(Party::Runtime);
    for answer in trace.messages(Party::Plugin) {
        let is_answer = answer.connection == 1 && answer.header.kind == Kind::Response;
        let stream = answer.header.stream;
        let is_asked = asked
            .iter()
            .any(|message| message.connection == 1 && message.header.stream == stream);
        if is_answer && !is_asked {
            return fail(format!("no request on stream {stream}"), "an answer", ONCE);
        }
    }
    Ok(())
}

async fn under_load(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    if live.life().next().is_none() {
        return skip("subscribes to no event");
    }
    let mut world = bench.world();
    let mut taken = Taken::default();
    let alone = [world.sample(), world.sample()];
    for event in live.life() {
        for sample in &alone {
            taken.send(&live, event, sample).await?;
        }
    }
    let (rounds, time) = if bench.options.soak {
        (SOAK_ROUNDS, SOAK_TIME)
    } else {
        (ROUNDS, LOAD_TIME)
    };
    let deadline = Instant::now() + time;
    for round in 0..rounds {
        if round > 0 && Instant::now() > deadline {
            break;
        }
        if let Some(late) = load(&live, &mut world, &mut taken).await? {
            return late_under_load(bench, revision, &live, &late, round + 1).await;
        }
    }
    Ok(())
}

/// Sends each event of many pods at once. Returns an answer that is late.
async fn load(live: &Live, world: &mut World, taken: &mut Taken) -> Judged<Option<Answer>> {
    let samples: Vec<Sample> = (0..AT_ONCE).map(|_| world.sample()).collect();
    for event in live.life() {
        let calls = samples.iter().map(|sample| live.send(event, sample));
        let mut answers = all(calls).await;
        if let Some(late) = answers.iter().position(is_late) {
            return Ok(Some(answers.swap_remove(late)));
        }
        for answer in &answers {
            taken.judge(live, event, answer)?;
        }
    }
    Ok(None)
}

/// Judges a plugin that was late in a round under load.
async fn late_under_load(
    bench: &Bench,
    revision: &Revision,
    live: &Live,
    late: &Answer,
    rounds: usize,
) -> Judged {
    if !live.session.arrivals().updates().is_empty() {
        let sent = format!("{}, while it sends updates", late.sent());
        return Err(blocked("W14", sent, late.got(), IN_TIME));
    }
    without_load(bench, revision, rounds).await?;
    let within = bench.options.timeouts.request;
    let sent = format!("{AT_ONCE} requests at once: {}", late.sent());
    fail(sent, late.got(), format!("each answer within {within:?}"))
}

/// Sends as many requests as so many rounds have, one at a time, to a new instance. A plugin that is late without load as well
/// breaks P5.
async fn without_load(bench: &Bench, revision: &Revision, rounds: usize) -> Judged {
    let live = bench.serving(revision).await?;
    let mut world = bench.world();
    for _ in 0..(rounds + 1) * AT_ONCE {
        let sample = world.sample();
        for event in live.life() {
            let answer = live.send(event, &sample).await;
            if is_late(&answer) {
                return Err(in_the_way(&answer));
            }
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
