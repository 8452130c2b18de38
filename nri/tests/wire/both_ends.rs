//! Both ends with our implementation, in both directions at once.

use nri::wire::{Caller, Connection, Limits};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::peer::{CHANNELS, PATIENCE};
use crate::service::Tester;
use crate::threads::on_thread;

/// Two connections over the two ends of a stream, each served by its own thread.
fn connect<S>(ends: (S, S)) -> [Caller; 2]
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    connect_within(ends, Limits::default())
}

fn connect_within<S>(ends: (S, S), limits: Limits) -> [Caller; 2]
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    [(ends.0, CHANNELS), (ends.1, CHANNELS.flipped())].map(|(stream, channels)| {
        let (connection, caller) = Connection::new(stream, channels, limits);
        let tester = Tester::new(caller.clone());
        drop(on_thread(async move { connection.serve(&tester).await }));
        caller
    })
}

async fn echo(caller: &Caller, size: usize, fill: u8) {
    let payload = vec![fill; size];
    let call = caller.call("test.Service", "Echo", payload.clone(), None);
    let answer = timeout(PATIENCE, call).await.expect("in time").expect("an answer");
    assert!(answer == payload, "{} bytes back for {size}", answer.len());
}

#[tokio::test]
async fn every_size_goes_there_and_back() {
    for caller in connect(UnixStream::pair().unwrap()) {
        for size in [0, 1, 4000, 4085, 4086, 4087, 4095, 4096, 4097, 65536, 1 << 20, (4 << 20) - 64]
        {
            echo(&caller, size, 3).await;
        }
    }
}

#[tokio::test]
async fn any_buffer_between_the_ends_will_do() {
    for buffer in [1, 7, 18, 4096] {
        for caller in connect(tokio::io::duplex(buffer)) {
            echo(&caller, 10_000, 1).await;
        }
    }
}

#[tokio::test]
async fn large_calls_both_ways_at_once_do_not_lock_each_other_out() {
    // Requests of an end that is busy pile up at the other, which would refuse more than the
    // default of 16 MiB.
    let mut limits = Limits::default();
    limits.request_bytes = 20 * (3 << 20) + 4096;
    let callers = connect_within(tokio::io::duplex(8192), limits);
    let mut calls = Vec::new();
    for turn in 0..20u8 {
        for caller in &callers {
            let caller = caller.clone();
            calls.push(tokio::spawn(async move { echo(&caller, 3 << 20, turn).await }));
        }
    }
    for call in calls {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn many_small_calls_both_ways_at_once_get_their_own_answers() {
    let callers = connect(UnixStream::pair().unwrap());
    let mut calls = Vec::new();
    for turn in 0..1000usize {
        for caller in &callers {
            let caller = caller.clone();
            calls.push(tokio::spawn(async move { echo(&caller, turn, turn as u8).await }));
        }
    }
    for call in calls {
        call.await.unwrap();
    }
}
