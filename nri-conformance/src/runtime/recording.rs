//! The runtime's side of a recording, judged by the statements about the order of events.
//!
//! A recording has no requests of a CRI client and no state of the node, so that the other
//! statements do not apply. Each connection of the recording is judged on its own.
//!
//! ```no_run
//! use nri_conformance::runtime::recording;
//!
//! let report = recording::judge("session.nri", |_statement| true)?;
//! report.assert();
//! # Ok::<(), nri_conformance::record::Error>(())
//! ```

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;
use std::path::Path;
use std::time::Duration;

use nri::__private::RuntimeRpc;
use nri::api::{ConfigureResponse, EventMask, RegisterPluginRequest, SynchronizeRequest};
use nri::codec::Message as _;
use nri::wire::Code;

use crate::record::{
    Error, ErrorKind, FrameEvent, Party, Payload, Reader, Request, Response, Result,
};
use crate::result::{Report, Subject};
use crate::runtime::event::Hook;
use crate::runtime::judgement::judged;
use crate::runtime::sequence::{Arrival, Sequence};
use crate::runtime::{deviations, order};

/// The maximum number of events of a recording that are judged.
pub const MAX_EVENTS: usize = 1_000_000;

/// Judges the runtime of a recording by the statements that `selects` returns true for.
///
/// # Errors
///
/// Returns the errors of [`Reader`], and [`ErrorKind::TooLarge`] if the recording has more than
/// [`MAX_EVENTS`] events.
pub fn judge(recording: impl AsRef<Path>, selects: impl Fn(&str) -> bool) -> Result<Report> {
    let path = recording.as_ref();
    judge_reader(Reader::open(path)?, selects).map_err(|error| error.in_file(path))
}

/// Judges the runtime of a recording that is not in a file.
///
/// # Errors
///
/// Returns the errors of [`judge`].
#[doc(hidden)]
pub fn judge_reader(
    mut reader: Reader<impl BufRead>,
    selects: impl Fn(&str) -> bool,
) -> Result<Report> {
    let sequences = sequences(&mut reader)?;
    let header = reader.header().clone();
    let (name, version) = (header.runtime, header.runtime_version);
    let subject = Subject::runtime(name.unwrap_or_default(), version.unwrap_or_default());
    let judged = judged(order::TESTS, selects, &sequences);
    Ok(deviations::report(subject, judged))
}

fn sequences(reader: &mut Reader<impl BufRead>) -> Result<Vec<Sequence>> {
    let mut connections: BTreeMap<u32, Connection> = BTreeMap::new();
    let mut events = 0;
    while let Some(frame) = reader.next_frame()? {
        let connection = connections.entry(frame.connection).or_default();
        events += usize::from(connection.add(frame.at, frame.event));
        if events > MAX_EVENTS {
            return Err(too_many());
        }
    }
    Ok(connections
        .into_iter()
        .flat_map(|(number, connection)| connection.sequences(number))
        .collect())
}

fn too_many() -> Error {
    let message = format!("the recording has more than {MAX_EVENTS} events");
    Error::of(ErrorKind::TooLarge, message)
        .with_help("remove the frames of some connections, and correct `frames` in the last line")
}

/// One connection of a recording.
#[derive(Debug, Default)]
struct Connection {
    /// The requests from one registration to the next.
    sequences: Vec<Sequence>,
    /// The positions of the requests without an answer, by their streams.
    pending: HashMap<u32, usize>,
    /// True if the rest cannot be judged.
    lost: bool,
}

impl Connection {
    /// Adds a frame. Returns true if it is an event.
    fn add(&mut self, at: Duration, frame: FrameEvent) -> bool {
        if self.lost {
            return false;
        }
        match frame {
            FrameEvent::Request(request) if request.by == Party::Runtime => {
                return self.runtime_request(at, &request);
            }
            FrameEvent::Request(request) => self.plugin_request(&request),
            FrameEvent::Response(response) if response.by == Party::Plugin => {
                self.answer(at, response);
            }
            FrameEvent::Lost { .. } => self.lost = true,
            FrameEvent::Opened
            | FrameEvent::Response(_)
            | FrameEvent::Other { .. }
            | FrameEvent::Closed { .. } => {}
        }
        false
    }

    /// Returns the sequence of each registration.
    fn sequences(self, number: u32) -> impl Iterator<Item = Sequence> {
        self.sequences.into_iter().map(move |mut sequence| {
            let plugin = format!("{} on connection {number}", sequence.plugin);
            sequence.plugin = plugin.trim_start().to_owned();
            sequence.arrivals.retain(|arrival| arrival.implemented);
            sequence
        })
    }

    fn plugin_request(&mut self, request: &Request) {
        match RuntimeRpc::from_name(&request.method) {
            Some(RuntimeRpc::RegisterPlugin) => self.register(request),
            Some(RuntimeRpc::UpdateContainers) | None => {}
        }
    }

    fn register(&mut self, request: &Request) {
        let registered = request.payload.bytes().cloned().unwrap_or_default();
        let plugin = RegisterPluginRequest::decode(registered).unwrap_or_default();
        let name = match plugin.plugin_idx.as_str() {
            "" => plugin.plugin_name,
            index => format!("{index}-{}", plugin.plugin_name),
        };
        self.sequences.push(Sequence::new(name));
    }

    fn runtime_request(&mut self, at: Duration, request: &Request) -> bool {
        if self.sequences.is_empty() {
            // The recording begins after the registration.
            self.sequences.push(Sequence::new(String::new()));
        }
        let (Some(payload), Some(current)) = (request.payload.bytes(), self.sequences.last_mut())
        else {
            self.lost = true;
            return false;
        };
        if request.method == "Synchronize" {
            let part = SynchronizeRequest::decode(payload.clone()).unwrap_or_default();
            let more = part.more;
            current.learn(part);
            if more {
                return false;
            }
        }
        let Some(mut arrival) = Arrival::read(&request.method, payload.clone(), at) else {
            return false;
        };
        arrival.facts = None;
        let is_event = arrival.hook != Hook::Configure;
        self.pending.insert(request.stream, current.arrivals.len());
        current.arrivals.push(arrival);
        is_event
    }

    fn answer(&mut self, at: Duration, response: Response) {
        let position = self.pending.remove(&response.stream);
        let current = self.sequences.last_mut();
        let Some((position, current)) = position.zip(current) else {
            return;
        };
        let Some(arrival) = current.arrivals.get_mut(position) else {
            return;
        };
        match response.result {
            Ok(Payload::Bytes(answer)) if arrival.hook == Hook::Configure => {
                let mask = ConfigureResponse::decode(answer).unwrap_or_default().events;
                if mask != 0 {
                    current.subscribed = EventMask::from_bits_truncate(mask);
                }
            }
            Err(status) if status.code == Code::UNIMPLEMENTED && arrival.hook.event().is_some() => {
                arrival.implemented = false;
            }
            Ok(_) | Err(_) => arrival.answered = Some(at),
        }
    }
}
