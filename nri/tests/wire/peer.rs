//! A peer that sends exactly the bytes of a test.

use std::time::Duration;

use nri::__private::wire::{
    Demux, FRAME_HEADER_LEN, FrameHeader, Kind, MESSAGE_HEADER_LEN, Message, MessageHeader,
    RequestEnvelope, ResponseEnvelope,
};
use nri::codec::Message as _;
use nri::wire::{Caller, Channels, Code, Connection, ConnectionError, Ended, Limits};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::service::Tester;

/// Logical connections as a plugin sees them.
pub(crate) const CHANNELS: Channels = Channels::PLUGIN;

/// A time limit longer than anything takes here; a test that waits so long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The peer's end of a connection under test.
pub(crate) struct Peer {
    pub(crate) stream: UnixStream,
    demux: Demux,
}

/// A connection under test, served by a task of its own.
pub(crate) struct Tested {
    pub(crate) caller: Caller,
    pub(crate) tester: Tester,
    shutdown: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<Ended, ConnectionError>>,
}

impl Tested {
    /// Returns how the connection ended; it must have been ended.
    pub(crate) async fn ended(self) -> Result<Ended, ConnectionError> {
        timeout(PATIENCE, self.task).await.expect("ends").expect("no panic")
    }

    pub(crate) fn shut_down(&mut self) {
        self.shutdown.take().expect("once").send(()).expect("serves");
    }
}

/// Returns a served connection and its peer.
pub(crate) fn connect(limits: Limits) -> (Tested, Peer) {
    let (ours, theirs) = UnixStream::pair().expect("socket pair");
    let (connection, caller) = Connection::new(ours, CHANNELS, limits);
    let tester = Tester::new(caller.clone());
    let served = tester.clone();
    let (shutdown, asked) = oneshot::channel::<()>();
    let until_asked = async move {
        if asked.await.is_err() {
            std::future::pending().await
        }
    };
    let task = tokio::spawn(async move { connection.serve_until(&served, until_asked).await });
    let peer = Peer { stream: theirs, demux: Demux::new([1, 2]) };
    (Tested { caller, tester, shutdown: Some(shutdown), task }, peer)
}

pub(crate) fn frame(connection: u32, payload: &[u8]) -> Vec<u8> {
    let header = FrameHeader { connection, length: payload.len() as u32 };
    [&header.encode()[..], payload].concat()
}

pub(crate) fn message(kind: Kind, stream: u32, data: &[u8]) -> Vec<u8> {
    let header = MessageHeader { length: data.len() as u32, stream, kind, flags: 0 };
    [&header.encode()[..], data].concat()
}

pub(crate) fn request(method: &str, payload: impl Into<Vec<u8>>) -> RequestEnvelope {
    RequestEnvelope {
        service: "test.Service".into(),
        method: method.into(),
        payload: payload.into().into(),
        timeout_nano: 0,
    }
}

/// Returns the payload of an answer, or its code and message.
pub(crate) type Answer = Result<Vec<u8>, (Code, String)>;

impl Peer {
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        timeout(PATIENCE, self.stream.write_all(bytes)).await.expect("read").expect("written");
    }

    /// Sends a message on the connection that the tested side serves.
    pub(crate) async fn ask(&mut self, kind: Kind, stream: u32, data: &[u8]) {
        self.send(&frame(1, &message(kind, stream, data))).await;
    }

    pub(crate) async fn request(&mut self, stream: u32, method: &str, payload: impl Into<Vec<u8>>) {
        self.ask(Kind::Request, stream, &request(method, payload).encode_to_vec()).await;
    }

    /// Sends a message on the connection that the tested side calls on.
    pub(crate) async fn reply(&mut self, kind: Kind, stream: u32, data: &[u8]) {
        self.send(&frame(2, &message(kind, stream, data))).await;
    }

    pub(crate) async fn answer(&mut self, stream: u32, payload: &'static [u8]) {
        let response = ResponseEnvelope { status: None, payload: payload.into() };
        self.reply(Kind::Response, stream, &response.encode_to_vec()).await;
    }

    /// Returns the next message, or `None` when the tested side has closed.
    pub(crate) async fn next(&mut self) -> Option<Message> {
        let next = async {
            loop {
                if let Some(message) = self.demux.next_message().expect("well-formed") {
                    return Some(message);
                }
                let stream = &mut self.stream;
                let demux = &mut self.demux;
                let count = std::future::poll_fn(|cx| demux.poll_fill(stream, cx)).await;
                if count.is_ok_and(|count| count == 0) {
                    return None;
                }
            }
        };
        timeout(PATIENCE, next).await.expect("an answer in time")
    }

    /// Returns the next message, which must be an answer: its stream and what it says.
    pub(crate) async fn next_answer(&mut self) -> (u32, Answer) {
        let message = self.next().await.expect("open");
        assert_eq!((message.connection, message.header.kind), (1, Kind::Response));
        let response = ResponseEnvelope::decode(message.data).expect("a response");
        let answer = match response.status {
            Some(status) => Err((Code(status.code), status.message)),
            None => Ok(response.payload.to_vec()),
        };
        (message.header.stream, answer)
    }

    /// Returns the next message, which must be a request: its stream and content.
    pub(crate) async fn next_request(&mut self) -> (u32, RequestEnvelope) {
        let message = self.next().await.expect("open");
        assert_eq!((message.connection, message.header.kind), (2, Kind::Request));
        (message.header.stream, RequestEnvelope::decode(message.data).expect("a request"))
    }

    /// Asserts that the connection continues to serve, and that nothing was sent in the meantime.
    pub(crate) async fn assert_serves_on(&mut self, stream: u32) {
        self.request(stream, "Echo", "on").await;
        assert_eq!(self.next_answer().await, (stream, Ok(b"on".to_vec())));
    }
}

/// Length of all headers of a message in one frame.
pub(crate) const HEADERS: usize = FRAME_HEADER_LEN + MESSAGE_HEADER_LEN;
