//! W15 to W17: the end of the connection and of the plugin, and what remains after many events and
//! connections.

use std::time::{Duration, Instant};

use nri::wire::CallError;
use tokio::time::sleep;

use crate::plugin::bench::{Bench, MOMENT};
use crate::plugin::checks::handshake::silence;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::{Live, Taken};
use crate::plugin::verdict::{Breach, Judged, Verdict, fail, skip};
use crate::session::world::World;
use crate::subject::{Process, Usage};

pub(super) static TESTS: &[Test] = tests! {
    ["W15"] "end-of-connection" Newest connection;
    ["W15"] "backoff" Newest backoff;
    ["W16"] "sigterm" Newest terminated;
    ["W17"] "leaks" Newest events;
    ["W17"] "leaks-over-reconnects" Newest reconnects;
};

/// The time that a plugin may take to end.
const END: Duration = Duration::from_secs(5);

/// The time that an external plugin may take to reconnect, including backoff.
const RECONNECT: Duration = Duration::from_secs(30);

/// The time for which connections are refused.
const REFUSING: Duration = Duration::from_secs(1);

/// The maximum number of connections that a plugin with backoff makes in that time.
const MAX_ATTEMPTS: usize = 50;

/// The number of requests that SIGTERM interrupts before a plugin that answers none of them fails.
const INTERRUPTIONS: usize = 3;

async fn connection(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    if bench.subject.is_external() {
        return reconnected(bench, live).await.map(drop);
    }
    match &live.disconnect().process {
        Some(process) => ended(process, "the end of the connection").await,
        None => skip("the plugin is not a process"),
    }
}

/// Fails unless a plugin ends in time.
async fn ended(process: &Process, sent: &str) -> Judged {
    if process.ended(END).await.is_some() {
        return Ok(());
    }
    let expected = format!("its end within {END:?}");
    fail(sent, "a plugin that still runs", expected)
}

/// Ends the connection. Fails unless the plugin connects and synchronizes again.
async fn reconnected(bench: &Bench, live: Live) -> Judged<Live> {
    let mut instance = live.disconnect();
    let sent = "the end of the connection";
    let Ok(stream) = instance.connection(RECONNECT).await else {
        let expected = format!("another connection within {RECONNECT:?}");
        return fail(sent, silence(&mut instance).await, expected);
    };
    let session = bench.session(stream);
    if session.registration().await.is_none() {
        return fail(sent, silence(&mut instance).await, "another registration");
    }
    bench.begin(instance, session).await.or_else(|verdict| {
        fail(
            format!("{sent}, and the handshake after it"),
            verdict.into_got(),
            "a plugin that synchronizes again",
        )
    })
}

async fn backoff(bench: &Bench) -> Judged {
    if !bench.subject.is_external() {
        return skip("the plugin is launched: it has one connection");
    }
    let mut instance = bench.serving().await?.disconnect();
    let until = Instant::now() + REFUSING;
    let mut attempts = 0;
    let left = || until.saturating_duration_since(Instant::now());
    while instance.connection(left()).await.is_ok() {
        attempts += 1;
    }
    if attempts <= MAX_ATTEMPTS {
        return Ok(());
    }
    fail(
        "the end of each connection at once",
        format!("{attempts} connections within {REFUSING:?}"),
        "a growing pause between attempts",
    )
}

/// Sends SIGTERM to a plugin that waits, then to one that handles a request. On a loaded machine
/// the plugin may not have read the request by then, so only a plugin that never answers is at
/// fault.
async fn terminated(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    let Some(process) = &live.instance.process else {
        return skip("the plugin is not a process");
    };
    process.terminate();
    ended(process, "SIGTERM").await?;
    for _ in 1..INTERRUPTIONS {
        if interrupted(bench).await.is_ok() {
            return Ok(());
        }
    }
    interrupted(bench).await
}

async fn interrupted(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    let sample = bench.sample();
    let Some(event) = live.life().next() else {
        return Ok(());
    };
    let asking = live.send(event, &sample);
    let ending = async {
        // By now, a slow plugin has begun to handle the request.
        sleep(MOMENT / 4).await;
        if let Some(process) = &live.instance.process {
            process.terminate();
        }
    };
    let (answer, ()) = tokio::join!(asking, ending);
    if !matches!(answer.result, Err(CallError::Closed)) {
        return Ok(());
    }
    let sent = format!("{}, and SIGTERM while it was handled", answer.sent());
    fail(sent, answer.got(), "an answer before the end")
}

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

async fn events(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    if live.life().next().is_none() {
        return skip("subscribes to no event");
    }
    let mut world = bench.world();
    // The first events fill caches and pools.
    let mut taken = Taken::default();
    play(&live, &mut world, WARM_UP, None, &mut taken).await?;
    let before = usage(&live)?;
    let least = bench.options.soak_or(SOAK_EVENTS, EVENTS);
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
    let descriptors = after.descriptors.saturating_sub(before.descriptors);
    let threads = after.threads.saturating_sub(before.threads);
    let grown = after.memory.saturating_sub(before.memory);
    let got = if grown > memory {
        format!("{} KiB more memory", grown >> 10)
    } else if descriptors > DESCRIPTORS {
        format!("{descriptors} more file descriptors")
    } else if threads > THREADS {
        format!("{threads} more threads")
    } else {
        return Ok(());
    };
    let expected = "the same memory, descriptors and threads as before";
    fail(sent, got, expected)
}

async fn reconnects(bench: &Bench) -> Judged {
    if !bench.subject.is_external() {
        return skip("the plugin is launched: it has one connection");
    }
    let count = bench.options.soak_or(SOAK_CONNECTIONS, CONNECTIONS);
    let mut live = bench.serving().await?;
    let before = usage(&live)?;
    for _ in 0..count {
        live = reconnected(bench, live).await.map_err(stays_away)?;
        bench.take_traces();
    }
    let sent = format!("{count} connections");
    judge(before, usage(&live)?, MEMORY, &sent)
}

/// Returns the verdict on a plugin that does not come back, which W15 tests.
fn stays_away(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Fail(failure) => Verdict::Blocked(Breach { statement: "W15", failure }),
        other => other,
    }
}
