//! The connections of a recording.

use std::collections::BTreeMap;
use std::fmt;
use std::io::BufRead;

use bytes::Bytes;
use nri::api::RegisterPluginRequest;
use nri::codec::Message as _;
use nri::wire::Status;

use super::super::frame::{Frame, FrameEvent, Party, Payload, Request, Response};
use super::super::reader::Reader;
use crate::error::{Error, ErrorKind, Result};

/// The maximum number of bytes of a connection's unsolicited updates that are compared. Later updates are ignored.
pub(super) const MAX_UPDATE_BYTES: usize = 16 << 20;

/// A connection in a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectionInfo {
    /// The number of the connection, from 1.
    pub number: u32,
    /// The index and the name that the plugin registered with, such as `10-logger`; empty if it did not register.
    pub plugin: String,
    /// The number of requests that the runtime sent.
    pub requests: u64,
    /// The unsolicited updates.
    pub(super) updates: Vec<Update>,
    update_bytes: usize,
}

/// An unsolicited update of a plugin, with the runtime's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Update {
    stream: u32,
    /// The encoded UpdateContainersRequest.
    pub(super) request: Bytes,
    pub(super) answer: Result<Bytes, Status>,
}

impl fmt::Display for ConnectionInfo {
    /// Writes `2 (10-logger, 35 requests)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConnectionInfo {
            number,
            plugin,
            requests,
            ..
        } = self;
        let plugin = if plugin.is_empty() {
            "not registered"
        } else {
            plugin
        };
        write!(f, "{number} ({plugin}, {requests} requests)")
    }
}

/// Reads a whole recording and returns its connections.
pub(super) fn connections(reader: &mut Reader<impl BufRead>) -> Result<Vec<ConnectionInfo>> {
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
        match request.method.as_str() {
            "RegisterPlugin" => {
                if let Ok(plugin) = RegisterPluginRequest::decode(&**payload) {
                    self.plugin = format!("{}-{}", plugin.plugin_idx, plugin.plugin_name);
                }
            }
            "UpdateContainers" => {
                self.update_bytes += payload.len();
                if self.update_bytes <= MAX_UPDATE_BYTES {
                    self.updates.push(Update {
                        stream: request.stream,
                        request: payload.clone(),
                        answer: Ok(Bytes::new()),
                    });
                }
            }
            _other => {}
        }
    }

    fn add_runtime_answer(&mut self, response: Response) {
        let mut updates = self.updates.iter_mut().rev();
        if let Some(update) = updates.find(|update| update.stream == response.stream) {
            update.answer = response.result.map(|payload| match payload {
                Payload::Bytes(bytes) => bytes,
                Payload::Withheld(_) => Bytes::new(),
            });
        }
    }
}

/// Returns the connection to replay: that with this number, or else the only connection with requests.
pub(super) fn select(
    connections: Vec<ConnectionInfo>,
    number: Option<u32>,
) -> Result<ConnectionInfo> {
    let list = |connections: &[ConnectionInfo]| {
        let shown: Vec<_> = connections.iter().take(20).map(|c| c.to_string()).collect();
        format!("choose one of the connections {}", shown.join(", "))
    };
    let mut usable: Vec<_> = connections
        .into_iter()
        .filter(|connection| connection.requests > 0)
        .collect();
    if usable.is_empty() {
        return Err(Error::of(
            ErrorKind::Selection,
            "the recording has no requests to replay",
        ));
    }
    if let Some(number) = number {
        let help = list(&usable);
        let found = usable.into_iter().find(|info| info.number == number);
        return found.ok_or_else(|| {
            let message = format!("the recording has no connection {number} with requests");
            Error::of(ErrorKind::Selection, message).with_help(help)
        });
    }
    if usable.len() > 1 {
        let message = format!("the recording has {} connections", usable.len());
        return Err(Error::of(ErrorKind::Selection, message).with_help(list(&usable)));
    }
    Ok(usable.swap_remove(0))
}
