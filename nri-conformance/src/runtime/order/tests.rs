//! Tests of the rules by sequences in words: `run` is about a pod, `create` about its container.

use std::time::Duration;

use nri::api::EventMask;

use super::TESTS;
use crate::result::Outcome;
use crate::runtime::event::Hook;
use crate::runtime::sequence::{Arrival, ContainerId, Sequence};
use crate::runtime::shape::Shape;

fn hook(word: &str) -> Hook {
    match word {
        "run" => Hook::RUN_POD,
        "update-pod" => Hook::UPDATE_POD,
        "post-update-pod" => Hook::POST_UPDATE_POD,
        "stop-pod" => Hook::STOP_POD,
        "remove-pod" => Hook::REMOVE_POD,
        "create" => Hook::CREATE,
        "post-create" => Hook::POST_CREATE,
        "start" => Hook::START,
        "post-start" => Hook::POST_START,
        "update" => Hook::UPDATE,
        "post-update" => Hook::POST_UPDATE,
        "stop" => Hook::STOP,
        "remove" => Hook::REMOVE,
        other => panic!("{other}"),
    }
}

/// Returns a sequence of requests, each of which is answered before the next one.
fn sequence(words: &str) -> Sequence {
    let mut sequence = Sequence::new("one".to_owned(), EventMask::ALL);
    sequence.arrivals.push(Arrival::synchronize(Duration::ZERO));
    for (number, word) in (1..).zip(words.split_whitespace()) {
        let hook = hook(word);
        let container = ContainerId {
            id: "container".to_owned(),
            pod: "pod".to_owned(),
        };
        let at = Duration::from_millis(number * 10);
        sequence.arrivals.push(Arrival {
            hook,
            pod: "pod".to_owned(),
            container: (!hook.is_about_pod()).then_some(container),
            at,
            answered: Some(at + Duration::from_millis(5)),
        });
    }
    sequence
}

/// Returns each broken statement with the shape of what was seen.
fn broken(sequence: &Sequence) -> Vec<(&'static str, String)> {
    let results = TESTS.iter().filter_map(|test| {
        let finding = test.judge(std::slice::from_ref(sequence));
        let failed = matches!(finding.outcome, Outcome::Fail(_));
        failed.then(|| (test.statement, finding.shape.as_ref().map(Shape::to_string)))
    });
    results
        .map(|(statement, shape)| (statement, shape.expect("every violation has a shape")))
        .collect()
}

#[track_caller]
fn assert_broken(words: &str, expected: &[(&str, &str)]) {
    let found = broken(&sequence(words));
    let found: Vec<_> = found
        .iter()
        .map(|(id, shape)| (*id, shape.as_str()))
        .collect();
    assert_eq!(found, expected, "{words}");
}

#[test]
fn what_runtimes_do_breaks_nothing() {
    for words in [
        "run create post-create start post-start update post-update stop remove stop-pod remove-pod",
        "run update-pod post-update-pod stop-pod stop-pod remove-pod",
        // Requests that fail after their event.
        "run create stop remove stop-pod remove-pod",
        "run create post-create start stop remove stop-pod remove-pod",
        "run create post-create start post-start update update post-update stop remove",
        // A container that ends by itself.
        "run create post-create start stop post-start remove",
        // The beginning and the end are not part of what was seen.
        "run create post-create",
        "stop-pod remove-pod",
        "stop remove",
    ] {
        assert_broken(words, &[]);
    }
}

#[test]
fn the_order_of_pods_is_judged() {
    assert_broken(
        "run run stop-pod remove-pod",
        &[("O4", "RunPodSandbox 2 times after RunPodSandbox")],
    );
    assert_broken(
        "run remove-pod",
        &[("O4", "StopPodSandbox 0 times after RunPodSandbox")],
    );
    assert_broken(
        "run stop-pod remove-pod remove-pod",
        &[("O4", "RemovePodSandbox 2 times after RemovePodSandbox")],
    );
    assert_broken(
        "stop-pod run remove-pod",
        &[("O4", "RunPodSandbox once after StopPodSandbox")],
    );
    assert_broken(
        "run stop-pod remove-pod run",
        &[("R3", "RunPodSandbox once after RemovePodSandbox")],
    );
    assert_broken(
        "run stop-pod remove-pod update-pod",
        &[("O8", "UpdatePodSandbox once after RemovePodSandbox")],
    );
    assert_broken(
        "create run",
        &[("O1", "CreateContainer once after no other event of it")],
    );
}

#[test]
fn the_order_of_containers_is_judged() {
    assert_broken(
        "run create start start",
        &[
            ("C1", "StartContainer 2 times after StartContainer"),
            ("C5", "PostCreateContainer 0 times after CreateContainer"),
        ],
    );
    assert_broken(
        "run create post-create stop start",
        &[("C1", "StartContainer once after StopContainer")],
    );
    assert_broken(
        "run post-create",
        &[("C1", "CreateContainer 0 times after no other event of it")],
    );
    assert_broken(
        "run create post-create start post-start remove",
        &[("C1", "StopContainer 0 times after StartContainer")],
    );
    assert_broken(
        "run create post-create stop-pod remove-pod",
        &[("C1", "RemoveContainer 0 times after RemovePodSandbox")],
    );
}

#[test]
fn the_events_after_the_fact_are_judged() {
    for (words, shape) in [
        (
            "run create start",
            "PostCreateContainer 0 times after CreateContainer",
        ),
        (
            "run create start post-create",
            "PostCreateContainer once after StartContainer",
        ),
        (
            "run post-create create",
            "PostCreateContainer once after no other event of it",
        ),
        (
            "run create post-create start post-start update post-update post-update",
            "PostUpdateContainer 2 times after UpdateContainer",
        ),
        (
            "run create post-create post-update",
            "UpdateContainer 0 times after no other event of it",
        ),
        (
            "run post-update-pod",
            "UpdatePodSandbox 0 times after no other event of it",
        ),
        (
            "run update-pod stop-pod post-update-pod",
            "PostUpdatePodSandbox once after StopPodSandbox",
        ),
    ] {
        assert_broken(words, &[("C5", shape)]);
    }
}

#[test]
fn a_container_that_is_stopped_on_request_has_every_post_event() {
    for words in [
        "run create post-create start stop post-start remove",
        "run create post-create start stop remove",
        "run create post-create start post-start update stop remove",
    ] {
        let mut sequence = sequence(words);
        assert_eq!(broken(&sequence), [], "{words}");
        sequence.undisturbed.insert("container".to_owned());
        let statements: Vec<_> = broken(&sequence).iter().map(|(id, _)| *id).collect();
        assert_eq!(statements, ["C5"], "{words}");
    }
}

#[test]
fn a_post_event_before_the_answer_is_found() {
    let mut sequence = sequence("run create post-create");
    sequence.arrivals[2].answered = Some(Duration::from_secs(1));
    let statements: Vec<_> = broken(&sequence).iter().map(|(id, _)| *id).collect();
    assert_eq!(statements, ["C5"]);
    // The answers to an observing plugin are not recorded.
    sequence.arrivals[2].answered = None;
    assert_eq!(broken(&sequence), []);
}

#[test]
fn events_before_synchronize_are_not_missed() {
    let mut sequence = sequence("post-create start post-start stop remove stop-pod remove-pod");
    assert_ne!(broken(&sequence), []);
    sequence.known_pods.insert("pod".to_owned());
    sequence.known_containers.insert("container".to_owned());
    assert_eq!(broken(&sequence), []);
}
