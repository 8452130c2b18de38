//! Events under a runtime controlled by the test: errors, panics, counters, spans.
#![allow(deprecated)]

use crate::support::actor::{act, run_pod, start, status, stop_pod};
use crate::support::{container, logs, pod};
use nri::api::{
    CreateContainerRequest, CreateContainerResponse, Event, RemovePodSandboxRequest,
    StateChangeEvent,
};
use nri::wire::Code;

#[tokio::test]
async fn an_error_is_sent_to_the_runtime_and_fails_one_request() {
    let (runtime, metrics, _release) = act().await;
    let failed = status(run_pod(&runtime, "fail.sent", None).await);
    assert_eq!((failed.code, &*failed.message), (Code::UNKNOWN, "not today"));
    run_pod(&runtime, "fine", None).await.unwrap();
    assert_eq!(
        logs::with(&[
            "WARN",
            "the handler of RunPodSandbox failed: not today",
            "default/fail.sent"
        ])
        .len(),
        1
    );
    let counted = metrics.event(Event::RunPodSandbox);
    assert_eq!((counted.calls, counted.errors, counted.timeouts), (2, 1, 0));
    assert_eq!(counted.latency.count(), 2);
}

#[tokio::test]
async fn a_panic_fails_one_request() {
    let (runtime, metrics, _release) = act().await;
    let sent = status(run_pod(&runtime, "panic.sent", None).await);
    assert_eq!(sent.message, "panicked: lost my head");
    let aside = status(start(&runtime, "panic.aside", crate::support::PATIENCE).await);
    assert_eq!(aside.message, "panicked: lost my head");
    run_pod(&runtime, "fine", None).await.unwrap();
    assert_eq!(metrics.event(Event::RunPodSandbox).errors, 1);
    assert_eq!(metrics.event(Event::StartContainer).errors, 1);
}

#[tokio::test]
async fn an_error_is_logged_and_sent_with_its_causes() {
    let (runtime, _, _release) = act().await;
    let failed = status(run_pod(&runtime, "chain.sent", None).await);
    assert_eq!(failed.message, "outer: inner");
    assert_eq!(logs::with(&["WARN", "default/chain.sent", "outer: inner"]).len(), 1);
}

#[tokio::test]
async fn an_answer_that_the_runtime_would_reject_is_named() {
    let (runtime, _, _release) = act().await;
    let request = CreateContainerRequest {
        pod: Some(pod("invalid.answer")),
        container: Some(container("web")),
    };
    let answer: CreateContainerResponse =
        runtime.call("CreateContainer", &request, None).await.unwrap();
    assert_eq!(answer.adjust.unwrap().env.len(), 1);
    let line = logs::with(&[
        "WARN",
        "invalid answer to CreateContainer for container web of pod default/invalid.answer",
    ]);
    assert_eq!(line.len(), 1, "{line:?}");
    assert!(line[0].contains("name contains '='"), "{line:?}");
}

/// Code 12 would make the runtime call the handler again, through StateChange.
#[tokio::test]
async fn a_handler_never_answers_unimplemented() {
    let (runtime, _, _release) = act().await;
    let failed = status(run_pod(&runtime, "unimplemented", None).await);
    assert_eq!((failed.code, &*failed.message), (Code::UNKNOWN, "not by this plugin"));
}

#[tokio::test]
async fn an_ignored_error_is_logged_but_not_sent() {
    let (runtime, metrics, _release) = act().await;
    stop_pod(&runtime, "fail.ignored").await.unwrap();
    stop_pod(&runtime, "panic.ignored").await.unwrap();
    assert_eq!(logs::with(&["WARN", "default/fail.ignored", "answered with success"]).len(), 1);
    assert_eq!(metrics.event(Event::StopPodSandbox).errors, 2);
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_an_error_even_where_errors_are_ignored() {
    let (runtime, _, _release) = act().await;
    let nonsense = nri::api::LogRequest { msg: "\u{7f}".to_owned(), level: 3 };
    let outcome: Result<(), _> = runtime.call("StopPodSandbox", &nonsense, None).await;
    assert_eq!(status(outcome).code, Code::INVALID_ARGUMENT);
}

#[tokio::test]
async fn each_event_has_a_span_with_pod_and_container() {
    let (runtime, _, _release) = act().await;
    let request =
        CreateContainerRequest { pod: Some(pod("spanned")), container: Some(container("web")) };
    let answer: CreateContainerResponse =
        runtime.call("CreateContainer", &request, None).await.unwrap();
    assert!(answer.update.is_empty());
    assert_eq!(
        logs::with(&[
            "SPAN event",
            "event=CreateContainer",
            "pod=default/spanned",
            "container=web"
        ])
        .len(),
        1
    );
    start(&runtime, "spanned.aside", crate::support::PATIENCE).await.unwrap();
    assert_eq!(logs::with(&["RECORD", "pod=default/spanned.aside"]).len(), 1);
}

#[tokio::test]
async fn a_state_change_counts_for_its_event() {
    let (runtime, metrics, _release) = act().await;
    let change = StateChangeEvent {
        event: Event::RunPodSandbox as i32,
        pod: Some(pod("fail.old-runtime")),
        container: None,
    };
    let outcome: Result<(), _> = runtime.call("StateChange", &change, None).await;
    assert_eq!(status(outcome).message, "not today");
    assert_eq!(metrics.event(Event::RunPodSandbox).errors, 1);
}

#[tokio::test]
async fn what_has_no_handler_is_answered_with_success_and_not_counted() {
    let (runtime, metrics, _release) = act().await;
    let request = RemovePodSandboxRequest { pod: Some(pod("unheard")) };
    let (): () = runtime.call("RemovePodSandbox", &request, None).await.unwrap();
    assert_eq!(metrics.event(Event::RemovePodSandbox).calls, 0);
}
