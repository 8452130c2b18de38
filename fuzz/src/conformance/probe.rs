//! A hostile plugin never stops `probe`: whatever it answers, sends or omits, the result is
//! complete and in time, and the bytes sent to the plugin are well-formed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use nri::__private::wire::{Demux, FrameHeader, Kind, MessageHeader};
use nri::wire::Channels;
use nri_conformance::probe::{Options, Target, probe};
use nri_conformance::session::Timeouts;
use nri_conformance::subject::Subject;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

/// A registration as `10-hostile`, so that the fuzzer does not have to find one.
const REGISTRATION: &[u8] = b"\x00\x00\x00\x02\x00\x00\x00G\x00\x00\x00=\x00\x00\x00\x01\x01\x00\
    \x0a\x1cnri.pkg.api.v1alpha1.Runtime\x12\x0eRegisterPlugin\x1a\x0d\x0a\x07hostile\x12\x0210";

/// The maximum duration of a probe, in simulated time.
const WITHIN: Duration = Duration::from_secs(30);

/// The maximum length of a plugin's text in a result, in characters, including what the probe adds.
const LONGEST: usize = 2000;

/// The input, from which every instance takes the next byte.
type Input = Arc<Mutex<std::vec::IntoIter<u8>>>;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("runtime");
    runtime.block_on(judge(bytes));
}

async fn judge(bytes: &[u8]) {
    let input: Input = Arc::new(Mutex::new(Vec::from(bytes).into_iter()));
    let plugin = Subject::streams(move || {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(hostile(theirs, Arc::clone(&input)));
        ours
    });
    let mut options = Options::default();
    options.targets = ["v0.2.0", "v0.11.0", "v0.12.5"].map(Target::nri).into();
    options.timeouts = Timeouts::default()
        .registration(Duration::from_millis(500))
        .request(Duration::from_millis(200));
    options.within = WITHIN;
    let start = tokio::time::Instant::now();
    let probed = probe(&plugin, &options).await.expect("streams can be had");
    assert!(start.elapsed() < WITHIN + Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(probed.rpcs.len(), nri_adaptation::Revision::rpcs().len() + 1);
    assert_eq!(probed.targets.len(), options.targets.len());
    let details = probed.rpcs.iter().map(|rpc| &rpc.detail);
    let reasons = probed.targets.iter().map(|target| &target.reason);
    for text in details.chain(reasons) {
        assert!(text.chars().count() < LONGEST, "{text}");
    }
}

/// Takes the next byte of the input; 0 at its end.
fn next(input: &Input) -> u8 {
    let mut input = input.lock().expect("no panic");
    input.next().unwrap_or_default()
}

/// Runs an instance. The next byte of the input determines the answer to each request.
async fn hostile(mut stream: DuplexStream, input: Input) {
    let start = match next(&input) % 4 {
        0 | 1 => REGISTRATION.to_vec(),
        2 => Vec::new(),
        _ => garbage(&input),
    };
    if stream.write_all(&start).await.is_err() {
        return;
    }
    let mut demux = Demux::new(Channels::PLUGIN.ids());
    let mut buffer = vec![0; 64 << 10];
    loop {
        let Ok(count @ 1..) = stream.read(&mut buffer).await else {
            return;
        };
        demux.extend(&buffer[..count]);
        while let Some(message) = demux.next_message().expect("well-formed") {
            if message.connection != 1 || message.header.kind != Kind::Request {
                continue;
            }
            let Some(answer) = answer(message.header.stream, &input) else {
                return;
            };
            if stream.write_all(&answer).await.is_err() {
                return;
            }
        }
    }
}

/// Returns the bytes that are sent to the runtime for a request on a stream; `None` closes the
/// connection.
fn answer(stream: u32, input: &Input) -> Option<Vec<u8>> {
    match next(input) % 8 {
        // Success with an empty message, which is valid for every RPC.
        0 | 1 => Some(message(stream, Kind::Response, &[])),
        // Success with a message of the fuzzer.
        2 => {
            let payload = garbage(input);
            let length = u8::try_from(payload.len()).unwrap_or_default();
            Some(message(stream, Kind::Response, &[&[0x12, length], &*payload].concat()))
        }
        // An error with a code of the fuzzer.
        3 => Some(message(stream, Kind::Response, &[0x0a, 2, 8, next(input) % 127])),
        // No answer.
        4 => Some(Vec::new()),
        5 => None,
        // Bytes of the fuzzer as an answer, and as anything.
        6 => Some(message(stream, Kind::Response, &garbage(input))),
        _ => Some(garbage(input)),
    }
}

/// Returns a message in a frame.
fn message(stream: u32, kind: Kind, data: &[u8]) -> Vec<u8> {
    let size = |bytes: &[u8]| u32::try_from(bytes.len()).expect("short");
    let header = MessageHeader { length: size(data), stream, kind, flags: 0 }.encode();
    let message = [&header[..], data].concat();
    let frame = FrameHeader { connection: 1, length: size(&message) }.encode();
    [&frame[..], &message].concat()
}

/// Returns up to 127 bytes of the input.
fn garbage(input: &Input) -> Vec<u8> {
    let length = next(input) % 128;
    (0..length).map(|_| next(input)).collect()
}
