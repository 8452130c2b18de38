//! W17: memory, descriptors and threads over many events and connections.

use std::time::{Duration, Instant};

use nri::api::SynchronizeRequest;
use nri_adaptation::Revision;

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::{Live, Taken};
use crate::plugin::verdict::{Judged, Verdict, blocked, fail, skip};
use crate::session::world::World;
use crate::subject::Usage;

pub(super) static TESTS: &[Test] = tests! {
    ["W17"] "leaks" Newest events;
    ["W17"] "leaks-over-reconnects" Newest reconnects;
};

/// The number of events of a soak test, which the statement names, and of a usual run.
const SOAK_EVENTS: usize = 100_000;
const EVENTS: usize = 6_000;

/// The number of further events of a soak test, unless they take too long.
const MORE_SOAK_EVENTS: usize = 900_000;

/// The time limit of the further events of a soak test.
const SOAK_TIME: Duration = Duration::from_secs(600);

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

async fn events(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    if live.life().next().is_none() {
        return skip("subscribes to no event");
    }
    let mut world = bench.world();
    // The first events fill caches and pools.
    let mut taken = Taken::default();
    play(&live, &mut world, WARM_UP, None, &mut taken).await?;
    let before = usage(&live)?;
    let least = if bench.options.soak {
        SOAK_EVENTS
    } else {
        EVENTS
    };
    let mut count = play(&live, &mut world, least, None, &mut taken).await?;
    if bench.options.soak {
        let deadline = Some(Instant::now() + SOAK_TIME);
        count += play(&live, &mut world, MORE_SOAK_EVENTS, deadline, &mut taken).await?;
    }
    let after = usage(&live)?;
    let limit = MEMORY.min(MEMORY_PER_EVENT * count as u64);
    judge(before, after, limit, &format!("{count} events"))
}

/// Sends this many events, but begins no pod after the deadline. Returns the number that were sent.
async fn play(
    live: &Live,
    world: &mut World,
    count: usize,
    deadline: Option<Instant>,
    taken: &mut Taken,
) -> Judged<usize> {
    let mut sent = 0;
    while sent < count && deadline.is_none_or(|deadline| Instant::now() < deadline) {
        let sample = world.sample();
        for event in live.life() {
            taken.send(live, event, &sample).await?;
            sent += 1;
        }
    }
    Ok(sent)
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

async fn reconnects(bench: &Bench, revision: &Revision) -> Judged {
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
        let mut instance = live.disconnect();
        let Ok(stream) = bench.connection(&mut instance).await else {
            return Err(stays_away("no connection"));
        };
        let session = bench.session(stream, revision);
        if session.registration().await.is_none() {
            return Err(stays_away("no registration"));
        }
        live = bench
            .begin(instance, session, &SynchronizeRequest::default())
            .await?;
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
