//! Tests of the rules by sequences in words: `run-pod` is about a pod, `create` about its
//! container.

use std::time::Duration;

use super::TESTS;
use crate::runtime::event::{ContainerId, Hook};
use crate::runtime::judgement::Stop;
use crate::runtime::sequence::{Arrival, Sequence};

/// Returns the hook of a word: `post-start` is `PostStartContainer`, `stop-pod` is
/// `StopPodSandbox`.
fn hook(word: &str) -> Hook {
    let (verb, subject) = match word.strip_suffix("-pod") {
        Some(verb) => (verb, "PodSandbox"),
        None => (word, "Container"),
    };
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    let name = verb.split('-').map(capital).collect::<String>() + subject;
    Hook::named(&name).unwrap_or_else(|| panic!("{name}"))
}

/// Returns a sequence of requests, each of which is answered before the next one.
fn sequence(words: &str) -> Sequence {
    let mut sequence = Sequence::new("one".to_owned());
    let handshake = [Hook::Configure, Hook::Synchronize];
    sequence.arrivals = handshake.map(|hook| Arrival::new(hook, Duration::ZERO)).into();
    for (number, word) in (1..).zip(words.split_whitespace()) {
        let hook = hook(word);
        let container =
            ContainerId { id: "container".to_owned(), name: String::new(), pod: "pod".to_owned() };
        let at = Duration::from_millis(number * 10);
        sequence.arrivals.push(Arrival {
            pod: "pod".to_owned(),
            container: (!hook.is_about_pod()).then_some(container),
            answered: Some(at + Duration::from_millis(5)),
            ..Arrival::new(hook, at)
        });
    }
    sequence
}

/// Returns each broken statement with the shape of what was seen.
fn broken(sequence: &Sequence) -> Vec<(&'static str, String)> {
    let results = TESTS.iter().filter_map(|(test, judge)| match judge(sequence) {
        Err(Stop::Fail(_, shape)) => {
            let shape = shape.expect("every violation has a shape");
            Some((test.statement, shape.to_string()))
        }
        Ok(()) | Err(Stop::Skip(_)) => None,
    });
    results.collect()
}

#[test]
fn what_runtimes_do_breaks_nothing() {
    for words in [
        "run-pod create post-create start post-start update post-update stop remove stop-pod remove-pod",
        "run-pod update-pod post-update-pod stop-pod stop-pod remove-pod",
        // Requests that fail after their event.
        "run-pod create stop remove stop-pod remove-pod",
        "run-pod create post-create start stop remove stop-pod remove-pod",
        "run-pod create post-create start post-start update update post-update stop remove",
        // A container that ends by itself.
        "run-pod create post-create start stop post-start remove",
        // The beginning and the end are not part of what was seen.
        "run-pod create post-create",
        "stop-pod remove-pod",
        "stop remove",
    ] {
        assert_eq!(broken(&sequence(words)), [], "{words}");
    }
}

/// Sequences, each with the statements that it breaks and the shape of what was seen.
const BROKEN: &str = "
run-pod run-pod stop-pod remove-pod | O4: RunPodSandbox 2 times after RunPodSandbox
run-pod remove-pod | O4: StopPodSandbox 0 times after RunPodSandbox
run-pod stop-pod remove-pod remove-pod | O4: RemovePodSandbox 2 times after RemovePodSandbox
stop-pod run-pod remove-pod | O4: RunPodSandbox once after StopPodSandbox
run-pod stop-pod remove-pod run-pod | R3: RunPodSandbox once after RemovePodSandbox
run-pod stop-pod remove-pod update-pod | O8: UpdatePodSandbox once after RemovePodSandbox
create run-pod | O1: CreateContainer once after no other event of it
run-pod create start start | C1: StartContainer 2 times after StartContainer | C5: PostCreateContainer 0 times after CreateContainer
run-pod create post-create stop start | C1: StartContainer once after StopContainer
run-pod post-create | C1: CreateContainer 0 times after no other event of it
run-pod create post-create start post-start remove | C1: StopContainer 0 times after StartContainer
run-pod create post-create stop-pod remove-pod | C1: RemoveContainer 0 times after RemovePodSandbox
run-pod create start | C5: PostCreateContainer 0 times after CreateContainer
run-pod create start post-create | C5: PostCreateContainer once after StartContainer
run-pod post-create create | C5: PostCreateContainer once after no other event of it
run-pod create post-create start post-start update post-update post-update | C5: PostUpdateContainer 2 times after UpdateContainer
run-pod create post-create post-update | C5: UpdateContainer 0 times after no other event of it
run-pod post-update-pod | C5: UpdatePodSandbox 0 times after no other event of it
run-pod update-pod stop-pod post-update-pod | C5: PostUpdatePodSandbox once after StopPodSandbox
";

#[test]
fn each_broken_order_breaks_its_statement() {
    for row in BROKEN.lines().filter(|row| !row.is_empty()) {
        let mut parts = row.split(" | ");
        let found: Vec<_> = broken(&sequence(parts.next().expect("words")))
            .iter()
            .map(|(id, shape)| format!("{id}: {shape}"))
            .collect();
        assert_eq!(found, parts.collect::<Vec<_>>(), "{row}");
    }
}

#[test]
fn a_post_event_before_the_answer_is_found() {
    let mut sequence = sequence("run-pod create post-create");
    sequence.arrivals[3].answered = Some(Duration::from_secs(1));
    let statements: Vec<_> = broken(&sequence).iter().map(|(id, _)| *id).collect();
    assert_eq!(statements, ["C5"]);
    // The answers to an observing plugin are not recorded.
    sequence.arrivals[3].answered = None;
    assert_eq!(broken(&sequence), []);
}

#[test]
fn events_before_synchronize_are_not_missed() {
    let mut sequence = sequence("post-create start post-start stop remove stop-pod remove-pod");
    assert_ne!(broken(&sequence), []);
    sequence.known = ["pod".to_owned(), "container".to_owned()].into();
    assert_eq!(broken(&sequence), []);
}
