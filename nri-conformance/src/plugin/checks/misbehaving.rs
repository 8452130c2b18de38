//! W18: a runtime that breaks the protocol.

use std::time::Duration;

use nri::__private::wire::{FrameHeader, Kind, MessageHeader};
use nri_adaptation::Revision;
use tokio::io::AsyncWriteExt as _;
use tokio::time::sleep;

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::verdict::{Judged, fail, skip};
use crate::subject::{Exit, Instance, Process};

pub(super) static TESTS: &[Test] = tests! {
    ["W18"] "misbehaving-runtime" Newest survives;
};

/// The time for which the plugin is observed.
const WATCHED: Duration = Duration::from_millis(400);

/// The processor time that only a busy loop uses within that time: half of it.
const BUSY: Duration = Duration::from_millis(200);

/// The exit code of a Rust program that panics.
const RUST_PANIC: i32 = 101;

/// The exit code of a Go program that panics.
const GO_PANIC: i32 = 2;

/// Bytes that no runtime sends.
struct Breach {
    name: &'static str,
    bytes: fn() -> Vec<u8>,
    /// True if the connection ends after them.
    ends: bool,
}

const BREACHES: &[Breach] = &[
    breach("bytes that are not a frame", || vec![0xff; 64]),
    breach("a frame header that announces 4 GiB", || {
        frame_header(1, u32::MAX)
    }),
    breach("a message header that announces 16 MiB", || {
        message(1, 16 << 20, Kind::Request, &[])
    }),
    breach("a malformed request", || {
        message(1, 8, Kind::Request, &[0xff; 8])
    }),
    breach("an answer without a request", || {
        message(2, 0, Kind::Response, &[])
    }),
    breach("an undecodable answer", || {
        message(2, 8, Kind::Response, &[0xff; 8])
    }),
    breach("a message of an unknown type", || {
        message(1, 0, Kind::Other(99), &[])
    }),
    breach("a frame for connection 0", || {
        [frame_header(0, 3), vec![1, 2, 3]].concat()
    }),
    breach("a frame for a connection that is not open", || {
        [frame_header(77, 3), vec![1, 2, 3]].concat()
    }),
    last("half of a frame, then the end", || {
        [frame_header(1, 100), vec![0; 10]].concat()
    }),
    last("only the end", Vec::new),
];

const fn breach(name: &'static str, bytes: fn() -> Vec<u8>) -> Breach {
    let ends = false;
    Breach { name, bytes, ends }
}

/// Returns bytes with which the connection ends.
const fn last(name: &'static str, bytes: fn() -> Vec<u8>) -> Breach {
    let ends = true;
    Breach { name, bytes, ends }
}

fn frame_header(connection: u32, length: u32) -> Vec<u8> {
    FrameHeader { connection, length }.encode().into()
}

fn message(connection: u32, length: u32, kind: Kind, data: &[u8]) -> Vec<u8> {
    let header = MessageHeader {
        length,
        stream: 1,
        kind,
        flags: 0,
    };
    let payload = [&header.encode()[..], data].concat();
    let size = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    [frame_header(connection, size), payload].concat()
}

async fn survives(bench: &Bench, revision: &Revision) -> Judged {
    drop(bench.serving(revision).await?);
    for breach in BREACHES {
        let mut instance = bench.instance().await?;
        let mut stream = bench.connection(&mut instance).await?;
        // The plugin may be gone before everything is written.
        let _ = stream.write_all(&(breach.bytes)()).await;
        let _ = stream.flush().await;
        let held = (!breach.ends).then_some(stream);
        watched(&mut instance, breach.name).await?;
        drop(held);
    }
    refused(bench, revision).await
}

/// Refuses the registration.
async fn refused(bench: &Bench, revision: &Revision) -> Judged {
    let mut instance = bench.instance().await?;
    let stream = bench.connection(&mut instance).await?;
    let session = bench.session(stream, revision);
    session.arrivals().refuse_registration();
    watched(&mut instance, "an error in answer to RegisterPlugin").await
}

/// Tests the reaction of a plugin to a breach of the protocol.
async fn watched(instance: &mut Instance, sent: &str) -> Judged {
    let Some(process) = &mut instance.process else {
        return skip("the plugin is not a process");
    };
    let before = process.usage();
    sleep(WATCHED).await;
    match process.exit() {
        Some(exit) => ended(process, exit, sent).await,
        None => idle(process, before.map(|usage| usage.cpu_wanted), sent).await,
    }
}

/// Tests a plugin that keeps running.
async fn idle(process: &Process, before: Option<Duration>, sent: &str) -> Judged {
    if spent(process, before) < BUSY {
        return Ok(());
    }
    // A plugin that has just been started may be busy for a while.
    let before = process.usage().map(|usage| usage.cpu_wanted);
    sleep(WATCHED).await;
    let spent = spent(process, before);
    if spent < BUSY {
        return Ok(());
    }
    let got = format!("{spent:?} of processor time used within {WATCHED:?}");
    fail(sent, got, "the plugin waits or ends")
}

/// Returns the processor time that was used since.
fn spent(process: &Process, before: Option<Duration>) -> Duration {
    let after = process.usage().map(|usage| usage.cpu_wanted);
    let spent = after
        .zip(before)
        .map(|(after, before)| after.saturating_sub(before));
    spent.unwrap_or_default()
}

async fn ended(process: &mut Process, exit: Exit, sent: &str) -> Judged {
    let lines = process.last_lines().await;
    let panicked = lines.iter().any(|line| {
        line.contains("panicked at") || line.starts_with("panic:") || line.starts_with("goroutine ")
    });
    let crashed = match exit {
        Exit::Signal(_) => true,
        Exit::Code(RUST_PANIC) => true,
        Exit::Code(GO_PANIC) => panicked,
        Exit::Code(_) => panicked,
    };
    let shown = lines
        .last()
        .map(|line| format!("; its last output: {line}"))
        .unwrap_or_default();
    if crashed {
        return fail(sent, format!("a crash, {exit}{shown}"), "no crash");
    }
    let Exit::Code(code) = exit else {
        return Ok(());
    };
    if code != 0 && process.output().bytes() == 0 {
        return fail(
            sent,
            format!("{exit}, without a message"),
            "a message that names the problem",
        );
    }
    Ok(())
}
