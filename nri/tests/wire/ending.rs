//! How connections end.

use std::time::Duration;

use nri::__private::wire::{FrameHeader, Kind, MessageHeader};
use nri::wire::{CallError, Code, ConnectionError, Ended, Limits};
use tokio::io::AsyncWriteExt as _;

use crate::peer::{connect, frame, message};

#[tokio::test]
async fn a_peer_that_closes_between_messages_ends_it_in_order() {
    let (tested, mut peer) = connect(Limits::default());
    peer.assert_serves_on(1).await;
    drop(peer);
    let caller = tested.caller.clone();
    assert_eq!(tested.ended().await.unwrap(), Ended::ByPeer);
    assert!(caller.is_closed());
    let error = caller.call("s", "m", "", None).await.unwrap_err();
    assert_eq!((error.code(), error), (Code::UNAVAILABLE, CallError::Closed));
}

#[tokio::test]
async fn requests_under_way_are_answered_to_a_half_closed_socket_and_calls_fail() {
    let (tested, mut peer) = connect(Limits::default());
    peer.request(1, "Wait", "last words").await;
    let caller = tested.caller.clone();
    let call = tokio::spawn(async move { caller.call("s", "m", "", None).await });
    peer.next_request().await;
    peer.stream.shutdown().await.unwrap();
    assert_eq!(call.await.unwrap(), Err(CallError::Closed));

    tested.tester.gate.add_permits(1);
    assert_eq!(peer.next_answer().await, (1, Ok(b"last words".to_vec())));
    assert_eq!(peer.next().await, None);
    assert_eq!(tested.ended().await.unwrap(), Ended::ByPeer);
}

#[tokio::test]
async fn requests_that_do_not_finish_are_dropped_after_the_linger_time() {
    let mut limits = Limits::default();
    limits.linger = Duration::from_millis(10);
    let (tested, mut peer) = connect(limits);
    peer.request(1, "Wait", "").await;
    peer.assert_serves_on(3).await;
    peer.stream.shutdown().await.unwrap();
    let tester = tested.tester.clone();
    assert_eq!(tested.ended().await.unwrap(), Ended::ByPeer);
    assert_eq!(tester.alive(), 0);
    assert_eq!(peer.next().await, None);
}

#[tokio::test]
async fn an_answer_that_the_gone_peer_cannot_get_is_no_error() {
    let (tested, mut peer) = connect(Limits::default());
    peer.request(1, "Wait", "").await;
    peer.assert_serves_on(3).await;
    drop(peer);
    tested.tester.gate.add_permits(1);
    assert_eq!(tested.ended().await.unwrap(), Ended::ByPeer);
}

#[tokio::test]
async fn an_end_within_a_frame_or_message_is_an_error() {
    let whole = frame(1, &message(Kind::Request, 1, b"request"));
    let half = frame(1, &message(Kind::Request, 1, b"request")[..12]);
    for (bytes, part) in
        [(&whole[..3], "frame header"), (&whole[..20], "frame"), (&half[..], "message")]
    {
        let (tested, mut peer) = connect(Limits::default());
        peer.send(bytes).await;
        drop(peer);
        match tested.ended().await {
            Err(ConnectionError::Truncated(cut)) => assert_eq!(cut, part),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_exceeds_the_protocol_ends_the_connection_and_fails_calls() {
    let frame_header = FrameHeader { connection: 2, length: 4_194_315 }.encode();
    let header =
        MessageHeader { length: 4_194_305, stream: 1, kind: Kind::Request, flags: 0 }.encode();
    for (bytes, text) in [
        (
            frame_header.to_vec(),
            "frame of 4194315 bytes on connection id 2, at most 4194314 are allowed",
        ),
        (
            frame(1, &header),
            "message of 4194305 bytes on connection id 1, stream 1, at most 4194304 are allowed",
        ),
    ] {
        let (tested, mut peer) = connect(Limits::default());
        let caller = tested.caller.clone();
        let call = tokio::spawn(async move { caller.call("s", "m", "", None).await });
        peer.next_request().await;
        peer.send(&bytes).await;
        assert_eq!(call.await.unwrap(), Err(CallError::Closed));
        assert_eq!(tested.ended().await.unwrap_err().to_string(), text);
        assert_eq!(peer.next().await, None);
    }
}

#[tokio::test]
async fn a_shutdown_finishes_what_is_under_way_and_takes_nothing_new() {
    let (mut tested, mut peer) = connect(Limits::default());
    peer.request(1, "Back", "question").await;
    let (stream, _) = peer.next_request().await;
    tested.shut_down();
    peer.request(3, "Echo", "unheard").await;
    peer.answer(stream, b"answer").await;
    assert_eq!(peer.next_answer().await, (1, Ok(b"answer".to_vec())));
    assert_eq!(peer.next().await, None);
    assert_eq!(tested.ended().await.unwrap(), Ended::ByShutdown);
}

#[tokio::test]
async fn a_shutdown_with_nothing_under_way_ends_at_once() {
    let (mut tested, mut peer) = connect(Limits::default());
    peer.assert_serves_on(1).await;
    tested.shut_down();
    assert_eq!(tested.ended().await.unwrap(), Ended::ByShutdown);
    assert_eq!(peer.next().await, None);
}
