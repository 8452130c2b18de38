//! Runtimes that break one statement each: exactly that statement fails. They need neither
//! containers nor root.

mod adapted;
mod containers;
mod grpc;
mod node;
mod order;
mod proxy;
mod relay;
mod removal;
mod service;
mod sim;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use nri_conformance::contract::{self, Keeper};
use nri_conformance::result::{Outcome, Report};
use nri_conformance::runtime::cri::Client;
use nri_conformance::runtime::cri::messages::{
    CreateContainerRequest, Empty, Id, LinuxContainerResources, LinuxPodSandboxConfig, Only,
    PodSandboxConfig, UpdateContainerResourcesRequest,
};
use nri_conformance::runtime::{Options, run, run_until};

use sim::Sim;

/// A way to break the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    NoCgroup,
    NoUtsNamespace,
    NoNetworkNamespace,
    ReusesIds,
    ReusesStoppedPods,
    NoAddress,
    OtherAddress,
    NoPause,
    ReadyEarly,
    StopsWithRunningContainers,
    ForgetsBeforeStop,
    RemovesNetworkBeforeStop,
    RemovesNetworkDuringStop,
    RemovesCgroupBeforeStop,
    RemovesCgroupDuringStop,
    RemovesContainersLast,
    RemovesDuringStop,
    RunsAfterTheResponse,
    StopsAfterTheResponse,
    RemovesAfterTheResponse,
    StopsAfterRemove,
    StartsContainersEarly,
    ReclaimsAddressesDuringStop,
    WaitsForever,
    LeavesRejectedPods,
    ReturnsStopErrors,
    ReturnsRemoveErrors,
    EndsTheChain,
    ForgetsAcceptingPlugins,
    HidesContainerStops,
    ListsContainersEarly,
    IgnoresCreateErrors,
    StopsOnce,
    CallsInReverse,
    SynchronizesNothing,
    LosesWhileSynchronizing,
    ConfusesNames,
    RunsTwice,
    RemovesAgainLater,
    RemovesContainersAfterPod,
    CreatesContainersTwice,
    OmitsPostCreate,
    PostsStartTwice,
    SynchronizesTwice,
    ConfiguresTwice,
}

/// Each fault, with the statement that fails.
const MUTANTS: &[(Fault, &str)] = &[
    (Fault::NoCgroup, "R1"),
    (Fault::NoUtsNamespace, "R2"),
    (Fault::NoNetworkNamespace, "R2"),
    (Fault::ReusesIds, "R3"),
    (Fault::ReusesStoppedPods, "R3"),
    (Fault::NoAddress, "R4"),
    (Fault::OtherAddress, "R5"),
    (Fault::NoPause, "R6"),
    (Fault::ReadyEarly, "R7"),
    (Fault::ForgetsBeforeStop, "S2"),
    (Fault::RemovesNetworkBeforeStop, "S3"),
    (Fault::RemovesNetworkDuringStop, "S3"),
    (Fault::RemovesCgroupBeforeStop, "S4"),
    (Fault::RemovesCgroupDuringStop, "S5"),
    (Fault::RemovesContainersLast, "D1"),
    (Fault::RemovesDuringStop, "D2"),
    (Fault::RunsAfterTheResponse, "O1"),
    (Fault::StopsAfterTheResponse, "O2"),
    (Fault::RemovesAfterTheResponse, "O3"),
    (Fault::StopsAfterRemove, "O4"),
    (Fault::StartsContainersEarly, "O5"),
    (Fault::ReclaimsAddressesDuringStop, "O7"),
    (Fault::WaitsForever, "E1"),
    (Fault::LeavesRejectedPods, "E2"),
    (Fault::ReturnsStopErrors, "E3"),
    (Fault::ReturnsRemoveErrors, "E4"),
    (Fault::EndsTheChain, "E5"),
    (Fault::HidesContainerStops, "C1"),
    (Fault::ListsContainersEarly, "C2"),
    (Fault::IgnoresCreateErrors, "C3"),
    (Fault::StopsOnce, "C4"),
    (Fault::CallsInReverse, "P2"),
    (Fault::SynchronizesNothing, "Y1"),
    (Fault::LosesWhileSynchronizing, "Y1"),
    (Fault::ConfusesNames, "Y1"),
    (Fault::RunsTwice, "O4"),
    (Fault::RemovesAgainLater, "O4"),
    (Fault::RemovesContainersAfterPod, "O8"),
    (Fault::CreatesContainersTwice, "C1"),
    (Fault::OmitsPostCreate, "C5"),
    (Fault::PostsStartTwice, "C5"),
    (Fault::SynchronizesTwice, "Y3"),
    (Fault::ConfiguresTwice, "Y4"),
];

