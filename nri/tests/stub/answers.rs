//! Answers that a runtime would reject: sent, named in a warning, or refused.

use crate::support::{Runtime, container, logs, pod};
use nri::api::{
    CreateContainerRequest, CreateContainerResponse, StopContainerRequest, StopContainerResponse,
    UpdateContainerRequest, UpdateContainerResponse,
};
use nri::prelude::*;
use nri::stub::{CheckAnswers, Stub};
use nri::wire::{CallError, Code};

/// Answers with a mistake where the pod is not called `fine`.
#[derive(NriPlugin)]
#[nri(name = "mistaken", index = "10", blocking(StopContainer))]
struct Mistaken;

/// Returns an update of the container without an id.
fn of_nothing(pod: &PodSandbox) -> Vec<ContainerUpdate> {
    if pod.name == "fine" { Vec::new() } else { vec![ContainerUpdate::default()] }
}

impl CreateContainer for Mistaken {
    async fn create_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        if pod.name == "huge" {
            return Ok(Adjustment::new().env("A", "x".repeat(6 << 20)));
        }
        let name = if pod.name == "fine" { "A" } else { "A=B" };
        Ok(Adjustment::new().env(name, "1").env("C", "1"))
    }
}

impl UpdateContainer for Mistaken {
    async fn update_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        _: Container,
        _: LinuxResources,
    ) -> nri::Result<Updates> {
        Ok(of_nothing(&pod).into_iter().collect::<Updates>())
    }
}

impl StopContainer for Mistaken {
    async fn stop_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        _: Container,
    ) -> nri::Result<Updates> {
        Ok(of_nothing(&pod).into())
    }
}

async fn under(check: CheckAnswers) -> Runtime {
    logs::collect();
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let stub = Stub::builder(Mistaken).stream(ours).check_answers(check);
    tokio::spawn(stub.run());
    let mut runtime = Runtime::over(theirs);
    runtime.handshake().await;
    runtime
}

/// Sends the three requests that have answers; returns how many variables and updates came back, or
/// the errors.
async fn answers(runtime: &Runtime, name: &str) -> [Result<usize, String>; 3] {
    let (pod, container) = (Some(pod(name)), Some(container("main")));
    let create = CreateContainerRequest { pod: pod.clone(), container: container.clone() };
    let created: Result<CreateContainerResponse, _> =
        runtime.call("CreateContainer", &create, None).await;
    let update = UpdateContainerRequest {
        pod: pod.clone(),
        container: container.clone(),
        linux_resources: None,
    };
    let updated: Result<UpdateContainerResponse, _> =
        runtime.call("UpdateContainer", &update, None).await;
    let stop = StopContainerRequest { pod, container };
    let stopped: Result<StopContainerResponse, _> =
        runtime.call("StopContainer", &stop, None).await;
    [
        created.map(|answer| answer.adjust.unwrap_or_default().env.len()).map_err(message),
        updated.map(|answer| answer.update.len()).map_err(message),
        stopped.map(|answer| answer.update.len()).map_err(message),
    ]
}

fn message(error: CallError) -> String {
    match error {
        CallError::Status(status) => status.message,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_valid_answer_is_sent_under_every_setting() {
    for check in [CheckAnswers::Off, CheckAnswers::Warn, CheckAnswers::Refuse] {
        let runtime = under(check).await;
        assert_eq!(answers(&runtime, "fine").await, [Ok(2), Ok(0), Ok(0)], "{check:?}");
    }
    assert!(logs::with(&["WARN", "default/fine"]).is_empty());
}

#[tokio::test]
async fn an_invalid_answer_is_sent_and_named_by_default() {
    let runtime = under(CheckAnswers::default()).await;
    assert_eq!(answers(&runtime, "named").await, [Ok(2), Ok(1), Ok(1)]);
    for (rpc, problem) in [
        ("CreateContainer", r#"env "A=B": name contains '='"#),
        ("UpdateContainer", "update: name is empty"),
        ("StopContainer", "update: name is empty"),
    ] {
        let warning =
            format!("invalid answer to {rpc} for container main of pod default/named: {problem}");
        assert_eq!(logs::with(&["WARN", &warning]).len(), 1, "{warning}");
    }
}

#[tokio::test]
async fn an_invalid_answer_is_refused_if_the_author_chose_so() {
    let runtime = under(CheckAnswers::Refuse).await;
    for answer in answers(&runtime, "refused").await {
        let error = answer.unwrap_err();
        assert!(error.contains("invalid answer: "), "{error}");
    }
}

#[tokio::test]
async fn an_invalid_answer_is_sent_in_silence_without_the_check() {
    let runtime = under(CheckAnswers::Off).await;
    assert_eq!(answers(&runtime, "silent").await, [Ok(2), Ok(1), Ok(1)]);
    assert!(logs::with(&["WARN", "default/silent"]).is_empty());
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_named_with_its_size_and_the_connection_stays() {
    let runtime = under(CheckAnswers::default()).await;
    let request =
        CreateContainerRequest { pod: Some(pod("huge")), container: Some(container("main")) };
    let created: Result<CreateContainerResponse, _> =
        runtime.call("CreateContainer", &request, None).await;
    let Err(CallError::Status(status)) = created else {
        panic!("it does not fit");
    };
    assert_eq!(status.code, Code::RESOURCE_EXHAUSTED);
    // On a busy machine there may also be a warning that encoding took long.
    let warnings =
        logs::with(&["WARN", "failed", "event=CreateContainer", "container=main", "default/huge"]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let size = "has 62914"; // 6 MiB and the entries around
    assert!(warnings[0].contains(size) && status.message.contains(size), "{warnings:?}");
    assert_eq!(answers(&runtime, "fine").await, [Ok(2), Ok(0), Ok(0)]);
}

#[test]
fn every_form_of_updates_is_an_answer() {
    let update = || ContainerUpdate::new("f00d");
    let expected = Updates::new().update(update());
    assert_eq!(Updates::from(vec![update()]), expected);
    assert_eq!(Updates::from(update()), expected);
    assert_eq!([update()].into_iter().collect::<Updates>(), expected);
}
