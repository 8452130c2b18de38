//! The runtime of a recording, judged by the statements about the order of events.

use std::collections::BTreeMap;
use std::path::Path;

use nri::api::SynchronizeRequest;
use nri::codec::Message;
use nri::prelude::*;
use nri_conformance::record::{ErrorKind, Options, Source};
use nri_conformance::result::{Outcome, Report, SubjectKind};
use nri_conformance::runtime::recording;
use nri_conformance::session::request;

use super::by_hand::{self, Exchange, configure, session};
use super::support::{Marker, Recording, Runtime, container, pod, recorded, run};

/// The life of a pod with a container.
const LIFE: [Event; 9] = [
    Event::RunPodSandbox,
    Event::CreateContainer,
    Event::PostCreateContainer,
    Event::StartContainer,
    Event::PostStartContainer,
    Event::StopContainer,
    Event::RemoveContainer,
    Event::StopPodSandbox,
    Event::RemovePodSandbox,
];

fn judge(file: &Path) -> Report {
    recording::judge(file, |_| true).expect("a recording")
}

/// Returns the outcome of each statement.
fn outcomes(report: &Report) -> BTreeMap<&'static str, &'static str> {
    report.results.iter().map(|result| (result.statement, word(&result.outcome))).collect()
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail(_) => "fail",
        Outcome::Skip(_) => "skip",
        Outcome::Known { .. } => "known",
    }
}

fn failed(report: &Report) -> Vec<&'static str> {
    report.failures().map(|(result, _)| result.statement).collect()
}

/// Returns a request about a pod and its container, with an answer.
fn about(event: Event, name: &str) -> Exchange {
    let payload = request(event, &pod(name), &container(name));
    let method = match event {
        Event::RunPodSandbox => "RunPodSandbox",
        Event::StopPodSandbox => "StopPodSandbox",
        Event::RemovePodSandbox => "RemovePodSandbox",
        Event::CreateContainer => "CreateContainer",
        Event::PostCreateContainer => "PostCreateContainer",
        Event::StartContainer => "StartContainer",
        Event::PostStartContainer => "PostStartContainer",
        Event::StopContainer => "StopContainer",
        Event::RemoveContainer => "RemoveContainer",
        other => panic!("{other:?} is not part of the life of a pod"),
    };
    (method, payload, Some(Ok(Vec::new())))
}

fn synchronize(more: bool) -> Exchange {
    let request = SynchronizeRequest { more, ..SynchronizeRequest::default() };
    ("Synchronize", request.encode_to_vec(), Some(Ok(Vec::new())))
}

/// Judges a recording with these requests after Configure.
fn judged(events: EventMask, exchanges: impl IntoIterator<Item = Exchange>) -> Report {
    let (_folder, file) = session();
    let exchanges: Vec<_> = [configure(events)].into_iter().chain(exchanges).collect();
    by_hand::write(&file, Source::Proxy, &exchanges, None);
    judge(&file)
}

fn life(name: &str) -> impl Iterator<Item = Exchange> {
    LIFE.into_iter().map(move |event| about(event, name))
}

#[test]
fn a_good_runtime_passes() {
    let one = life("web").chain(life("db"));
    let report = judged(EventMask::ALL, [synchronize(false)].into_iter().chain(one));
    report.assert();
    assert!(outcomes(&report).values().all(|outcome| *outcome == "pass"));
    assert_eq!(report.subject.kind, SubjectKind::Runtime);
}

#[test]
fn each_event_that_arrives_twice_is_found() {
    for (position, event) in LIFE.into_iter().enumerate() {
        // StopPodSandbox may arrive more than once.
        let expected = match event {
            Event::StopPodSandbox => Vec::new(),
            Event::RunPodSandbox | Event::RemovePodSandbox => vec!["O4"],
            Event::PostCreateContainer | Event::PostStartContainer => vec!["C5"],
            _container => vec!["C1"],
        };
        let mut exchanges: Vec<_> = [synchronize(false)].into_iter().chain(life("web")).collect();
        exchanges.insert(position + 1, about(event, "web"));
        let report = judged(EventMask::ALL, exchanges);
        assert_eq!(failed(&report), expected, "{event:?}: {report:?}");
    }
}

