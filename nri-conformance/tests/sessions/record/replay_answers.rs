//! Replays of sessions that are written by hand: fallback to StateChange, errors, and the speed.

use std::time::Duration;

use bytes::Bytes;
use nri::api::{CreateContainerResponse, StopPodSandboxRequest, UpdateContainersRequest};
use nri::codec::Message;
use nri::prelude::*;
use nri::wire::{Code, Request as Call, Status};
use nri_conformance::record::Source;
use nri_conformance::record::replay::{DifferenceKind, Speed};

use super::by_hand::{
    by_hand, configure, create, old_plugin, run_pod, run_pod_as_change, session, write,
};
use super::support::{patiently, pod, texts};

#[tokio::test]
async fn a_plugin_without_dedicated_rpcs_gets_state_change() {
    let (_folder, file) = session();
    let exchanges = [configure(EventMask::ALL), run_pod(Ok(Vec::new())), run_pod(Ok(Vec::new()))];
    write(&file, Source::Proxy, &exchanges, None);
    let (replayed, calls) = patiently(by_hand(&file, Speed::Full, old_plugin)).await;
    replayed.assert();
    assert_eq!(calls, ["Configure", "RunPodSandbox", "StateChange", "StateChange"]);
}

#[tokio::test]
async fn a_refusal_and_its_fallback_are_replayed_to_old_plugins_and_merged_for_new_ones() {
    let (_folder, file) = session();
    let exchanges =
        [configure(EventMask::ALL), run_pod(Err(12)), run_pod_as_change(), run_pod_as_change()];
    write(&file, Source::Proxy, &exchanges, None);
    let (old, old_calls) = patiently(by_hand(&file, Speed::Full, old_plugin)).await;
    old.assert();
    assert_eq!(old_calls, ["Configure", "RunPodSandbox", "StateChange", "StateChange"]);

    let takes_all = |_: &Call| Ok(Bytes::new());
    let (new, new_calls) = patiently(by_hand(&file, Speed::Full, takes_all)).await;
    new.assert();
    assert_eq!(new_calls, ["Configure", "RunPodSandbox", "StateChange"]);
    assert_eq!(new.skipped.repeated, 1);
}

#[tokio::test]
async fn errors_are_compared_as_a_runtime_tells_them_apart() {
    let adjusted = CreateContainerResponse::default().encode_to_vec();
    let fails = |request: &Call| match request.method.as_str() {
        "CreateContainer" => Err(Status::new(Code::INTERNAL, "disk on fire")),
        _ => Ok(Bytes::new()),
    };
    for (recorded, expected) in [
        (Ok(adjusted), "recorded success, got disk on fire: INTERNAL (13)"),
        (Err(2), ""),
        (Err(12), "recorded recorded: UNIMPLEMENTED (12), got disk on fire: INTERNAL (13)"),
    ] {
        let (_folder, file) = session();
        let exchanges = [configure(EventMask::ALL), create(Some(recorded))];
        write(&file, Source::Proxy, &exchanges, None);
        let (replayed, _) = patiently(by_hand(&file, Speed::Full, fails)).await;
        let prefix = "request 2, CreateContainer of default/web/server: ";
        let found = texts(&replayed).join("\n");
        assert_eq!(found.strip_prefix(prefix).unwrap_or(&found), expected);
    }
    let (_folder, file) = session();
    let exchanges = [configure(EventMask::ALL), create(Some(Err(2)))];
    write(&file, Source::Proxy, &exchanges, None);
    let (replayed, _) = patiently(by_hand(&file, Speed::Full, old_plugin)).await;
    let kind = &replayed.differences[0].kind;
    assert_eq!(
        *kind,
        DifferenceKind::Status { recorded: Some(Status::new(Code(2), "recorded")), got: None }
    );
}

#[tokio::test]
async fn an_unreadable_answer_is_a_difference() {
    let (_folder, file) = session();
    let exchanges = [configure(EventMask::ALL), create(Some(Ok(Vec::new())))];
    write(&file, Source::Proxy, &exchanges, None);
    let garbage = |request: &Call| match request.method.as_str() {
        "CreateContainer" => Ok(Bytes::from_static(b"\xff\xff\xff")),
        _ => Ok(Bytes::new()),
    };
    let (replayed, _) = patiently(by_hand(&file, Speed::Full, garbage)).await;
    let kind = &replayed.differences[0].kind;
    assert!(matches!(kind, DifferenceKind::Unreadable(_)), "{kind:?}");
}

#[tokio::test]
async fn a_recorded_update_that_is_not_sent_is_missed() {
    let (_folder, file) = session();
    let update = UpdateContainersRequest::default().encode_to_vec();
    write(&file, Source::Proxy, &[configure(EventMask::ALL)], Some(&update));
    let (replayed, _) = patiently(by_hand(&file, Speed::Full, old_plugin)).await;
    let expected = ["UpdateContainers of unsolicited update 1: a recorded update was not sent"];
    assert_eq!(texts(&replayed), expected);
}

#[tokio::test]
async fn the_original_speed_keeps_the_recorded_distances() {
    let (_folder, file) = session();
    let stop = StopPodSandboxRequest { pod: Some(pod("web")) }.encode_to_vec();
    let exchanges = [
        configure(EventMask::ALL),
        ("StopPodSandbox", stop.clone(), Some(Ok(Vec::new()))),
        ("StopPodSandbox", stop, Some(Ok(Vec::new()))),
    ];
    write(&file, Source::Proxy, &exchanges, None);
    let takes_all = |_: &Call| Ok(Bytes::new());
    let (replayed, _) = patiently(by_hand(&file, Speed::Original, takes_all)).await;
    replayed.assert();
    assert!(replayed.elapsed >= Duration::from_millis(40), "{replayed:?}");
}
