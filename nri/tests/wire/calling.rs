//! Calls to the peer, and how they end.

use std::time::Duration;

use bytes::Bytes;
use nri::__private::wire::{Kind, ResponseEnvelope, StatusEnvelope};
use nri::codec::Message as _;
use nri::wire::{CallError, Caller, Code, Limits, Status};
use tokio::task::JoinHandle;

use crate::peer::{PATIENCE, connect};

type Answer = Result<Bytes, CallError>;

fn call(caller: &Caller, payload: &'static str, timeout: Option<Duration>) -> JoinHandle<Answer> {
    let caller = caller.clone();
    tokio::spawn(async move { caller.call("peer.Service", "Do", payload, timeout).await })
}

#[tokio::test]
async fn a_call_has_the_next_odd_stream_id_and_tells_its_timeout() {
    let (tested, mut peer) = connect(Limits::default());
    let calls = [call(&tested.caller, "a", None), call(&tested.caller, "b", Some(PATIENCE))];
    let (first, second) = (peer.next_request().await, peer.next_request().await);
    assert_eq!((first.0, second.0), (1, 3));
    assert_eq!((first.1.service.as_str(), first.1.method.as_str()), ("peer.Service", "Do"));
    for (stream, request) in [&first, &second] {
        let limited = request.payload == "b";
        assert_eq!(request.timeout().is_some_and(|t| !t.is_zero() && t <= PATIENCE), limited);
        peer.answer(*stream, if limited { b"B" } else { b"A" }).await;
    }
    let [a, b] = calls;
    assert_eq!((a.await.unwrap().unwrap(), b.await.unwrap().unwrap()), ("A".into(), "B".into()));
}

#[tokio::test]
async fn answers_may_come_in_any_order() {
    let (tested, mut peer) = connect(Limits::default());
    let calls: Vec<_> = ["a", "b", "c"].map(|payload| call(&tested.caller, payload, None)).into();
    let mut requests = Vec::new();
    for _ in 0..3 {
        requests.push(peer.next_request().await);
    }
    for (stream, request) in requests.into_iter().rev() {
        let response = ResponseEnvelope { status: None, payload: request.payload };
        peer.reply(Kind::Response, stream, &response.encode_to_vec()).await;
    }
    for (call, payload) in calls.into_iter().zip(["a", "b", "c"]) {
        assert_eq!(call.await.unwrap().unwrap(), payload);
    }
}

#[tokio::test]
async fn an_error_status_is_the_error_of_the_call() {
    let (tested, mut peer) = connect(Limits::default());
    let call = call(&tested.caller, "", None);
    let (stream, _) = peer.next_request().await;
    let status = StatusEnvelope { code: 12, message: "no such method".into() };
    let response = ResponseEnvelope { status: Some(status), payload: Bytes::new() };
    peer.reply(Kind::Response, stream, &response.encode_to_vec()).await;
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error, CallError::Status(Status::new(Code::UNIMPLEMENTED, "no such method")));
    assert_eq!(error.code(), Code::UNIMPLEMENTED);
}

#[tokio::test]
async fn answers_to_nothing_are_ignored() {
    let (tested, mut peer) = connect(Limits::default());
    for (kind, stream) in [(Kind::Response, 1), (Kind::Data, 2), (Kind::Other(9), 0)] {
        peer.reply(kind, stream, b"\xff").await;
    }
    peer.assert_serves_on(1).await;
    let call = call(&tested.caller, "", None);
    let (stream, _) = peer.next_request().await;
    peer.answer(stream, b"yes").await;
    peer.answer(stream, b"again").await;
    assert_eq!(call.await.unwrap().unwrap(), "yes");
    peer.assert_serves_on(3).await;
}

#[tokio::test]
async fn what_is_no_response_fails_its_call_only() {
    let (tested, mut peer) = connect(Limits::default());
    for (kind, data, reason) in [
        (Kind::Data, &b""[..], "expected a response, got Data"),
        (Kind::Request, b"", "expected a response, got Request"),
        (Kind::Other(7), b"", "expected a response, got Other(7)"),
        (Kind::Response, b"\xff\xff", "invalid varint"),
    ] {
        let call = call(&tested.caller, "", None);
        let (stream, _) = peer.next_request().await;
        peer.reply(kind, stream, data).await;
        match call.await.unwrap() {
            Err(CallError::Protocol(text) | CallError::Unreadable(text)) => {
                assert!(text.contains(reason), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
    peer.assert_serves_on(1).await;
}

#[tokio::test]
async fn a_call_without_answer_times_out_and_its_late_answer_is_ignored() {
    let (tested, mut peer) = connect(Limits::default());
    let short = Duration::from_millis(20);
    let late = call(&tested.caller, "", Some(short));
    let (late_stream, _) = peer.next_request().await;
    let error = late.await.unwrap().unwrap_err();
    assert_eq!(error, CallError::Timeout(short));
    assert_eq!(error.code(), Code::DEADLINE_EXCEEDED);
    peer.answer(late_stream, b"late").await;

    let next = call(&tested.caller, "", None);
    let (next_stream, _) = peer.next_request().await;
    assert_eq!(next_stream, 3);
    peer.answer(next_stream, b"in time").await;
    assert_eq!(next.await.unwrap().unwrap(), "in time");
}

#[tokio::test]
async fn a_call_too_large_is_not_sent_and_names_both_figures() {
    let (tested, mut peer) = connect(Limits::default());
    let error = tested.caller.call("s", "m", vec![0; 4 << 20], None).await.unwrap_err();
    assert_eq!(error.to_string(), "message of 4194315 bytes, at most 4194304 can be sent");
    assert_eq!(error.code(), Code::RESOURCE_EXHAUSTED);
    peer.assert_serves_on(1).await;
}

#[tokio::test]
async fn calls_beyond_the_limit_wait_for_their_turn() {
    let mut limits = Limits::default();
    limits.calls = 2;
    let (tested, mut peer) = connect(limits);
    let mut calls = Vec::new();
    for payload in ["a", "b", "c"] {
        calls.push(call(&tested.caller, payload, None));
    }
    let (first, _) = peer.next_request().await;
    let (second, _) = peer.next_request().await;
    peer.assert_serves_on(1).await;
    peer.answer(first, b"").await;
    let (third, _) = peer.next_request().await;
    assert_eq!((first, second, third), (1, 3, 5));
    peer.answer(second, b"").await;
    peer.answer(third, b"").await;
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn calls_given_up_make_room_for_others() {
    let mut limits = Limits::default();
    limits.calls = 1;
    let (tested, mut peer) = connect(limits);
    for turn in 0..20u32 {
        let timeout = Some(Duration::from_millis(5));
        let error = call(&tested.caller, "", timeout).await.unwrap().unwrap_err();
        assert_eq!(error.code(), Code::DEADLINE_EXCEEDED, "turn {turn}");
    }
    let answered = call(&tested.caller, "last", None);
    loop {
        let (stream, request) = peer.next_request().await;
        if request.payload == "last" {
            peer.answer(stream, b"first").await;
            break;
        }
    }
    assert_eq!(answered.await.unwrap().unwrap(), "first");
}
