//! W3 to W6: the RPCs that carry events.

use nri::api::Event;
use nri::codec::Message as _;
use nri::wire::{CallError, Code};
use nri_adaptation::{Revision, Via};

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::{Live, judge, may_reject};
use crate::plugin::verdict::{Judged, Verdict, blocked, fail, failed, in_the_way, skip};
use crate::result::Failure;
use crate::session::world::{Sample, World};
use crate::session::{Answer, can_fall_back, describe, life};

pub(super) static TESTS: &[Test] = tests! {
    ["W4"] "each-way" Each each_way;
    ["W3"] "unimplemented" Newest unimplemented;
    ["W5"] "mixed-ways" Newest mixed;
    ["W6"] "unknown-events" BothWays unknown;
};

/// An RPC that no release has.
const NO_RPC: &str = "NoSuchEvent";

/// Event numbers that no release has, and 0.
const UNKNOWN_EVENTS: [i32; 5] = [0, Event::ALL.len() as i32 + 1, 99, i32::MAX, -1];

async fn each_way(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    let sample = bench.sample();
    for event in live.life() {
        let answer = live.send(event, &sample).await;
        match &answer.result {
            Ok(_) => {}
            Err(CallError::Timeout(_)) => return Err(in_the_way(&answer)),
            Err(_) if is_rejection(&answer) && rejects_the_other_way(bench, event).await => {
                let why = "the plugin rejects the sample, whichever way it is sent";
                return skip(format!("{}: {}; {why}", answer.sent(), answer.got()));
            }
            Err(_) if is_rpc_error(&answer) && has_state_change(bench, &live, event).await => {
                let expected = "UNIMPLEMENTED or success";
                return Err(blocked("W3", answer.sent(), answer.got(), expected));
            }
            Err(_) if live.mask == 0 && answer.is_unimplemented() => {
                let expected = "no subscription to it";
                return Err(blocked("W2", answer.sent(), answer.got(), expected));
            }
            Err(_) => {
                let expected = "success: it subscribed to the event";
                let verdict = Failure::new(answer.sent(), answer.got(), expected);
                return Err(Verdict::Fail(verdict).seen_as(answer.incident()));
            }
        }
    }
    Ok(())
}

/// Returns true if an answer may be the handler's own decision.
fn is_rejection(answer: &Answer) -> bool {
    let rpc_errors = [Code::UNIMPLEMENTED, Code::INVALID_ARGUMENT, Code::NOT_FOUND];
    let by_handler = answer.code().is_some_and(|code| !rpc_errors.contains(&code));
    may_reject(answer.event) && by_handler
}

/// Returns true if an event also fails when it is sent in the other way, or if there is no other
/// way.
async fn rejects_the_other_way(bench: &Bench, event: Event) -> bool {
    let other = match bench.revision.carrier(event) {
        Some(Via::StateChange) => Via::Dedicated,
        Some(Via::Dedicated) | None => Via::StateChange,
    };
    if !can_fall_back(event) {
        return true;
    }
    let Ok((instance, session)) = bench.registered_as(&Revision::newest(), None).await else {
        return true;
    };
    let Ok(live) = bench.begin(instance, session).await else {
        return true;
    };
    let sample = bench.sample();
    for earlier in live.life().take_while(|earlier| *earlier != event) {
        live.send(earlier, &sample).await;
    }
    let answer = live.send_via(event, other, &sample).await;
    answer.result.is_err()
}

async fn unimplemented(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    let sample = bench.sample();
    for event in life() {
        let answer = live.send_via(event, Via::Dedicated, &sample).await;
        // W4 covers the events of the subscription. The plugin may also handle others. An RPC that
        // the revision lacks is never called.
        let rejected = may_reject(event) && answer.code() == Some(Code::UNKNOWN);
        let broken = if live.subscribes(event) {
            is_rpc_error(&answer) && has_state_change(bench, &live, event).await
        } else {
            answer.result.is_err() && !answer.is_unimplemented() && !rejected
        };
        if broken {
            let expected = "UNIMPLEMENTED (12), for which a runtime sends StateChange, or success";
            return fail(answer.sent(), answer.got(), expected);
        }
    }
    no_rpc(&live).await
}

fn is_rpc_error(answer: &Answer) -> bool {
    [Some(Code::INVALID_ARGUMENT), Some(Code::NOT_FOUND)].contains(&answer.code())
}

/// Returns true if the plugin accepts an event as StateChange.
async fn has_state_change(bench: &Bench, live: &Live, event: Event) -> bool {
    let sample = World::of(bench.options.runtime, u64::MAX).sample();
    let answer = live.send_via(event, Via::StateChange, &sample).await;
    can_fall_back(event) && answer.result.is_ok()
}

/// Calls an RPC that does not exist.
async fn no_rpc(live: &Live) -> Judged {
    let answer = live.session.call(NO_RPC, Vec::new()).await;
    let got = match answer {
        Err(CallError::Status(status)) if status.code == Code::UNIMPLEMENTED => return Ok(()),
        Err(error) => describe(&error),
        Ok(_) => "success".to_owned(),
    };
    fail(NO_RPC, got, "UNIMPLEMENTED (12)")
}

async fn mixed(bench: &Bench) -> Judged {
    let alone = works_alone(bench).await?;
    let live = bench.serving().await?;
    let samples = [bench.sample(), bench.sample()];
    for (position, event) in live.life().enumerate() {
        if !alone.contains(&event) {
            for sample in &samples {
                live.given(event, sample).await?;
            }
            continue;
        }
        // Each pod gets every other event in the other way.
        let mut ways = [Via::Dedicated, Via::StateChange];
        ways.rotate_left(position % 2);
        for (via, sample) in ways.into_iter().zip(&samples) {
            let answer = live.send_via(event, via, sample).await;
            judge(&answer, "on a connection that carries both ways")?;
        }
    }
    Ok(())
}

/// Returns the events that the plugin accepts in both ways, each way on a separate connection.
async fn works_alone(bench: &Bench) -> Judged<Vec<Event>> {
    let mut works: Vec<Event> = life().filter(|event| can_fall_back(*event)).collect();
    for via in [Via::Dedicated, Via::StateChange] {
        let live = bench.serving().await?;
        let sample = bench.sample();
        works.retain(|event| live.subscribes(*event));
        for event in live.life() {
            let answer = if can_fall_back(event) {
                live.send_via(event, via, &sample).await
            } else {
                live.send(event, &sample).await
            };
            if answer.result.is_err() {
                works.retain(|it| *it != event);
            }
        }
    }
    if works.is_empty() {
        return skip("takes no event in both ways");
    }
    Ok(works)
}

async fn unknown(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    let sample = bench.sample();
    if !takes_state_change(&live, &sample).await {
        return skip("does not implement StateChange");
    }
    for number in UNKNOWN_EVENTS {
        #[allow(deprecated, reason = "StateChange is what is tested")]
        let change = nri::api::StateChangeEvent {
            event: number,
            pod: Some(sample.pod.clone()),
            container: None,
        };
        let sent = format!("StateChange with the event number {number}");
        let answer = live.session.call("StateChange", change.encode_to_vec());
        let expected = "success: the event must be ignored";
        answer.await.map_err(|error| failed(sent, &error, expected))?;
    }
    Ok(())
}

/// Returns true if the plugin implements StateChange for any event that it subscribes to, or
/// ignores it.
async fn takes_state_change(live: &Live, sample: &Sample) -> bool {
    for event in live.life().filter(|event| can_fall_back(*event)) {
        let answer = live.send_via(event, Via::StateChange, sample).await;
        if !answer.is_unimplemented() {
            return true;
        }
    }
    false
}
