//! W18: a runtime that breaks the protocol.

use std::time::Duration;

use nri::__private::wire::{FrameHeader, Kind, MessageHeader};
use tokio::io::AsyncWriteExt as _;
use tokio::time::sleep;

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::verdict::{Judged, fail, skip};
use crate::subject::{Exit, Instance, Process, Stream};

pub(super) static TESTS: &[Test] = tests! {
    ["W18"] "misbehaving-runtime" Newest survives;
};

/// The time for which the plugin is observed.
const WATCHED: Duration = Duration::from_millis(400);

/// The processor time that only a busy loop uses within that time: half of it.
const BUSY: Duration = Duration::from_millis(200);

/// The exit code of a Rust program that panics.
const RUST_PANIC: i32 = 101;

/// Returns bytes that no runtime sends, each with its description.
fn breaches() -> [(&'static str, Vec<u8>); 9] {
    let frame = |connection| [frame_header(connection, 3), vec![1, 2, 3]].concat();
    let malformed = [0xff; 8];
    [
        ("bytes that are not a frame", vec![0xff; 64]),
        ("a frame header that announces 4 GiB", frame_header(1, u32::MAX)),
        ("a message header that announces 16 MiB", message(1, 16 << 20, Kind::Request, &[])),
        ("a malformed request", message(1, 8, Kind::Request, &malformed)),
        ("an answer without a request", message(2, 0, Kind::Response, &[])),
        ("an undecodable answer", message(2, 8, Kind::Response, &malformed)),
        ("a message of an unknown type", message(1, 0, Kind::Other(99), &[])),
        ("a frame for connection 0", frame(0)),
        ("a frame for a connection that is not open", frame(77)),
    ]
}

fn frame_header(connection: u32, length: u32) -> Vec<u8> {
    FrameHeader { connection, length }.encode().into()
}

fn message(connection: u32, length: u32, kind: Kind, data: &[u8]) -> Vec<u8> {
    let header = MessageHeader { length, stream: 1, kind, flags: 0 };
    let payload = [&header.encode()[..], data].concat();
    let size = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    [frame_header(connection, size), payload].concat()
}

async fn survives(bench: &Bench) -> Judged {
    drop(bench.serving().await?);
    for (name, bytes) in breaches() {
        let (mut instance, _held) = started(bench, &bytes).await?;
        watched(&mut instance, name).await?;
    }
    let half = [frame_header(1, 100), vec![0; 10]].concat();
    for (name, bytes) in [("half of a frame, then the end", half), ("only the end", Vec::new())] {
        let (mut instance, connection) = started(bench, &bytes).await?;
        drop(connection);
        watched(&mut instance, name).await?;
    }
    refused(bench).await
}

/// Starts an instance, and sends these bytes over its connection.
async fn started(bench: &Bench, bytes: &[u8]) -> Judged<(Instance, Box<dyn Stream>)> {
    let mut instance = bench.instance().await?;
    let mut stream = bench.connection(&mut instance).await?;
    // The plugin may be gone before everything is written.
    let _ = stream.write_all(bytes).await;
    let _ = stream.flush().await;
    Ok((instance, stream))
}

/// Refuses the registration.
async fn refused(bench: &Bench) -> Judged {
    let mut instance = bench.instance().await?;
    let stream = bench.connection(&mut instance).await?;
    let session = bench.session(stream);
    session.arrivals().refuse_registration();
    watched(&mut instance, "an error in answer to RegisterPlugin").await
}

/// Tests the reaction of a plugin to a breach of the protocol.
async fn watched(instance: &mut Instance, sent: &str) -> Judged {
    let Some(process) = &mut instance.process else {
        return skip("the plugin is not a process");
    };
    let mut spent = Duration::ZERO;
    // A plugin that has just been started may be busy for a while.
    for _ in 0..2 {
        let before = process.usage();
        sleep(WATCHED).await;
        if let Some(exit) = process.exit() {
            return ended(process, exit, sent).await;
        }
        spent = before.zip(process.usage()).map_or(Duration::ZERO, |(before, after)| {
            after.cpu_wanted.saturating_sub(before.cpu_wanted)
        });
        if spent < BUSY {
            return Ok(());
        }
    }
    let got = format!("{spent:?} of processor time used within {WATCHED:?}");
    fail(sent, got, "the plugin waits or ends")
}

async fn ended(process: &mut Process, exit: Exit, sent: &str) -> Judged {
    let lines = process.last_lines().await;
    let panicked = lines.iter().any(|line| {
        line.contains("panicked at") || line.starts_with("panic:") || line.starts_with("goroutine ")
    });
    let crashed = panicked || matches!(exit, Exit::Signal(_) | Exit::Code(RUST_PANIC));
    let shown = lines.last().map(|line| format!("; its last output: {line}")).unwrap_or_default();
    if crashed {
        return fail(sent, format!("a crash, {exit}{shown}"), "no crash");
    }
    if exit != Exit::Code(0) && process.output().bytes() == 0 {
        let got = format!("{exit}, without a message");
        return fail(sent, got, "a message that names the problem");
    }
    Ok(())
}
