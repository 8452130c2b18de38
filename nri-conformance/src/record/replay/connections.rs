//! The connections of a recording, and the requests of one of them with their answers.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::time::Duration;

use bytes::Bytes;
use nri::__private::RuntimeRpc;
use nri::api::RegisterPluginRequest;
use nri::codec::Message as _;
use nri::wire::Status;

use crate::error::{Error, ErrorKind, Result};
use crate::record::frame::{Closer, Frame, FrameEvent, Party, Payload, Request, Response, Source};
use crate::record::reader::Reader;
use crate::session::MAX_UPDATE_BYTES;

/// The maximum number of requests that are held back until the answer to the oldest one is found.
/// Runtimes send one at a time.
const MAX_PENDING: usize = 64;

/// A connection in a recording.
#[derive(Debug, Default)]
pub(super) struct ConnectionInfo {
    /// The number of the connection, from 1.
    pub(super) number: u32,
    /// The index and the name that the plugin registered with, such as `10-logger`; empty if it did
    /// not register.
    pub(super) plugin: String,
    /// The number of requests that the runtime sent.
    requests: u64,
    /// The unsolicited updates.
    pub(super) updates: Vec<Update>,
    update_bytes: usize,
}

/// An unsolicited update of a plugin, with the runtime's answer.
#[derive(Debug)]
pub(super) struct Update {
    stream: u32,
    /// The encoded UpdateContainersRequest.
    pub(super) request: Bytes,
    pub(super) answer: Result<Bytes, Status>,
}

impl fmt::Display for ConnectionInfo {
    /// Writes `2 (10-logger, 35 requests)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plugin = match self.plugin.as_str() {
            "" => "not registered",
            plugin => plugin,
        };
        let (number, requests) = (self.number, self.requests);
        write!(f, "{number} ({plugin}, {requests} requests)")
    }
}

/// Reads a whole recording and returns its connections.
pub(super) fn connections(reader: &mut Reader<BufReader<File>>) -> Result<Vec<ConnectionInfo>> {
    let mut found = BTreeMap::new();
    while let Some(frame) = reader.next_frame()? {
        let info: &mut ConnectionInfo = found.entry(frame.connection).or_default();
        info.number = frame.connection;
        info.add(frame);
    }
    Ok(found.into_values().collect())
}

impl ConnectionInfo {
    fn add(&mut self, frame: Frame) {
        match frame.event {
            FrameEvent::Request(request) if request.by == Party::Runtime => self.requests += 1,
            FrameEvent::Request(request) => self.add_plugin_request(&request),
            FrameEvent::Response(response) if response.by == Party::Runtime => {
                self.add_runtime_answer(response);
            }
            FrameEvent::Response(_)
            | FrameEvent::Opened
            | FrameEvent::Other { .. }
            | FrameEvent::Lost { .. }
            | FrameEvent::Closed { .. } => {}
        }
    }

    fn add_plugin_request(&mut self, request: &Request) {
        let Some(payload) = request.payload.bytes() else {
            return;
        };
        let Some(called) = RuntimeRpc::from_name(&request.method) else {
            return;
        };
        match called {
            RuntimeRpc::RegisterPlugin => {
                if let Ok(plugin) = RegisterPluginRequest::decode(&**payload) {
                    self.plugin = format!("{}-{}", plugin.plugin_idx, plugin.plugin_name);
                }
            }
            RuntimeRpc::UpdateContainers => {
                self.update_bytes += payload.len();
                if self.update_bytes <= MAX_UPDATE_BYTES {
                    self.updates.push(Update {
                        stream: request.stream,
                        request: payload.clone(),
                        answer: Ok(Bytes::new()),
                    });
                }
            }
        }
    }

    fn add_runtime_answer(&mut self, response: Response) {
        if let Some(update) =
            self.updates.iter_mut().rev().find(|update| update.stream == response.stream)
        {
            update.answer = response.result.map(|payload| match payload {
                Payload::Bytes(bytes) => bytes,
                Payload::Withheld(_) => Bytes::new(),
            });
        }
    }
}

