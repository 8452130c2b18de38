//! Plugins in the test process, tested in the same way as by their authors.

use std::collections::HashSet;
use std::sync::Mutex;

use nri::prelude::*;
use nri_conformance::plugin;

/// A plugin that keeps the contract.
#[derive(NriPlugin)]
#[nri(name = "keeper", index = "10")]
struct Keeper;

impl RunPodSandbox for Keeper {
    async fn run_pod_sandbox(&self, _cx: &EventContext, _pod: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopPodSandbox for Keeper {
    async fn stop_pod_sandbox(&self, _cx: &EventContext, _pod: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

/// A plugin that refuses to stop a pod twice.
#[derive(Default, NriPlugin)]
#[nri(name = "strict", index = "10")]
struct Strict {
    stopped: Mutex<HashSet<String>>,
}

impl RunPodSandbox for Strict {
    async fn run_pod_sandbox(&self, _cx: &EventContext, _pod: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopPodSandbox for Strict {
    async fn stop_pod_sandbox(&self, _cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        let is_new = self.stopped.lock().unwrap().insert(pod.id);
        is_new.then_some(()).ok_or_else(|| nri::Error::new("stopped twice"))
    }
}

#[tokio::test]
async fn a_plugin_that_keeps_the_contract_passes_within_a_tokio_test() {
    plugin(Keeper).skip(["W17", "W18"]).assert();
}

#[test]
fn a_shared_plugin_fails_only_what_it_breaks() {
    let run = plugin(Strict::default()).skip(["W17", "W18"]);
    let report = run.run_blocking().unwrap();
    let failed: HashSet<_> = report.failures().map(|(result, _)| result.statement).collect();
    assert_eq!(failed, ["P7"].into(), "{:#?}", report.failures().collect::<Vec<_>>());
}

#[tokio::test]
async fn unknown_statements_and_revisions_are_rejected() {
    let unknown = plugin(Keeper).only(["P77"]).run().await.unwrap_err();
    assert_eq!(unknown.to_string(), "the contract has no statement \"P77\"");
    let error = plugin(Keeper).revisions(["v0.1.0"]).run().await.unwrap_err();
    assert!(error.help().is_some_and(|help| help.contains("v0.12.4")), "{error}");
}
