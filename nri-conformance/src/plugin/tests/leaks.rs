//! W17: memory, descriptors and threads over many events and connections.

use nri::adaptation::Revision;
use nri::api::Event;
use nri::wire::CallError;

use crate::plugin::bench::{Bench, State};
use crate::plugin::live::{LIFE, Live};
use crate::plugin::verdict::{Judged, Verdict, blocked, fail, in_the_way, skip};
use crate::session::Answer;
use crate::session::world::World;
use crate::subject::Usage;

/// The number of events of a soak test, and of a usual run.
const SOAK_EVENTS: usize = 100_000;
const EVENTS: usize = 6_000;

/// The number of events before the first measurement.
const WARM_UP: usize = 300;

/// The number of connections of a soak test, and of a usual run.
const SOAK_CONNECTIONS: usize = 1_000;
const CONNECTIONS: usize = 5;

/// Growth that is not a leak: caches, thread pools and buffers that were not in use before.
const MEMORY: u64 = 8 << 20;
const DESCRIPTORS: usize = 16;
const THREADS: usize = 16;

/// Growth per event in bytes that is detected even in a short run.
const MEMORY_PER_EVENT: u64 = 1 << 10;

pub(in crate::plugin) async fn events(bench: &Bench, revision: &Revision) -> Judged {
    let count = if bench.options.soak {
        SOAK_EVENTS
    } else {
        EVENTS
    };
    let live = bench.serving(revision).await?;
    if live.life().next().is_none() {
        return skip("subscribes to no event");
    }
    let mut world = bench.world();
    // The first events fill caches and pools.
    let warm_up = WARM_UP;
    let mut taken = Vec::new();
    play(&live, &mut world, warm_up, &mut taken).await?;
    let before = usage(&live)?;
    play(&live, &mut world, count - warm_up, &mut taken).await?;
    let after = usage(&live)?;
    let limit = MEMORY.min(MEMORY_PER_EVENT * (count - warm_up) as u64);
    judge(before, after, limit, &format!("{count} events"))
}

/// Sends events; `taken` are those that the plugin has taken before.
async fn play(live: &Live, world: &mut World, count: usize, taken: &mut Vec<Event>) -> Judged {
    let mut sent = 0;
    while sent < count {
        let pod = world.pod();
        let container = world.container(&pod);
        for event in LIFE.into_iter().filter(|event| live.subscribes(*event)) {
            let answer = live.send(event, &pod, &container).await;
            judge_answer(live, event, &answer, taken)?;
            sent += 1;
        }
    }
    Ok(())
}

/// An event that the plugin has taken before, about a pod of the same kind, is an event that it must take.
fn judge_answer(live: &Live, event: Event, answer: &Answer, taken: &mut Vec<Event>) -> Judged {
    let is_known = taken.contains(&event);
    match &answer.result {
        Ok(_) if is_known => Ok(()),
        Ok(_) => {
            taken.push(event);
            Ok(())
        }
        Err(_) if live.session.is_closed() => {
            let (sent, got) = (answer.sent(), answer.got());
            Err(blocked("W4", sent, got, "success"))
        }
        Err(CallError::Status(_)) if event == Event::ValidateContainerAdjustment => Ok(()),
        Err(CallError::Status(_)) if is_known => {
            let (sent, got) = (answer.sent(), answer.got());
            Err(blocked("W4", sent, got, "success, as before"))
        }
        Err(_) => Err(in_the_way(answer)),
    }
}

fn usage(live: &Live) -> Judged<Usage> {
    let process = live.instance.process.as_ref();
    match process.and_then(|process| process.usage()) {
        Some(usage) => Ok(usage),
        None => skip("the plugin is not a process of its own"),
    }
}

fn judge(before: Usage, after: Usage, memory: u64, sent: &str) -> Judged {
    let expected = "the same memory, descriptors and threads as before";
    let grown = after.memory.saturating_sub(before.memory);
    if grown > memory {
        return fail(sent, format!("{} KiB more memory", grown >> 10), expected);
    }
    let descriptors = after.descriptors.saturating_sub(before.descriptors);
    if descriptors > DESCRIPTORS {
        return fail(
            sent,
            format!("{descriptors} more file descriptors"),
            expected,
        );
    }
    let threads = after.threads.saturating_sub(before.threads);
    if threads > THREADS {
        return fail(sent, format!("{threads} more threads"), expected);
    }
    Ok(())
}

pub(in crate::plugin) async fn reconnects(bench: &Bench, revision: &Revision) -> Judged {
    if !bench.subject.is_external() {
        return skip("the plugin is launched: it has one connection");
    }
    let count = if bench.options.soak {
        SOAK_CONNECTIONS
    } else {
        CONNECTIONS
    };
    let mut live = bench.serving(revision).await?;
    let before = usage(&live)?;
    for _ in 0..count {
        let Live {
            mut instance,
            session,
            ..
        } = live;
        session.close();
        let Ok(stream) = bench.connection(&mut instance).await else {
            return Err(stays_away("no connection"));
        };
        let session = bench.session(stream, revision);
        if session.registration().await.is_none() {
            return Err(stays_away("no registration"));
        }
        live = bench.begin(instance, session, &State::default()).await?;
        bench.take_traces();
    }
    judge(
        before,
        usage(&live)?,
        MEMORY,
        &format!("{count} connections"),
    )
}

/// Returns the verdict on a plugin that does not come back.
fn stays_away(got: &str) -> Verdict {
    blocked(
        "W15",
        "the end of the connection",
        got,
        "another connection",
    )
}
