//! Answers to a peer's requests, well-formed or not.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use nri::__private::wire::Kind;
use nri::codec::Message as _;
use nri::wire::{Code, Connection, Limits};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::peer::{CHANNELS, HEADERS, connect, frame, message, request};
use crate::service::Tester;

fn invalid(text: &str) -> (Code, String) {
    (Code::INVALID_ARGUMENT, text.to_owned())
}

#[tokio::test]
async fn even_stream_id_is_an_invalid_argument() {
    let (_tested, mut peer) = connect(Limits::default());
    peer.request(4, "Echo", "x").await;
    let refusal = invalid("stream id of a client must be odd");
    assert_eq!(peer.next_answer().await, (4, Err(refusal)));
    peer.assert_serves_on(1).await;
}

#[tokio::test]
async fn used_or_smaller_stream_id_is_an_invalid_argument() {
    let (_tested, mut peer) = connect(Limits::default());
    peer.assert_serves_on(5).await;
    for stream in [5, 3] {
        peer.request(stream, "Echo", "x").await;
        let refusal = invalid("stream id must be larger than the last");
        assert_eq!(peer.next_answer().await, (stream, Err(refusal)));
    }
    peer.assert_serves_on(u32::MAX).await;
}

#[tokio::test]
async fn unreadable_request_is_an_invalid_argument() {
    let (tested, mut peer) = connect(Limits::default());
    peer.ask(Kind::Request, 1, b"\xff\xff\xff").await;
    let (stream, answer) = peer.next_answer().await;
    let (code, text) = answer.unwrap_err();
    assert_eq!((stream, code), (1, Code::INVALID_ARGUMENT));
    assert!(text.starts_with("unreadable request: "), "{text}");
    assert_eq!(tested.tester.started(), 0);
    peer.assert_serves_on(3).await;
}

#[tokio::test]
async fn stream_data_is_an_invalid_argument_and_ends_the_request_under_way() {
    let (tested, mut peer) = connect(Limits::default());
    peer.ask(Kind::Data, 1, b"").await;
    assert_eq!(peer.next_answer().await, (1, Err(invalid("stream takes no data"))));

    peer.request(3, "Wait", "").await;
    peer.assert_serves_on(5).await;
    assert_eq!(tested.tester.alive(), 1);
    peer.ask(Kind::Data, 3, b"data").await;
    assert_eq!(peer.next_answer().await, (3, Err(invalid("stream takes no data"))));
    assert_eq!(tested.tester.alive(), 0);
    tested.tester.gate.add_permits(1);
    peer.assert_serves_on(7).await;
}

#[tokio::test]
async fn responses_and_unknown_types_are_ignored() {
    let (_tested, mut peer) = connect(Limits::default());
    peer.ask(Kind::Response, 1, b"").await;
    peer.ask(Kind::Other(0), 3, b"").await;
    peer.ask(Kind::Other(255), 5, b"data").await;
    peer.assert_serves_on(1).await;
}

#[tokio::test]
async fn frames_for_unknown_connections_and_empty_frames_are_dropped() {
    let (_tested, mut peer) = connect(Limits::default());
    let unheard = message(Kind::Request, 1, &request("Echo", "x").encode_to_vec());
    for connection in [0, 3, u32::MAX] {
        peer.send(&frame(connection, &unheard)).await;
    }
    for _ in 0..200 {
        peer.send(&frame(1, b"")).await;
    }
    peer.assert_serves_on(1).await;
}

#[tokio::test]
async fn unknown_method_is_unimplemented() {
    let (_tested, mut peer) = connect(Limits::default());
    peer.request(1, "New", "").await;
    let refusal = (Code::UNIMPLEMENTED, "unknown method test.Service/New".to_owned());
    assert_eq!(peer.next_answer().await, (1, Err(refusal)));
}

#[tokio::test]
async fn stream_flags_of_a_request_are_ignored() {
    let (_tested, mut peer) = connect(Limits::default());
    let mut bytes = frame(1, &message(Kind::Request, 1, &request("Echo", "x").encode_to_vec()));
    bytes[HEADERS - 1] = 0x3;
    peer.send(&bytes).await;
    assert_eq!(peer.next_answer().await, (1, Ok(b"x".to_vec())));
}

#[tokio::test]
async fn a_slow_request_holds_up_no_other() {
    let (tested, mut peer) = connect(Limits::default());
    peer.request(1, "Wait", "slow").await;
    peer.assert_serves_on(3).await;
    tested.tester.gate.add_permits(1);
    assert_eq!(peer.next_answer().await, (1, Ok(b"slow".to_vec())));
}

#[tokio::test]
async fn a_request_under_way_may_call_the_peer() {
    let (_tested, mut peer) = connect(Limits::default());
    peer.request(1, "Back", "to you").await;
    let (stream, call) = peer.next_request().await;
    assert_eq!((call.method.as_str(), &call.payload[..]), ("Back", &b"to you"[..]));
    peer.answer(stream, b"and back").await;
    assert_eq!(peer.next_answer().await, (1, Ok(b"and back".to_vec())));
}

#[tokio::test]
async fn a_panic_is_an_internal_error_of_its_request_only() {
    let (_tested, mut peer) = connect(Limits::default());
    peer.request(1, "Wait", "").await;
    peer.request(3, "Panic", "").await;
    let answer = (Code::INTERNAL, "handler panicked: broken on purpose".to_owned());
    assert_eq!(peer.next_answer().await, (3, Err(answer)));
    peer.assert_serves_on(5).await;
}

