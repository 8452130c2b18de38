//! Events under a runtime controlled by the test: errors, panics, deadlines, blocking handlers,
//! counters, spans.
#![allow(deprecated)]

mod support;

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nri::api::{
    CreateContainerRequest, CreateContainerResponse, Event, RemovePodSandboxRequest,
    RunPodSandboxRequest, StartContainerRequest, StateChangeEvent, StopPodSandboxRequest,
};
use nri::prelude::*;
use nri::stub::{Metrics, Stub};
use nri::wire::{CallError, Code};
use support::{Runtime, container, logs, patiently, pod};

/// The time limit of an unanswered request: its margin has to suffice on a busy machine.
const SHORT: Duration = Duration::from_secs(3);

/// A plugin whose handlers follow the name of the pod.
#[derive(NriPlugin)]
#[nri(name = "actor", index = "10")]
#[nri(on_error(STOP_POD_SANDBOX = "ignore"))]
#[nri(on_timeout(STOP_POD_SANDBOX = "ok"))]
#[nri(blocking(START_CONTAINER))]
struct Actor {
    /// Ends what blocks.
    release: Arc<Mutex<mpsc::Receiver<()>>>,
}

impl Actor {
    async fn act(&self, cx: &Context, pod: &PodSandbox) -> nri::Result<()> {
        match pod.name.split('.').next() {
            Some("fail") => Err(nri::Error::new("not today")),
            Some("chain") => Err(nri::Error::other(anyhow::anyhow!("inner").context("outer"))),
            Some("unimplemented") => Err(nri::Error::with_kind(
                nri::ErrorKind::Unimplemented,
                "not by this plugin",
            )),
            Some("panic") => panic!("lost my head"),
            Some("hang") => std::future::pending().await,
            Some("slow") => {
                let left = cx.time_left().expect("there is a deadline");
                tokio::time::sleep(left * 85 / 100).await;
                Ok(())
            }
            Some("block") => {
                let release = self.release.lock().unwrap();
                let _ = release.recv_timeout(support::PATIENCE);
                Ok(())
            }
            Some("aside") => {
                let release = Arc::clone(&self.release);
                let work = move || {
                    release
                        .lock()
                        .unwrap()
                        .recv_timeout(support::PATIENCE)
                        .is_ok()
                };
                nri::blocking(work).await.map(drop)
            }
            _ => Ok(()),
        }
    }
}

impl RunPodSandbox for Actor {
    async fn run_pod_sandbox(&self, cx: &Context, pod: PodSandbox) -> nri::Result<()> {
        self.act(cx, &pod).await
    }
}

impl StopPodSandbox for Actor {
    async fn stop_pod_sandbox(&self, cx: &Context, pod: PodSandbox) -> nri::Result<()> {
        self.act(cx, &pod).await
    }
}

impl CreateContainer for Actor {
    async fn create_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        self.act(cx, &pod).await?;
        let adjustment = Adjustment::new();
        Ok(if pod.name == "invalid.answer" {
            adjustment.env("A=B", "1")
        } else {
            adjustment
        })
    }
}

impl StartContainer for Actor {
    async fn start_container(
        &self,
        cx: &Context,
        pod: PodSandbox,
        _: Container,
    ) -> nri::Result<()> {
        self.act(cx, &pod).await
    }
}

/// Returns a plugin that is synchronized, and what ends its blocking.
async fn act() -> (Runtime, Metrics, mpsc::Sender<()>) {
    logs::collect();
    let (release, released) = mpsc::channel();
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let plugin = Actor {
        release: Arc::new(Mutex::new(released)),
    };
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    let metrics = stub.metrics();
    tokio::spawn(stub.run_until(std::future::pending()));
    let mut runtime = Runtime::over(theirs);
    runtime.handshake().await;
    (runtime, metrics, release)
}

async fn run_pod(
    runtime: &Runtime,
    name: &str,
    timeout: Option<Duration>,
) -> Result<(), CallError> {
    let request = RunPodSandboxRequest {
        pod: Some(pod(name)),
    };
    runtime.call("RunPodSandbox", &request, timeout).await
}

async fn stop_pod(runtime: &Runtime, name: &str) -> Result<(), CallError> {
    let request = StopPodSandboxRequest {
        pod: Some(pod(name)),
    };
    runtime.call("StopPodSandbox", &request, None).await
}