/// The faults that break only an ambiguous statement, with that statement.
const AMBIGUOUS: &[(Fault, &[&str])] = &[
    (Fault::StopsWithRunningContainers, &["S1", "O6"]),
    (Fault::ForgetsAcceptingPlugins, &["E6"]),
];

/// The statements that are never tested on runtimes.
const NEVER: [&str; 3] = ["D3", "P1", "P3"];

async fn judge(fault: Fault) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sim = Sim::start(fault, folder.path());
    let mut options = Options::new(folder.path().join("nri.sock"));
    options.cri_socket = Some(folder.path().join("cri.sock"));
    options.image = "image".to_owned();
    options.failing_command = vec!["fail".to_owned()];
    options.node_root = sim.root().to_owned();
    options.timeout = Duration::from_secs(8);
    let report = run(&options).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
    let stubborn = matches!(fault, Fault::ReturnsStopErrors | Fault::ReturnsRemoveErrors);
    assert!(sim.is_empty() || stubborn, "{fault:?}: pods are left");
    report
}

fn statements(report: &Report, which: fn(&Outcome) -> bool) -> BTreeSet<&'static str> {
    report
        .results
        .iter()
        .filter(|result| which(&result.outcome))
        .map(|result| result.statement)
        .collect()
}

fn failed(report: &Report) -> BTreeSet<&'static str> {
    statements(report, |outcome| matches!(outcome, Outcome::Fail(_)))
}

