//! Deadlines under a runtime controlled by the test: handlers that hang, are slow, or block their
//! thread.

use std::time::{Duration, Instant};

use crate::support::actor::{act, run_pod, start, status, stop_pod};
use crate::support::{logs, patiently};
use nri::api::Event;
use nri::wire::Code;

/// The time limit of an unanswered request: its margin has to suffice on a busy machine.
const SHORT: Duration = Duration::from_secs(3);

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_is_answered_for_before_the_runtime_gives_up() {
    let (runtime, metrics, _release) = act().await;
    let start = tokio::time::Instant::now();
    let failed = status(run_pod(&runtime, "hang.late", Some(Duration::from_secs(2))).await);
    let took = start.elapsed();
    assert!(took > Duration::from_millis(1850) && took < Duration::from_secs(2), "{took:?}");
    assert_eq!(failed.code, Code::DEADLINE_EXCEEDED);
    assert!(
        failed
            .message
            .starts_with("the handler of RunPodSandbox timed out for pod default/hang.late")
    );
    assert_eq!(
        logs::with(&["ERROR", "default/hang.late", "timed out", "answered with an error"]).len(),
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
    assert_eq!(logs::with(&["ERROR", "default/hang.well", "answered with success"]).len(), 1);
    assert_eq!(metrics.event(Event::StopPodSandbox).timeouts, 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_handler_is_warned_of_and_its_answer_taken() {
    let (runtime, _, _release) = act().await;
    run_pod(&runtime, "slow.warned", Some(Duration::from_secs(2))).await.unwrap();
    let warnings =
        logs::with(&["WARN", "the handler of RunPodSandbox has used 1.6", "default/slow.warned"]);
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
    let blocking = start(&runtime, "block.aside", SHORT);
    let meanwhile = async {
        run_pod(&runtime, "fine", None).await.unwrap();
        Instant::now()
    };
    let (blocked, done) = tokio::join!(blocking, meanwhile);
    assert_eq!(status(blocked).code, Code::DEADLINE_EXCEEDED);
    assert!(done < Instant::now());
    let counted = metrics.event(Event::StartContainer);
    assert_eq!((counted.calls, counted.timeouts), (1, 1));
    assert_eq!(logs::with(&["ERROR", "default/block.aside", "timed out"]).len(), 1);
    release.send(()).unwrap();
    start(&runtime, "fine", crate::support::PATIENCE).await.unwrap();
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
    run_pod(&runtime, "block.unsaid", Some(crate::support::PATIENCE)).await.unwrap();
    let line = patiently(tokio::task::spawn_blocking(|| watching.join().unwrap())).await.unwrap();
    assert!(
        line.contains("add blocking(RunPodSandbox) to #[nri::plugin(…)] or #[nri(…)]"),
        "{line}"
    );
}
