//! P5, W10, W11, W13 and W14: exactly one valid answer, in time, also under load, and unsolicited
//! updates.

use std::collections::HashSet;
use std::future::{Future as _, poll_fn};
use std::task::Poll;
use std::time::{Duration, Instant};

use nri::__private::changes;
use nri::__private::wire::Kind;
use nri::adjust::{Adjustment, Invalid, Updates};
use nri::api::{Event, SynchronizeRequest};
use nri::wire::CallError;
use tokio::time::{sleep, timeout};

use crate::incident::Incident;
use crate::plugin::bench::{Bench, MOMENT};
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::{Live, Taken};
use crate::plugin::verdict::{
    IN_TIME, Judged, ONCE, Verdict, answered_twice, blocked, fail, fail_as, in_the_way, skip,
    unconfigured,
};
use crate::session::world::{Sample, World};
use crate::session::{Answer, UpdateAnswer, describe};
use crate::tapped::Party;

pub(super) static TESTS: &[Test] = tests! {
    ["P5"] "answers-in-time" BothWays in_time;
    ["W10"] "answers-once" BothWays once;
    ["W11"] "answers-in-time-under-load" BothWays under_load;
    ["W13"] "adjustments" Newest adjustments;
    ["W14"] "updates-outside-handlers" Newest updates;
    ["W14"] "failed-updates" Newest failed_updates;
};

/// The number of concurrent requests, about different pods.
const AT_ONCE: usize = 16;

/// The number of rounds, in each of which [`AT_ONCE`] pods come and go, in a usual run and in a
/// soak test.
const ROUNDS: usize = 30;
const SOAK_ROUNDS: usize = 3_000;

/// The time after which no further round begins, in a usual run and in a soak test.
const LOAD_TIME: Duration = Duration::from_secs(15);
const SOAK_TIME: Duration = Duration::from_secs(600);

