//! Fields of an answer that the runtime is too old for.
#![allow(deprecated)]

use crate::support::{Runtime, container, logs, pod};
use nri::api::{CreateContainerRequest, CreateContainerResponse, LinuxMemoryPolicy, MpolMode};
use nri::prelude::*;
use nri::stub::Stub;

#[derive(NriPlugin)]
#[nri(name = "placer", index = "10")]
struct Placer;

impl CreateContainer for Placer {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new()
            .env("PLACED", "1")
            .memory_policy(LinuxMemoryPolicy::new(MpolMode::MpolBind, "0")))
    }
}

/// Lets the plugin answer twice under a runtime of this release; returns the warnings that name it.
async fn warnings(nri: &str) -> Vec<String> {
    logs::collect();
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let stub = Stub::builder(Placer).stream(ours).build().unwrap();
    let running = tokio::spawn(stub.run_until(std::future::pending()));
    let mut runtime = Runtime::over(theirs);
    runtime.registered().await;
    runtime.configure(nri).await.unwrap();
    runtime.synchronize(vec![], vec![], false).await.unwrap();
    let request =
        CreateContainerRequest { pod: Some(pod("pod")), container: Some(container("main")) };
    for _ in 0..2 {
        let answer: CreateContainerResponse =
            runtime.call("CreateContainer", &request, None).await.unwrap();
        assert!(answer.adjust.unwrap().linux.unwrap().memory_policy.is_some());
    }
    running.abort();
    logs::with(&["WARN", &format!("(NRI {nri}) ignores `")])
}

#[tokio::test]
async fn fields_that_an_old_runtime_ignores_are_named_once() {
    let warnings = warnings("v0.11.0").await;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains(
            "memory_policy` in the answer to CreateContainer: it was added in NRI v0.12.0"
        ),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn a_runtime_that_knows_the_field_is_not_named() {
    assert_eq!(warnings("v0.12.0").await, Vec::<String>::new());
}
