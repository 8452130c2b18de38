//! The runtime's side of a recording, judged by the statements about the order of events.
//!
//! A recording has no requests of a CRI client and no state of the node, so that the other statements do not apply. Each
//! connection of the recording is judged on its own.
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

use bytes::Bytes;
use nri::api::{ConfigureResponse, EventMask, RegisterPluginRequest, SynchronizeRequest};
use nri::codec::Message as _;
use nri::wire::Code;

use crate::record::{
    Error, ErrorKind, FrameEvent, Party, Payload, Reader, Request, Response, Result,
};
use crate::result::{Report, Subject};
use crate::runtime::event::{EventRequest, Hook};
use crate::runtime::judgement::judged;
use crate::runtime::sequence::{Arrival, Sequence};
use crate::runtime::{deviations, order};

/// The maximum number of events of a recording that are judged.
pub const MAX_EVENTS: usize = 1_000_000;

/// Judges the runtime of a recording by the statements that `selects` returns true for.
///
/// # Errors
///
/// Returns the errors of [`Reader`], and [`ErrorKind::TooLarge`] if the recording has more than [`MAX_EVENTS`] events.
pub fn judge(recording: impl AsRef<Path>, selects: impl Fn(&str) -> bool) -> Result<Report> {
    let path = recording.as_ref();
    judge_reader(Reader::open(path)?, selects).map_err(|error| error.in_file(path))
}

/// Judges the runtime of a recording that is not in a file.
///
/// # Errors
///
/// Returns the errors of [`judge`].
pub fn judge_reader(
    mut reader: Reader<impl BufRead>,
    selects: impl Fn(&str) -> bool,
) -> Result<Report> {
    let sequences = sequences(&mut reader)?;
    let header = reader.header().clone();
    let (name, version) = (header.runtime, header.runtime_version);
    let subject = Subject::runtime(name.unwrap_or_default(), version.unwrap_or_default());
    let results = deviations::mark(&subject, judged(order::TESTS, selects, Ok(&sequences)));
    Ok(Report { subject, results })
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
pub(super) struct Connection {
    registrations: Vec<Registration>,
    /// The requests without an answer, by their streams.
    pending: HashMap<u32, Pending>,
    /// True if the rest cannot be judged.
    lost: bool,
}

/// Everything from one registration to the next.
#[derive(Debug)]
struct Registration {
    plugin: String,
    subscribed: EventMask,
    /// `None` for a request that the plugin does not implement: the runtime repeats it as StateChange.
    arrivals: Vec<Option<Arrival>>,
    known_pods: Vec<String>,
    known_containers: Vec<String>,
}

/// A request of the runtime without an answer.
#[derive(Debug)]
enum Pending {
    Configure,
    /// The event with this position.
    Event(usize),
}

impl Connection {
    /// Adds a frame. Returns true if it is an event.
    pub(super) fn add(&mut self, at: Duration, frame: FrameEvent) -> bool {
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
    pub(super) fn sequences(self, number: u32) -> impl Iterator<Item = Sequence> {
        let registrations = self.registrations.into_iter();
        registrations.map(move |registration| registration.sequence(number))
    }

    fn plugin_request(&mut self, request: &Request) {
        if request.method != "RegisterPlugin" {
            return;
        }
        let registered = request.payload.bytes().cloned().unwrap_or_default();
        let plugin = RegisterPluginRequest::decode(registered).unwrap_or_default();
        let name = match plugin.plugin_idx.as_str() {
            "" => plugin.plugin_name,
            index => format!("{index}-{}", plugin.plugin_name),
        };
        self.registrations.push(Registration::new(name));
    }

    fn runtime_request(&mut self, at: Duration, request: &Request) -> bool {
        if self.registrations.is_empty() {
            // The recording begins after the registration.
            self.registrations.push(Registration::new(String::new()));
        }
        let (Some(payload), Some(current)) =
            (request.payload.bytes(), self.registrations.last_mut())
        else {
            self.lost = true;
            return false;
        };
        match request.method.as_str() {
            "Configure" => {
                current
                    .arrivals
                    .push(Some(Arrival::of(EventRequest::of_all(Hook::Configure), at)));
                self.pending.insert(request.stream, Pending::Configure);
                false
            }
            "Synchronize" => current.synchronize(at, payload.clone()),
            method => {
                let Some(event) = EventRequest::read(method, payload.clone()) else {
                    return false;
                };
                let position = Pending::Event(current.arrivals.len());
                current.arrivals.push(Some(Arrival::of(event, at)));
                self.pending.insert(request.stream, position);
                true
            }
        }
    }

    fn answer(&mut self, at: Duration, response: Response) {
        let Some(pending) = self.pending.remove(&response.stream) else {
            return;
        };
        let Some(current) = self.registrations.last_mut() else {
            return;
        };
        match (pending, response.result) {
            (Pending::Configure, Ok(Payload::Bytes(answer))) => current.configured(answer),
            (Pending::Configure, _) => {}
            (Pending::Event(position), result) => {
                let unknown = result.is_err_and(|status| status.code == Code::UNIMPLEMENTED);
                current.answered(position, at, unknown);
            }
        }
    }
}

impl Registration {
    fn new(plugin: String) -> Registration {
        Registration {
            plugin,
            subscribed: EventMask::ALL,
            arrivals: Vec::new(),
            known_pods: Vec::new(),
            known_containers: Vec::new(),
        }
    }

    fn configured(&mut self, answer: Bytes) {
        let mask = ConfigureResponse::decode(answer).unwrap_or_default().events;
        if mask != 0 {
            self.subscribed = EventMask::from_bits_truncate(mask);
        }
    }

    /// Adds a part of the state. Returns true for the last one.
    fn synchronize(&mut self, at: Duration, payload: Bytes) -> bool {
        let state = SynchronizeRequest::decode(payload).unwrap_or_default();
        self.known_pods
            .extend(state.pods.into_iter().map(|pod| pod.id));
        let containers = state.containers.into_iter();
        self.known_containers
            .extend(containers.map(|container| container.id));
        if !state.more {
            self.arrivals.push(Some(Arrival::of(
                EventRequest::of_all(Hook::Synchronize),
                at,
            )));
        }
        !state.more
    }

    fn answered(&mut self, position: usize, at: Duration, unknown: bool) {
        let Some(slot) = self.arrivals.get_mut(position) else {
            return;
        };
        if unknown {
            *slot = None;
        } else if let Some(arrival) = slot {
            arrival.answered = Some(at);
        }
    }

    fn sequence(self, connection: u32) -> Sequence {
        let plugin = format!("{} on connection {connection}", self.plugin);
        let mut sequence = Sequence::new(plugin.trim_start().to_owned(), self.subscribed);
        sequence.arrivals = self.arrivals.into_iter().flatten().collect();
        sequence.known_pods.extend(self.known_pods);
        sequence.known_containers.extend(self.known_containers);
        sequence
    }
}