async fn in_time(bench: &Bench) -> Judged {
    let (instance, session) = bench.registered().await?;
    let within = bench.options.timeouts.request;
    let expected = format!("an answer within {within:?}");
    let request = session.configuration(&bench.options.config);
    let mask = match session.configure(&request).await {
        Ok(answer) => answer.events,
        Err(error @ CallError::Timeout(_)) => {
            let incident = Incident::ConfigureFailed;
            return fail_as(incident, "Configure", describe(&error), expected);
        }
        Err(error) => return Err(unconfigured(&error)),
    };
    let state = SynchronizeRequest::default();
    if let Err(error @ CallError::Timeout(_)) = session.synchronize(&state, within).await {
        let incident = Incident::SynchronizeTimeout;
        return fail_as(incident, "Synchronize", describe(&error), expected);
    }
    let live = Live::new(bench.options.runtime, instance, session, mask);
    let samples = [bench.sample(), bench.sample()];
    // The second pod begins while the first one runs.
    for event in live.life() {
        for sample in &samples {
            let answer = live.send(event, sample).await;
            if is_late(&answer) {
                return fail_as(Incident::EventTimeout, answer.sent(), answer.got(), expected);
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

/// Sends the events of a pod's life, up to one that is not answered in time.
async fn life(live: &Live, sample: &Sample) -> Vec<Answer> {
    let mut answers = Vec::new();
    for event in live.life() {
        let answer = live.send(event, sample).await;
        let is_late = is_late(&answer);
        answers.push(answer);
        if is_late {
            break;
        }
    }
    answers
}

/// Sends the events of a pod's life. A plugin that is late breaks P5.
async fn life_in_time(live: &Live, sample: &Sample) -> Judged {
    let answers = life(live, sample).await;
    let late = answers.iter().find(|answer| is_late(answer));
    late.map_or(Ok(()), |late| Err(in_the_way(late)))
}

async fn once(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    life_in_time(&live, &bench.sample()).await?;
    // A second answer would follow the first.
    sleep(MOMENT).await;
    let trace = live.session.trace();
    if let Some(breach) = answered_twice(trace) {
        return Err(Verdict::Fail(breach.failure));
    }
    let asked: HashSet<_> = trace
        .messages(Party::Runtime)
        .iter()
        .filter(|message| message.connection == 1)
        .map(|message| message.header.stream)
        .collect();
    for answer in trace.messages(Party::Plugin) {
        let is_answer = answer.connection == 1 && answer.header.kind == Kind::Response;
        let stream = answer.header.stream;
        if is_answer && !asked.contains(&stream) {
            return fail(format!("no request on stream {stream}"), "an answer", ONCE);
        }
    }
    Ok(())
}

async fn under_load(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
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
    let options = &bench.options;
    let rounds = options.soak_or(SOAK_ROUNDS, ROUNDS);
    let deadline = Instant::now() + options.soak_or(SOAK_TIME, LOAD_TIME);
    for round in 0..rounds {
        if round > 0 && Instant::now() > deadline {
            break;
        }
        if let Some(late) = load(&live, &mut world, &mut taken).await? {
            return late_under_load(bench, &live, &late, round + 1).await;
        }
    }
    Ok(())
}

/// Sends each event of many pods at once. Returns an answer that is late.
async fn load(live: &Live, world: &mut World, taken: &mut Taken) -> Judged<Option<Answer>> {
    let samples: Vec<Sample> = (0..AT_ONCE).map(|_| world.sample()).collect();
    for event in live.life() {
        let mut answers = at_once(live, event, &samples).await;
        if let Some(late) = answers.iter().position(is_late) {
            return Ok(Some(answers.swap_remove(late)));
        }
        for answer in &answers {
            taken.judge(live, answer)?;
        }
    }
    Ok(None)
}

/// Judges a plugin that was late in a round under load.
async fn late_under_load(bench: &Bench, live: &Live, late: &Answer, rounds: usize) -> Judged {
    if !live.session.arrivals().updates().is_empty() {
        let sent = format!("{}, while it sends updates", late.sent());
        return Err(blocked("W14", sent, late.got(), IN_TIME));
    }
    without_load(bench, rounds).await?;
    let within = bench.options.timeouts.request;
    let sent = format!("{AT_ONCE} requests at once: {}", late.sent());
    fail(sent, late.got(), format!("each answer within {within:?}"))
}

/// Sends the requests of this number of rounds to a new instance, one at a time. A plugin that is
/// late without load as well breaks P5.
async fn without_load(bench: &Bench, rounds: usize) -> Judged {
    let live = bench.serving().await?;
    let mut world = bench.world();
    for _ in 0..(rounds + 1) * AT_ONCE {
        life_in_time(&live, &world.sample()).await?;
    }
    Ok(())
}

/// Sends an event about several pods at once.
async fn at_once(live: &Live, event: Event, samples: &[Sample]) -> Vec<Answer> {
    let mut calls: Vec<_> =
        samples.iter().map(|sample| live.send(event, sample)).map(Box::pin).collect();
    let mut answers = Vec::new();
    poll_fn(|cx| {
        calls.retain_mut(|call| match call.as_mut().poll(cx) {
            Poll::Ready(answer) => {
                answers.push(answer);
                false
            }
            Poll::Pending => true,
        });
        if calls.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers
}

/// The time that a plugin has to send an update after the last event.
const LAST_UPDATE: Duration = Duration::from_secs(1);

async fn adjustments(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    let sample = bench.sample();
    let mut is_skipped = true;
    for event in live.life() {
        let answer = live.send(event, &sample).await;
        let response = answer.result.as_deref().unwrap_or_default();
        let checked = check(event, response).filter(|_| answer.result.is_ok());
        is_skipped &= checked.is_none();
        if let Some(Err(invalid)) = checked {
            let expected = "an adjustment that is valid on its own";
            return fail(answer.sent(), invalid.to_string(), expected);
        }
    }
    if is_skipped {
        return skip("answered no event whose answer may contain changes");
    }
    Ok(())
}

/// Checks the changes in the answer to an event. `None` if answers to the event have none.
fn check(event: Event, response: &[u8]) -> Option<Result<(), Invalid>> {
    let changes = changes(event, response).ok().flatten()?;
    let adjustment = Adjustment::from(changes.adjust.unwrap_or_default()).check();
    Some(adjustment.and_then(|()| Updates::from(changes.update).check()))
}

async fn updates(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    live.session.arrivals().answer_updates(UpdateAnswer::Never);
    let sent = "nothing in answer to UpdateContainers";
    let mut asked = 0;
    for answer in life(&live, &bench.sample()).await {
        asked += live.session.arrivals().updates().len();
        if is_late(&answer) {
            if asked == 0 {
                return Err(in_the_way(&answer));
            }
            let got = format!("{} to {}", answer.got(), answer.sent());
            let expected = "answers to events, whether or not an update is answered";
            return fail(sent, got, expected);
        }
    }
    if asked == 0 && !updates_later(&live).await {
        return skip("sent no unsolicited update");
    }
    Ok(())
}

async fn updates_later(live: &Live) -> bool {
    timeout(LAST_UPDATE, live.session.arrivals().updated(1)).await.is_ok()
}

async fn failed_updates(bench: &Bench) -> Judged {
    let mut live = bench.serving().await?;
    live.session.arrivals().answer_updates(UpdateAnswer::Error);
    life(&live, &bench.sample()).await;
    let updated = !live.session.arrivals().updates().is_empty() || updates_later(&live).await;
    if !updated {
        return skip("sent no unsolicited update");
    }
    if live.session.closed(MOMENT).await {
        let process = live.instance.process.as_ref();
        let got = match process.and_then(|process| process.exit()) {
            Some(exit) => format!("the plugin ended with {exit}"),
            None => "the end of the connection".to_owned(),
        };
        let sent = "an error in answer to UpdateContainers";
        return fail(sent, got, "the plugin keeps running");
    }
    Ok(())
}