#[test]
fn a_split_synchronize_is_one() {
    let parts = [synchronize(true), synchronize(true), synchronize(false)];
    judged(EventMask::ALL, parts.into_iter().chain(life("web"))).assert();
    let twice = [synchronize(false), synchronize(false)];
    let report = judged(EventMask::ALL, twice.into_iter().chain(life("web")));
    assert_eq!(failed(&report), ["Y3"]);
    let late = life("web").chain([synchronize(false)]);
    assert_eq!(failed(&judged(EventMask::ALL, late)), ["Y3"]);
}

#[test]
fn a_second_configure_is_found_wherever_it_arrives() {
    for position in [0, 1, 4] {
        let mut exchanges: Vec<_> = [synchronize(false)].into_iter().chain(life("web")).collect();
        exchanges.insert(position, configure(EventMask::ALL));
        let report = judged(EventMask::ALL, exchanges);
        assert_eq!(failed(&report), ["Y4"], "{position}: {report:?}");
    }
}

#[test]
fn a_request_that_is_repeated_as_state_change_is_one() {
    let mut exchanges = vec![
        synchronize(false),
        by_hand::run_pod(Err(nri::wire::Code::UNIMPLEMENTED.0)),
        by_hand::run_pod_as_change(),
    ];
    exchanges.extend(life("web").skip(1));
    judged(EventMask::ALL, exchanges.clone()).assert();
    exchanges.insert(3, by_hand::run_pod_as_change());
    assert_eq!(failed(&judged(EventMask::ALL, exchanges)), ["O4"]);
}

#[test]
fn events_that_the_plugin_did_not_subscribe_to_are_not_missed() {
    let mask = EventMask::EMPTY.with(Event::StartContainer).with(Event::RemovePodSandbox);
    let some = [Event::StartContainer, Event::RemovePodSandbox].map(|event| about(event, "web"));
    let report = judged(mask, [synchronize(false)].into_iter().chain(some));
    report.assert();
    assert_eq!(outcomes(&report)["C5"], "skip");
}

#[tokio::test]
async fn a_recording_of_the_adaptation_is_judged() {
    // A marker subscribes to three events of the pod.
    for release in ["v0.8.0", "v0.11.0", "v0.12.5"] {
        let (_folder, file) = recorded(release, Marker("a"), Options::default()).await;
        let report = judge(&file);
        report.assert();
        assert_eq!(report.subject.name, "containerd");
        assert_eq!(outcomes(&report)["Y3"], "pass", "{release}");
    }
}

#[tokio::test]
async fn each_plugin_of_a_recording_is_judged() {
    let runtime = Runtime::start("v0.12.5").await;
    let recording = Recording::start(&runtime, Options::default());
    let one = run(Marker("a"), &recording.socket);
    runtime.plugins(1).await;
    runtime.pod_life("web").await;
    let other = run(Marker("b"), &recording.socket);
    runtime.plugins(2).await;
    // Only for the second plugin, the pod is new.
    let pod = pod("web");
    for _ in 0..2 {
        runtime.adaptation.run_pod_sandbox(&pod).await.unwrap();
    }
    let (file, _) = recording.finish().await;
    one.abort();
    other.abort();
    let report = judge(&file);
    let failures: Vec<_> = report.failures().collect();
    let [(result, failure)] = failures.as_slice() else {
        panic!("{failures:#?}");
    };
    assert_eq!(result.statement, "O4");
    assert!(failure.got.contains("10-marker on connection"), "{failure}");
}

#[test]
fn a_recording_that_is_cut_is_an_error() {
    let (_folder, file) = session();
    let exchanges = [configure(EventMask::ALL), synchronize(false)];
    by_hand::write(&file, Source::Proxy, &exchanges, None);
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 3]).unwrap();
    let error = recording::judge(&file, |_| true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
    assert_eq!(error.file(), Some(file.as_path()));
}

#[test]
fn only_the_selected_statements_are_judged() {
    let (_folder, file) = session();
    by_hand::write(&file, Source::Observer, &[configure(EventMask::ALL)], None);
    let report = recording::judge(&file, |statement| statement == "O4").unwrap();
    let tested: Vec<_> = report.results.iter().map(|one| one.statement).collect();
    assert_eq!(tested, ["O4"]);
}