#[tokio::test]
async fn the_handler_is_told_how_long_the_peer_waits() {
    let (_tested, mut peer) = connect(Limits::default());
    for (stream, nanos, shown) in [(1, 0, "None None"), (3, -1, "Some(0ns) Some(0ns)")] {
        let request =
            nri::__private::wire::RequestEnvelope { timeout_nano: nanos, ..request("Left", "") };
        peer.ask(Kind::Request, stream, &request.encode_to_vec()).await;
        assert_eq!(peer.next_answer().await, (stream, Ok(shown.into())));
    }
    let hour = Duration::from_secs(3600).as_nanos() as i64;
    let request =
        nri::__private::wire::RequestEnvelope { timeout_nano: hour, ..request("Left", "") };
    peer.ask(Kind::Request, 5, &request.encode_to_vec()).await;
    let left = String::from_utf8(peer.next_answer().await.1.unwrap()).unwrap();
    assert!(left.starts_with("Some(3600s) Some(3599."), "{left}");
}

#[tokio::test]
async fn requests_beyond_the_limit_are_refused_and_the_others_answered() {
    let (tested, mut peer) = connect(Limits::default());
    for stream in (1..).step_by(2).take(64) {
        peer.request(stream, "Wait", "").await;
    }
    peer.request(129, "Echo", "").await;
    let text = "64 requests in progress, at most 64 are allowed".to_owned();
    assert_eq!(peer.next_answer().await, (129, Err((Code::RESOURCE_EXHAUSTED, text))));
    tested.tester.gate.add_permits(64);
    for stream in (1..).step_by(2).take(64) {
        assert_eq!(peer.next_answer().await, (stream, Ok(vec![])));
    }
    peer.assert_serves_on(131).await;
}

#[tokio::test]
async fn request_bytes_beyond_the_limit_are_refused() {
    let mut limits = Limits::default();
    limits.request_bytes = 1000;
    let (tested, mut peer) = connect(limits);
    peer.request(1, "Wait", vec![0; 2000]).await;
    peer.request(3, "Echo", "").await;
    let (stream, answer) = peer.next_answer().await;
    let (code, text) = answer.unwrap_err();
    assert_eq!((stream, code), (3, Code::RESOURCE_EXHAUSTED));
    assert!(text.ends_with("bytes in progress, at most 1000 are allowed"), "{text}");
    tested.tester.gate.add_permits(1);
    assert_eq!(peer.next_answer().await, (1, Ok(vec![0; 2000])));
    peer.assert_serves_on(5).await;
}

#[tokio::test]
async fn an_answer_too_large_is_a_refusal_and_the_connection_serves_on() {
    let (_tested, mut peer) = connect(Limits::default());
    peer.request(1, "Big", "4194305").await;
    let text = "answer not sent: message of 4194310 bytes, at most 4194304 can be sent".to_owned();
    assert_eq!(peer.next_answer().await, (1, Err((Code::RESOURCE_EXHAUSTED, text))));
    peer.assert_serves_on(3).await;
}

#[tokio::test]
async fn a_peer_that_does_not_read_is_not_answered_in_advance() {
    let (tested, mut peer) = connect(Limits::default());
    let caller = tested.caller.clone();
    let call = tokio::spawn(async move { caller.call("peer.Service", "Sync", "", None).await });
    let (sync_stream, _) = peer.next_request().await;
    let requests = (1..).step_by(2).take(60);
    for stream in requests.clone() {
        peer.request(stream, "Big", "1000000").await;
    }
    peer.answer(sync_stream, b"").await;

    // The answer is behind the requests: when it is there, they have been read.
    call.await.unwrap().unwrap();
    assert!(tested.tester.started() <= 6, "{} of 60 answered", tested.tester.started());
    for stream in requests {
        let (answered, answer) = peer.next_answer().await;
        assert_eq!((answered, answer.unwrap().len()), (stream, 1_000_000));
    }
}

/// Sends the same message, which is refused, forever and never reads.
struct Flood {
    message: Vec<u8>,
    sent: Arc<AtomicUsize>,
}

impl AsyncRead for Flood {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while buffer.remaining() >= self.message.len() {
            buffer.put_slice(&self.message);
            self.sent.fetch_add(1, Ordering::SeqCst);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Flood {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }
}

#[tokio::test]
async fn a_flood_of_refusals_that_nobody_reads_stops_the_reading() {
    let sent = Arc::new(AtomicUsize::new(0));
    let message = frame(1, &message(Kind::Request, 2, b""));
    let flood = Flood { message, sent: sent.clone() };
    let mut limits = Limits::default();
    limits.unsent_bytes = 1000;
    let (connection, caller) = Connection::new(flood, CHANNELS, limits);
    let tester = Tester::new(caller);
    let mut serving = pin!(connection.serve(&tester));

    let pending = serving.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(pending.is_pending());
    let refusals = sent.load(Ordering::SeqCst);
    let refusal = HEADERS + "\x0a\x25\x08\x03\x12\x21stream id of a client must be odd".len();
    let held = refusals * refusal;
    assert!(held > 1000 && held < 5 << 20, "{held} bytes held for {refusals} messages");
}
