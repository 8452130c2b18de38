//! `nri-adaptation` behind a proxy that breaks the order of events: each mutant fails its
//! statement, in a run and in a recording of it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nri_conformance::record::{Options as RecordOptions, create_file, observe};
use nri_conformance::result::{Outcome, Report};
use nri_conformance::runtime::{Options, recording, run};
use tokio::sync::oneshot;

use crate::proxy::{MUTANTS, Mutant, Proxy};
use crate::sim::Sim;
use crate::{failed, workload};

/// The statements about the order of events.
const ORDER: [&str; 13] =
    ["R3", "D2", "O1", "O2", "O3", "O4", "O5", "O8", "C1", "C5", "P2", "Y3", "Y4"];

/// Starts a runtime with `nri-adaptation`, and a proxy that plugins connect to: `proxy.sock`.
async fn start(folder: &Path, mutant: Option<Mutant>) -> (Arc<Sim>, Proxy) {
    let sim = Sim::start_with_adaptation(folder).await;
    let (socket, runtime) = (folder.join("proxy.sock"), folder.join("nri.sock"));
    (sim, Proxy::listen(&socket, &runtime, mutant))
}

async fn judge(mutant: Option<Mutant>, only: BTreeSet<String>) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (sim, _proxy) = start(folder.path(), mutant).await;
    let mut options = Options::new(folder.path().join("proxy.sock"));
    options.cri_socket = Some(folder.path().join("cri.sock"));
    options.failing_command = vec!["fail".to_owned()];
    options.node_root = sim.root().to_owned();
    options.timeout = Duration::from_secs(8);
    options.only = only;
    let report = run(&options).await;
    report.unwrap_or_else(|error| panic!("{mutant:?}: {error}"))
}

/// Records two pods through the proxy, and judges the recording.
async fn recorded(mutant: Option<Mutant>) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (sim, proxy) = start(folder.path(), mutant).await;
    let file = folder.path().join("session.nri");
    let output = create_file(&file).expect("a file");
    let (stop, stopped) = oneshot::channel::<()>();
    let socket = folder.path().join("proxy.sock");
    let recorder = tokio::spawn(async move {
        let stopped = async { drop(stopped.await) };
        observe(&socket, "99", output, RecordOptions::default(), stopped).await
    });
    sim.plugins(1).await;
    for _ in 0..2 {
        workload(&folder.path().join("cri.sock")).await;
    }
    proxy.settled().await;
    drop(stop);
    let ended = recorder.await.expect("no panic");
    ended.expect("a recording");
    recording::judge(&file, |_| true).expect("a complete recording")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_adaptation_keeps_the_contract_through_a_proxy() {
    judge(None, BTreeSet::new()).await.assert();
    let report = recorded(None).await;
    report.assert();
    let mut outcomes = report.results.iter().map(|result| &result.outcome);
    assert_eq!(outcomes.len(), 8, "{report:?}");
    assert!(outcomes.all(|outcome| *outcome == Outcome::Pass));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_broken_order_fails_its_statement_and_no_other() {
    let only: BTreeSet<String> = ORDER.map(str::to_owned).into();
    let runs: Vec<_> = MUTANTS
        .iter()
        .map(|mutant| (mutant, tokio::spawn(judge(Some(*mutant), only.clone()))))
        .collect();
    let mut wrong = Vec::new();
    for (mutant, run) in runs {
        let report = run.await.expect("a report");
        if failed(&report) != [mutant.breaks].into() {
            wrong.push(format!("{}, {}: {}", mutant.name, mutant.breaks, text(&report)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_violation_counts_whichever_statement_is_selected() {
    let mutant = MUTANTS.iter().find(|mutant| mutant.name == "stop-after-removal");
    let report = judge(mutant.copied(), ["O2".to_owned()].into()).await;
    assert_eq!(failed(&report), ["O4"].into(), "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_of_a_broken_order_fails_the_same_statement() {
    let runs: Vec<_> =
        MUTANTS.iter().map(|mutant| (mutant, tokio::spawn(recorded(Some(*mutant))))).collect();
    let mut wrong = Vec::new();
    for (mutant, run) in runs {
        let report = run.await.expect("a report");
        let expected: BTreeSet<&str> =
            mutant.recorded.then_some(mutant.breaks).into_iter().collect();
        if failed(&report) != expected {
            wrong.push(format!("{}, {expected:?}: {}", mutant.name, text(&report)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn text(report: &Report) -> String {
    let failures = report.failures();
    let lines = failures
        .map(|(result, failure)| format!("\n  {} {}: {failure}", result.statement, result.test));
    lines.collect()
}