/// Returns the connection to replay: that with this number, or else the only connection with
/// requests.
pub(super) fn select(
    connections: Vec<ConnectionInfo>,
    number: Option<u32>,
) -> Result<ConnectionInfo> {
    let mut usable = connections;
    usable.retain(|connection| connection.requests > 0);
    let found = match number {
        Some(number) => usable.iter().position(|info| info.number == number),
        None => (usable.len() == 1).then_some(0),
    };
    if let Some(found) = found {
        return Ok(usable.swap_remove(found));
    }
    let message = match number {
        _ if usable.is_empty() => {
            let message = "the recording has no requests to replay";
            return Err(Error::of(ErrorKind::Selection, message));
        }
        Some(number) => format!("the recording has no connection {number} with requests"),
        None => format!("the recording has {} connections", usable.len()),
    };
    let shown: Vec<_> = usable.iter().take(20).map(ToString::to_string).collect();
    let help = format!("choose one of the connections {}", shown.join(", "));
    Err(Error::of(ErrorKind::Selection, message).with_help(help))
}

/// A request of the runtime.
#[derive(Debug)]
pub(super) struct Exchange {
    /// The number of the request among those of the connection, from 1.
    pub(super) number: u64,
    /// The time since the start of the recording.
    pub(super) at: Duration,
    pub(super) request: Request,
    pub(super) answer: RecordedAnswer,
}

/// The plugin's recorded answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordedAnswer {
    Given(Result<Payload, Status>),
    /// The plugin did not answer.
    Missing,
    /// Answers were not recorded.
    Unknown,
}

/// Pairs the requests of one connection with their answers, in the order of the requests.
pub(super) struct Exchanges {
    reader: Reader<BufReader<File>>,
    connection: u32,
    pending: VecDeque<Exchange>,
    number: u64,
    /// True once the connection has ended.
    ended: bool,
}

impl Exchanges {
    pub(super) fn new(reader: Reader<BufReader<File>>, connection: u32) -> Self {
        Exchanges { reader, connection, pending: VecDeque::new(), number: 0, ended: false }
    }

    /// Returns the next request.
    pub(super) fn next(&mut self) -> Result<Option<Exchange>> {
        while !self.ended && !self.is_next_known() {
            match self.reader.next_frame()? {
                Some(frame) if frame.connection == self.connection => self.add(frame),
                Some(_) => {}
                None => self.end(self.reader.end().is_some_and(|end| end.dropped > 0)),
            }
        }
        Ok(self.pending.pop_front())
    }

    fn is_next_known(&self) -> bool {
        let known = |exchange: &Exchange| match self.reader.header().source {
            Source::Observer => true,
            Source::Proxy => exchange.answer != RecordedAnswer::Missing,
        };
        self.pending.front().is_some_and(known) || self.pending.len() >= MAX_PENDING
    }

    fn add(&mut self, frame: Frame) {
        match frame.event {
            FrameEvent::Request(request) if request.by == Party::Runtime => {
                self.number += 1;
                self.pending.push_back(Exchange {
                    number: self.number,
                    at: frame.at,
                    request,
                    answer: match self.reader.header().source {
                        Source::Observer => RecordedAnswer::Unknown,
                        Source::Proxy => RecordedAnswer::Missing,
                    },
                });
            }
            FrameEvent::Response(response) if response.by == Party::Plugin => self.answer(response),
            FrameEvent::Lost { .. } => self.end(true),
            FrameEvent::Closed { by, .. } => self.end(by == Closer::Recorder),
            FrameEvent::Opened
            | FrameEvent::Request(_)
            | FrameEvent::Response(_)
            | FrameEvent::Other { .. } => {}
        }
    }

    fn answer(&mut self, response: Response) {
        let asked = self.pending.iter_mut().find(|exchange| {
            exchange.request.stream == response.stream && exchange.answer == RecordedAnswer::Missing
        });
        if let Some(exchange) = asked {
            exchange.answer = RecordedAnswer::Given(response.result);
        }
    }

    /// Records the end of the connection. If only its recording ended, a missing answer has no
    /// meaning.
    fn end(&mut self, lost: bool) {
        self.ended = true;
        if lost {
            for exchange in &mut self.pending {
                if exchange.answer == RecordedAnswer::Missing {
                    exchange.answer = RecordedAnswer::Unknown;
                }
            }
        }
    }
}
