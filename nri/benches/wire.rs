//! The cost of the wire layer: `cargo bench -p nri --bench wire`, or with a number for more rounds.
//!
//! Encoding ends with the write, decoding begins with the read, both without a kernel in between; a
//! round trip is a call, its handler, and the answer, both ends in one thread. All in microseconds.

use std::hint::black_box;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use nri::__private::wire::{Demux, Kind, Outbox, RequestEnvelope};
use nri::codec::Message as _;
use nri::wire::{Caller, Channels, Connection, Limits, Request, Service, Status};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;

const CHANNELS: Channels = Channels::PLUGIN;
const SIZES: [usize; 6] = [0, 1 << 10, 4 << 10, 64 << 10, 1 << 20, (4 << 20) - 64];

struct Echo;

impl Service for Echo {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        Ok(request.payload)
    }
}

fn main() {
    let rounds = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(2000);
    println!("   bytes (p50/p99 us)       encode       decode  round trip: duplex       socket");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
    for size in SIZES {
        let rounds = rounds.min((rounds << 20) / size.max(1)).clamp(20, rounds);
        let (encode, decode) = (encode(size, rounds), decode(size, rounds));
        let duplex = runtime.block_on(round_trips(tokio::io::duplex(256 << 10), size, rounds));
        let socket = runtime.block_on(async {
            round_trips(UnixStream::pair().expect("socket pair"), size, rounds).await
        });
        println!("{size:>8} {encode:>23} {decode:>12} {duplex:>19} {socket:>12}");
    }
}

/// Encoded, cut and written to nowhere.
fn encode(size: usize, rounds: usize) -> String {
    let payload = Bytes::from(vec![1; size]);
    let mut outbox = Outbox::default();
    let mut context = Context::from_waker(Waker::noop());
    percentiles((0..rounds).map(|_| {
        let start = Instant::now();
        outbox.push(1, Kind::Request, 1, &request(payload.clone())).expect("fits");
        assert!(outbox.poll_drain(&mut tokio::io::sink(), &mut context).is_ready());
        start.elapsed()
    }))
}

/// Read from memory, put together and decoded.
fn decode(size: usize, rounds: usize) -> String {
    let mut outbox = Outbox::default();
    outbox.push(1, Kind::Request, 1, &request(vec![1; size].into())).expect("fits");
    let mut demux = Demux::new([1, 2]);
    let mut context = Context::from_waker(Waker::noop());
    percentiles((0..rounds).map(|_| {
        let mut stream = outbox.bytes();
        let start = Instant::now();
        let message = loop {
            match demux.next_message().expect("well-formed") {
                Some(message) => break message,
                None => assert!(demux.poll_fill(&mut stream, &mut context).is_ready()),
            }
        };
        black_box(RequestEnvelope::decode(message.data).expect("a request"));
        start.elapsed()
    }))
}

fn request(payload: Bytes) -> RequestEnvelope {
    RequestEnvelope {
        service: "nri.pkg.api.v1alpha1.Plugin".into(),
        method: "PostStartContainer".into(),
        payload,
        timeout_nano: 2_000_000_000,
    }
}

async fn round_trips<S>(ends: (S, S), size: usize, rounds: usize) -> String
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (plugin, _) = Connection::new(ends.0, CHANNELS, Limits::default());
    let (runtime, caller) = Connection::new(ends.1, CHANNELS.flipped(), Limits::default());
    let served = [
        tokio::spawn(async move { plugin.serve(&Echo).await }),
        tokio::spawn(async move { runtime.serve(&Echo).await }),
    ];
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        times.push(round_trip(&caller, size).await);
    }
    served.iter().for_each(|task| task.abort());
    percentiles(times.into_iter())
}

async fn round_trip(caller: &Caller, size: usize) -> Duration {
    let payload = Bytes::from(vec![1; size]);
    let start = Instant::now();
    let answer =
        caller.call("nri.pkg.api.v1alpha1.Plugin", "PostStartContainer", payload, None).await;
    let time = start.elapsed();
    assert_eq!(answer.expect("an answer").len(), size);
    time
}

fn percentiles(times: impl Iterator<Item = Duration>) -> String {
    let mut sorted: Vec<Duration> = times.collect();
    sorted.sort_unstable();
    let at = |part: usize| {
        sorted[(sorted.len() * part / 100).min(sorted.len() - 1)].as_nanos() as f64 / 1000.0
    };
    format!("{:.1}/{:.1}", at(50), at(99))
}
