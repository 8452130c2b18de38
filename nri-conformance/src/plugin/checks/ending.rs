//! W15 and W16: the end of the connection, and of the plugin.

use std::time::Duration;

use nri::api::{Event, SynchronizeRequest};
use nri::wire::CallError;
use nri_adaptation::Revision;
use tokio::time::{Instant, sleep};

use super::registration::silence;
use crate::plugin::bench::{Bench, MOMENT};
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::Live;
use crate::plugin::verdict::{Judged, fail, skip};
use crate::session::describe;

pub(super) static TESTS: &[Test] = tests! {
    ["W15"] "end-of-connection" Newest connection;
    ["W15"] "backoff" Newest backoff;
    ["W16"] "sigterm" Newest terminated;
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

async fn connection(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    if bench.subject.is_external() {
        return reconnects(bench, revision, live).await;
    }
    let mut instance = live.disconnect();
    let Some(process) = &mut instance.process else {
        return skip("the plugin is not a process");
    };
    match process.ended(END).await {
        Some(_) => Ok(()),
        None => fail(
            "the end of the connection",
            "a plugin that still runs",
            format!("its end within {END:?}"),
        ),
    }
}

async fn reconnects(bench: &Bench, revision: &Revision, live: Live) -> Judged {
    let mut instance = live.disconnect();
    let sent = "the end of the connection";
    let Ok(stream) = instance.connection(RECONNECT).await else {
        let expected = format!("another connection within {RECONNECT:?}");
        return fail(sent, silence(&mut instance).await, expected);
    };
    let session = bench.session(stream, revision);
    if session.registration().await.is_none() {
        return fail(sent, silence(&mut instance).await, "another registration");
    }
    match bench
        .begin(instance, session, &SynchronizeRequest::default())
        .await
    {
        Ok(_) => Ok(()),
        Err(verdict) => fail(
            format!("{sent}, and the handshake after it"),
            format!("{verdict:?}"),
            "a plugin that synchronizes again",
        ),
    }
}

async fn backoff(bench: &Bench, revision: &Revision) -> Judged {
    if !bench.subject.is_external() {
        return skip("the plugin is launched: it has one connection");
    }
    let mut instance = bench.serving(revision).await?.disconnect();
    let until = Instant::now() + REFUSING;
    let mut attempts = 0;
    let left = || until.saturating_duration_since(Instant::now());
    while instance.connection(left()).await.is_ok() {
        attempts += 1;
    }
    if attempts > MAX_ATTEMPTS {
        let got = format!("{attempts} connections within {REFUSING:?}");
        return fail(
            "the end of each connection at once",
            got,
            "a growing pause between attempts",
        );
    }
    Ok(())
}

async fn terminated(bench: &Bench, revision: &Revision) -> Judged {
    let mut live = bench.serving(revision).await?;
    let Some(process) = &mut live.instance.process else {
        return skip("the plugin is not a process");
    };
    process.terminate();
    if process.ended(END).await.is_none() {
        return fail(
            "SIGTERM",
            "a plugin that still runs",
            format!("its end within {END:?}"),
        );
    }
    answers_first(bench, revision).await
}

/// Sends SIGTERM while the plugin handles a request. On a loaded machine the plugin may not have read the request by then,
/// so only a plugin that never answers is at fault.
async fn answers_first(bench: &Bench, revision: &Revision) -> Judged {
    let mut judged = interrupted(bench, revision).await;
    for _ in 1..INTERRUPTIONS {
        if judged.is_ok() {
            break;
        }
        judged = interrupted(bench, revision).await;
    }
    judged
}

async fn interrupted(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
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
    match answer.result {
        Err(CallError::Closed) if event != Event::Unknown => {
            let sent = format!("{}, and SIGTERM while it was handled", answer.sent());
            fail(
                sent,
                describe(&CallError::Closed),
                "an answer before the end",
            )
        }
        _ => Ok(()),
    }
}