async fn start(runtime: &Runtime, name: &str, timeout: Duration) -> Result<(), CallError> {
    let request = StartContainerRequest {
        pod: Some(pod(name)),
        container: Some(container("c")),
    };
    runtime
        .call("StartContainer", &request, Some(timeout))
        .await
}

fn status(outcome: Result<(), CallError>) -> nri::wire::Status {
    match outcome {
        Err(CallError::Status(status)) => status,
        other => panic!("{other:?} is no status"),
    }
}

#[tokio::test]
async fn an_error_is_told_to_the_runtime_and_one_request_fails() {
    let (runtime, metrics, _release) = act().await;
    let failed = status(run_pod(&runtime, "fail.told", None).await);
    assert_eq!(
        (failed.code, &*failed.message),
        (Code::UNKNOWN, "not today")
    );
    run_pod(&runtime, "fine", None).await.unwrap();
    assert_eq!(
        logs::with(&[
            "WARN",
            "the handler of RUN_POD_SANDBOX failed: not today",
            "default/fail.told"
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
    let failed = status(run_pod(&runtime, "panic.told", None).await);
    assert_eq!(failed.message, "panicked: lost my head");
    let failed = status(start(&runtime, "panic.aside", support::PATIENCE).await);
    assert_eq!(failed.message, "panicked: lost my head");
    run_pod(&runtime, "fine", None).await.unwrap();
    assert_eq!(metrics.event(Event::RunPodSandbox).errors, 1);
    assert_eq!(metrics.event(Event::StartContainer).errors, 1);
}

#[tokio::test]
async fn an_error_is_logged_and_sent_with_its_causes() {
    let (runtime, _, _release) = act().await;
    let failed = status(run_pod(&runtime, "chain.sent", None).await);
    assert_eq!(failed.message, "outer: inner");
    assert_eq!(
        logs::with(&["WARN", "default/chain.sent", "outer: inner"]).len(),
        1
    );
}

#[tokio::test]
async fn an_answer_that_the_runtime_would_reject_is_named() {
    let (runtime, _, _release) = act().await;
    let request = CreateContainerRequest {
        pod: Some(pod("invalid.answer")),
        container: Some(container("web")),
    };
    let answer: CreateContainerResponse = runtime
        .call("CreateContainer", &request, None)
        .await
        .unwrap();
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
    assert_eq!(
        (failed.code, &*failed.message),
        (Code::UNKNOWN, "not by this plugin")
    );
}

#[tokio::test]
async fn an_error_to_be_ignored_is_logged_and_not_told() {
    let (runtime, metrics, _release) = act().await;
    stop_pod(&runtime, "fail.ignored").await.unwrap();
    stop_pod(&runtime, "panic.ignored").await.unwrap();
    assert_eq!(
        logs::with(&["WARN", "default/fail.ignored", "answered with success"]).len(),
        1
    );
    assert_eq!(metrics.event(Event::StopPodSandbox).errors, 2);
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_an_error_even_where_errors_are_ignored() {
    let (runtime, _, _release) = act().await;
    let nonsense = nri::api::LogRequest {
        msg: "\u{7f}".to_owned(),
        level: 3,
    };
    let outcome: Result<(), _> = runtime.call("StopPodSandbox", &nonsense, None).await;
    assert_eq!(status(outcome).code, Code::INVALID_ARGUMENT);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_is_answered_for_before_the_runtime_gives_up() {
    let (runtime, metrics, _release) = act().await;
    let start = tokio::time::Instant::now();
    let failed = status(run_pod(&runtime, "hang.late", Some(Duration::from_secs(2))).await);
    let took = start.elapsed();
    assert!(
        took > Duration::from_millis(1850) && took < Duration::from_secs(2),
        "{took:?}"
    );
    assert_eq!(failed.code, Code::DEADLINE_EXCEEDED);
    assert!(
        failed
            .message
            .starts_with("the handler of RUN_POD_SANDBOX timed out for pod default/hang.late")
    );
    assert_eq!(
        logs::with(&[
            "ERROR",
            "default/hang.late",
            "timed out",
            "answered with an error"
        ])
        .len(),
        1
    );
    run_pod(&runtime, "fine", None).await.unwrap();
    let counted = metrics.event(Event::RunPodSandbox);
    assert_eq!((counted.calls, counted.timeouts), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn without_a_timeout_in_the_request_the_default_of_runtimes_counts() {
    let (runtime, _, _release) = act().await;
    let start = tokio::time::Instant::now();
    status(run_pod(&runtime, "hang.default", None).await);
    assert_eq!(start.elapsed().as_millis() / 10, 190);
}

#[tokio::test(start_paused = true)]
async fn on_timeout_may_say_that_all_is_well() {
    let (runtime, metrics, _release) = act().await;
    stop_pod(&runtime, "hang.well").await.unwrap();
    assert_eq!(
        logs::with(&["ERROR", "default/hang.well", "answered with success"]).len(),
        1
    );
    assert_eq!(metrics.event(Event::StopPodSandbox).timeouts, 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_handler_is_warned_of_and_its_answer_taken() {
    let (runtime, _, _release) = act().await;
    run_pod(&runtime, "slow.warned", Some(Duration::from_secs(2)))
        .await
        .unwrap();
    let warnings = logs::with(&[
        "WARN",
        "the handler of RUN_POD_SANDBOX has used 1.6",
        "default/slow.warned",
    ]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("of the 2.0s before the runtime's timeout"));
}

#[tokio::test(start_paused = true)]
async fn events_are_served_while_a_handler_waits() {
    let (runtime, _, _release) = act().await;
    let hanging = run_pod(&runtime, "hang.meanwhile", None);
    let meanwhile = async {
        run_pod(&runtime, "fine", None).await.unwrap();
        tokio::time::Instant::now()
    };
    let start = tokio::time::Instant::now();
    let (hung, done) = tokio::join!(hanging, meanwhile);
    assert!(hung.is_err() && done == start);
}

#[tokio::test]
async fn a_blocking_event_runs_aside_and_its_deadline_is_kept() {
    let (runtime, metrics, release) = act().await;
    let blocked = start(&runtime, "block.aside", SHORT);
    let meanwhile = async {
        run_pod(&runtime, "fine", None).await.unwrap();
        Instant::now()
    };
    let (blocked, done) = tokio::join!(blocked, meanwhile);
    assert_eq!(status(blocked).code, Code::DEADLINE_EXCEEDED);
    assert!(done < Instant::now());
    let counted = metrics.event(Event::StartContainer);
    assert_eq!((counted.calls, counted.timeouts), (1, 1));
    assert_eq!(
        logs::with(&["ERROR", "default/block.aside", "timed out"]).len(),
        1
    );
    release.send(()).unwrap();
    start(&runtime, "fine", support::PATIENCE).await.unwrap();
}

#[tokio::test]
async fn the_helper_for_blocking_keeps_the_deadline_too() {
    let (runtime, _, release) = act().await;
    let failed = status(run_pod(&runtime, "aside.helper", Some(SHORT)).await);
    assert_eq!(failed.code, Code::DEADLINE_EXCEEDED);
    release.send(()).unwrap();
    run_pod(&runtime, "fine", None).await.unwrap();
}

#[tokio::test]
async fn a_handler_that_blocks_unsaid_is_named_while_it_does() {
    let (runtime, _, release) = act().await;
    let watching = std::thread::spawn(move || {
        let line = logs::wait_for(&["WARN", "has blocked its thread", "default/block.unsaid"]);
        release.send(()).unwrap();
        line
    });
    run_pod(&runtime, "block.unsaid", Some(support::PATIENCE))
        .await
        .unwrap();
    let line = patiently(tokio::task::spawn_blocking(|| watching.join().unwrap()))
        .await
        .unwrap();
    assert!(line.contains("#[nri(blocking(RunPodSandbox))]"), "{line}");
}

#[tokio::test]
async fn each_event_has_a_span_with_pod_and_container() {
    let (runtime, _, _release) = act().await;
    let request = CreateContainerRequest {
        pod: Some(pod("spanned")),
        container: Some(container("web")),
    };
    let answer: CreateContainerResponse = runtime
        .call("CreateContainer", &request, None)
        .await
        .unwrap();
    assert!(answer.update.is_empty());
    assert_eq!(
        logs::with(&[
            "SPAN event",
            "event=CREATE_CONTAINER",
            "pod=default/spanned",
            "container=web"
        ])
        .len(),
        1
    );
    start(&runtime, "spanned.aside", support::PATIENCE)
        .await
        .unwrap();
    assert_eq!(
        logs::with(&["RECORD", "pod=default/spanned.aside"]).len(),
        1
    );
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
    let request = RemovePodSandboxRequest {
        pod: Some(pod("unheard")),
    };
    let (): () = runtime
        .call("RemovePodSandbox", &request, None)
        .await
        .unwrap();
    assert_eq!(metrics.event(Event::RemovePodSandbox).calls, 0);
}