fn skipped(report: &Report) -> BTreeSet<&'static str> {
    statements(report, |outcome| matches!(outcome, Outcome::Skip(_)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runtime_that_keeps_the_contract_passes() {
    let report = judge(Fault::None).await;
    report.assert();
    assert_eq!(skipped(&report), NEVER.into());
}

/// Returns what is wrong with the judgement of a mutant.
async fn wrong(fault: Fault, statement: &str) -> Option<String> {
    let report = judge(fault).await;
    let failures: Vec<String> = report
        .failures()
        .map(|(result, failure)| format!("  {} {}: {failure}", result.statement, result.test))
        .collect();
    (failed(&report) != [statement].into())
        .then(|| format!("{fault:?}, {statement}:\n{}", failures.join("\n")))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_mutant_fails_its_statement_and_no_other() {
    let runs = MUTANTS.iter().map(|(fault, statement)| {
        let run = tokio::spawn(wrong(*fault, statement));
        (*fault, *statement, run)
    });
    let mut suspects = Vec::new();
    for (fault, statement, run) in runs.collect::<Vec<_>>() {
        let found = run.await.expect("a report");
        suspects.extend(found.map(|_| (fault, statement)));
    }
    // All of them at once keep the machine busy: a fault counts only if it is found again while no
    // other runs.
    let mut faults = Vec::new();
    for (fault, statement) in suspects {
        faults.extend(wrong(fault, statement).await);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ambiguous_statement_never_fails() {
    for (fault, expected) in AMBIGUOUS {
        let report = judge(*fault).await;
        report.assert();
        let skipped = skipped(&report);
        for statement in *expected {
            assert!(skipped.contains(statement), "{fault:?}: {skipped:?}");
        }
    }
}

/// Runs a pod with a container, like a kubelet that is unaware of the run.
async fn workload(socket: &Path) {
    let client = Client::connect(socket, Duration::from_secs(8)).await.expect("a connection");
    let config = PodSandboxConfig {
        linux: Some(LinuxPodSandboxConfig {
            cgroup_parent: "/workload".to_owned(),
            ..LinuxPodSandboxConfig::default()
        }),
        ..PodSandboxConfig::default()
    };
    let request = Only { message: Some(config) };
    let pod: Id = call(&client, "RunPodSandbox", request).await;
    let create = CreateContainerRequest {
        pod_sandbox_id: pod.id.clone(),
        ..CreateContainerRequest::default()
    };
    let container: Id = call(&client, "CreateContainer", create).await;
    let update = UpdateContainerResourcesRequest {
        container_id: container.id.clone(),
        linux: Some(LinuxContainerResources { cpu_shares: 512 }),
    };
    let Empty {} = call(&client, "StartContainer", container).await;
    let Empty {} = call(&client, "UpdateContainerResources", update).await;
    let Empty {} = call(&client, "StopPodSandbox", pod.clone()).await;
    let Empty {} = call(&client, "RemovePodSandbox", pod).await;
}

async fn call<A: prost::Message + Default + 'static>(
    client: &Client,
    method: &str,
    request: impl prost::Message + 'static,
) -> A {
    let answer = client.call(method, request).await;
    answer.unwrap_or_else(|error| panic!("{method}: {error}"))
}

async fn observe(fault: Fault) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sim = Sim::start(fault, folder.path());
    let mut options = Options::new(folder.path().join("nri.sock"));
    options.observe = Some(Duration::from_secs(60));
    options.node_root = sim.root().to_owned();
    let cri = folder.path().join("cri.sock");
    // The workload starts when both plugins take part, and its end ends the run.
    let stop = async {
        sim.plugins(2).await;
        workload(&cri).await;
    };
    run_until(&options, stop).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_workload_of_others_is_judged_too() {
    let faultless = observe(Fault::None).await;
    faultless.assert();
    let passed = statements(&faultless, |outcome| *outcome == Outcome::Pass);
    let expected = [
        "C1", "C5", "D2", "O1", "O4", "O5", "O8", "P2", "R1", "R2", "R3", "R4", "R5", "R6", "S3",
        "S4", "Y3", "Y4",
    ];
    assert_eq!(passed, expected.into());
    for (fault, statement) in [
        (Fault::NoAddress, "R4"),
        (Fault::RemovesNetworkBeforeStop, "S3"),
        (Fault::StopsAfterRemove, "O4"),
        (Fault::RemovesAgainLater, "O4"),
        (Fault::RemovesContainersAfterPod, "O8"),
        (Fault::CreatesContainersTwice, "C1"),
        (Fault::OmitsPostCreate, "C5"),
        (Fault::SynchronizesTwice, "Y3"),
        (Fault::ConfiguresTwice, "Y4"),
    ] {
        let report = observe(fault).await;
        assert_eq!(failed(&report), [statement].into(), "{fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_leaves_no_pod() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sim = Sim::start(Fault::None, folder.path());
    let mut options = Options::new(folder.path().join("nri.sock"));
    options.cri_socket = Some(folder.path().join("cri.sock"));
    options.node_root = sim.root().to_owned();
    let stop = async {
        while sim.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    let error = run_until(&options, stop).await.expect_err("it was stopped");
    assert!(error.to_string().contains("stopped"), "{error}");
    assert!(sim.is_empty());
}

#[test]
fn every_statement_that_a_runtime_keeps_has_a_mutant() {
    let mut covered: BTreeSet<&str> = MUTANTS.iter().map(|(_, statement)| *statement).collect();
    covered.extend(AMBIGUOUS.iter().flat_map(|(_, statements)| *statements));
    covered.extend(NEVER);
    let kept = contract::all().iter().filter(|statement| {
        let keepers = &statement.kept_by;
        keepers.contains(&Keeper::Runtime) || keepers.contains(&Keeper::Relay)
    });
    for statement in kept {
        assert!(covered.contains(statement.id.as_str()), "{}", statement.id);
    }
}
