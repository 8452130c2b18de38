//! The matrix of StateChange: plugins of any version under runtimes of any version.
//!
//! Rows are four releases of the Go stub, three of them behind `nri-bridge` as well, and three
//! kinds of Rust plugins; columns are the adaptation of this workspace as it speaks three releases,
//! three releases of the Go adaptation, and both as they will be without StateChange. What comes of
//! each pair is in `snapshots/matrix/matrix.md`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nri::api::{Container, LinuxResources, PodSandbox};
use nri_adaptation::{
    Adaptation, Builder, DeprecationList, Outcome, OutcomeResult, RequestError, Revision, Via,
};
use nri_tests::matrix::{Cell, Row, details, life_of, summary};
use nri_tests::peers::NRI_RELEASES;
use nri_tests::plugin::Plugin;
use nri_tests::process::{PATIENCE, Process, Stream};
use nri_tests::runtime::Runtime;
use nri_tests::{peers, snapshot};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::sleep;

/// The name of each row, and the NRI release whose events the plugin handles.
const PLUGINS: [(&str, &str); 10] = [
    ("Go v0.6.1", "v0.6.1"),
    ("Go v0.8.0", "v0.8.0"),
    ("Go v0.11.0", "v0.11.0"),
    ("Go v0.12.5", NEWEST),
    ("Rust, current", NEWEST),
    ("Rust, bindings of v0.11.0", "v0.11.0"),
    (ONLY_STATE_CHANGE, NEWEST),
    ("Go v0.6.1, bridge", "v0.6.1"),
    ("Go v0.8.0, bridge", "v0.8.0"),
    ("Go v0.11.0, bridge", "v0.11.0"),
];

/// The end of the names of plugins that connect to `nri-bridge` instead of the runtime.
const BEHIND_THE_BRIDGE: &str = ", bridge";

/// The plugin that handles only the events that came as StateChange.
const ONLY_STATE_CHANGE: &str = "Rust, StateChange only";

/// The newest release of the plugins and runtimes.
const NEWEST: &str = NRI_RELEASES[NRI_RELEASES.len() - 1];

const COLUMNS: [&str; 8] = [
    "ours as v0.8.0",
    "ours as v0.11.0",
    "ours as v0.12.5",
    WITHOUT_STATE_CHANGE,
    "Go v0.6.1",
    "Go v0.11.0",
    "Go v0.12.5",
    GO_WITHOUT_STATE_CHANGE,
];

/// A release as it will be after the removal of StateChange.
const WITHOUT_STATE_CHANGE: &str = "ours without StateChange";

/// The same of the Go adaptation.
const GO_WITHOUT_STATE_CHANGE: &str = "Go without StateChange";

fn row((name, release): (&'static str, &str)) -> Row {
    let mut handled = life_of(release);
    if name == ONLY_STATE_CHANGE {
        let rpcs = Revision::rpcs().iter().filter(|rpc| rpc.change_fields.is_some());
        handled.retain(|event| rpcs.clone().any(|rpc| rpc.name == *event));
    }
    Row { name, handled }
}

#[tokio::test]
async fn every_plugin_under_every_runtime() {
    let mut table = String::from("# Plugins under runtimes\n\n");
    let _ = writeln!(table, "| plugin | {} |", COLUMNS.join(" | "));
    let _ = writeln!(table, "| --- |{}", " --- |".repeat(COLUMNS.len()));
    let mut facts = String::new();
    for row in &PLUGINS.map(row) {
        let mut summaries = Vec::new();
        for column in COLUMNS {
            let cell = cell(row, column).await;
            summaries.push(summary(&cell, row));
            let _ = writeln!(
                facts,
                "\n## {} under {column}\n\n{}",
                row.name,
                details(&cell, row).trim_end()
            );
        }
        let _ = writeln!(table, "| {} | {} |", row.name, summaries.join(" | "));
    }
    snapshot::assert_same("matrix/matrix.md", &(table + &facts));
}

async fn cell(row: &Row, column: &str) -> Cell {
    if column == WITHOUT_STATE_CHANGE {
        return under_ours(row, NEWEST, Builder::without_state_change).await;
    }
    match column.split_once(" as ") {
        Some((_, release)) => under_ours(row, release, |builder| builder).await,
        None => under_go(row, go_runtime(column)),
    }
}

fn executable(row: &Row) -> PathBuf {
    match row.name.strip_prefix("Go ") {
        Some(release) => peers::plugin(release.trim_end_matches(BEHIND_THE_BRIDGE)),
        None if row.name.contains("current") => env!("CARGO_BIN_EXE_plugin-current").into(),
        None if row.name.contains("bindings") => env!("CARGO_BIN_EXE_plugin-pinned").into(),
        None => env!("CARGO_BIN_EXE_plugin-state-change").into(),
    }
}

/// Returns the first containerd release that links an NRI release: before v0.12.0 a plugin knows
/// the runtime by that alone.
fn containerd(nri: &str) -> &'static str {
    match nri {
        "v0.6.1" => "v1.7.16",
        "v0.8.0" => "v1.7.26",
        "v0.11.0" => "v2.2.1",
        "v0.12.5" => "v2.4.2",
        other => panic!("no containerd release is known for NRI {other}"),
    }
}

/// A plugin, and the bridge that it connects to, if it has one.
struct Started {
    plugin: Plugin,
    _bridge: Option<(Process, TempDir)>,
}

fn start(row: &Row, socket: &Path) -> Started {
    let bridge = row.name.ends_with(BEHIND_THE_BRIDGE).then(|| bridge(socket));
    let nearest = bridge.as_ref().map(|(_, folder)| folder.path().join("bridge.sock"));
    let nearest = nearest.as_deref().unwrap_or(socket);
    let plugin = Plugin::external(&executable(row), nearest, "10-peer", &[]);
    Started { plugin, _bridge: bridge }
}

/// Starts a bridge between the runtime at a socket and plugins at another one, in a folder of its
/// own.
fn bridge(runtime: &Path) -> (Process, TempDir) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let plugins = folder.path().join("bridge.sock");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridge"));
    command.arg("--socket").arg(runtime).arg("--listen").arg(&plugins);
    let bridge = Process::spawn(&mut command, Stream::Error);
    let deadline = Instant::now() + PATIENCE;
    while !plugins.exists() {
        assert!(Instant::now() < deadline, "the bridge does not listen");
        std::thread::sleep(Duration::from_millis(5));
    }
    (bridge, folder)
}

/// Returns the name of an event in the spelling of its RPC.
fn camel_case(event: &str) -> String {
    if !event.contains('_') {
        return event.to_owned();
    }
    event.split('_').map(|word| word[..1].to_owned() + &word[1..].to_lowercase()).collect()
}

/// Takes the events that a plugin has printed, after the last one that the runtime says it has
/// answered.
fn printed(plugin: &mut Plugin, count: usize) -> Vec<String> {
    let mut events = Vec::new();
    while events.len() < count {
        let line = plugin.wait_for("an event", is_of_life);
        events.push(camel_case(line["event"].as_str().unwrap_or_default()));
    }
    events
}

fn is_of_life(line: &Value) -> bool {
    let event = line["event"].as_str().map(camel_case);
    event.is_some_and(|event| life_of(NEWEST).contains(&event.as_str()))
}

async fn under_ours(row: &Row, release: &str, settings: fn(Builder) -> Builder) -> Cell {
    let folder = tempfile::tempdir().expect("temporary folder");
    let socket = folder.path().join("nri.sock");
    let deprecations = DeprecationList::default();
    let builder =
        Adaptation::builder("containerd", containerd(release)).listen(&socket).speaking(release);
    let adaptation =
        settings(builder).deprecations(deprecations.clone()).start().await.expect("it starts");
    let Started { mut plugin, _bridge } = start(row, &socket);
    if let Err(reason) = connected(&adaptation, &mut plugin).await {
        return Cell { dropped: Some(reason), ..Cell::default() };
    }
    let outcomes = life(&adaptation).await;
    let mut cell = Cell::default();
    let mut carriers = Vec::new();
    for (event, outcome) in outcomes {
        match outcome.result {
            OutcomeResult::Answered => carriers.push((event, outcome.via)),
            OutcomeResult::NotSubscribed => {}
            _ => cell.failed.push((event, outcome.error.unwrap_or_default())),
        }
    }
    let arrived = printed(&mut plugin, carriers.len());
    for (event, (sent, via)) in arrived.into_iter().zip(carriers) {
        assert_eq!(event, sent);
        let rpc = match via {
            Some(Via::StateChange) => "StateChange".to_owned(),
            _ => sent,
        };
        cell.arrived.push((event, rpc));
    }
    let records = deprecations.records();
    let deprecated = records.iter().map(|record| camel_case(record.event.as_str_name()));
    cell.deprecated = deprecated.collect();
    adaptation.stop().await;
    cell
}

/// Waits until the plugin gets events, or has ended because it was refused.
async fn connected(adaptation: &Adaptation, plugin: &mut Plugin) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    while adaptation.plugins().is_empty() {
        if plugin.wait_within(Duration::ZERO).is_some() {
            return Err("refused, and ended".to_owned());
        }
        assert!(Instant::now() < deadline, "the plugin neither connects nor ends");
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

/// Sends every event of a pod's life.
async fn life(adaptation: &Adaptation) -> Vec<(String, Outcome)> {
    let pod = PodSandbox { id: "p1".to_owned(), ..PodSandbox::default() };
    let container = Container { id: "c1".to_owned(), ..Container::default() };
    let (pod, container, none) = (&pod, &container, LinuxResources::default());
    let a = adaptation;
    let mut all = Vec::new();
    all.extend(seen(a.run_pod_sandbox(pod).await));
    all.extend(seen(a.update_pod_sandbox(pod, None, None).await));
    all.extend(seen(a.post_update_pod_sandbox(pod).await));
    all.extend(seen(a.create_container(pod, container).await));
    all.extend(seen(a.post_create_container(pod, container).await));
    all.extend(seen(a.start_container(pod, container).await));
    all.extend(seen(a.post_start_container(pod, container).await));
    all.extend(seen(a.update_container(pod, container, &none).await));
    all.extend(seen(a.post_update_container(pod, container).await));
    all.extend(seen(a.stop_container(pod, container).await));
    all.extend(seen(a.remove_container(pod, container).await));
    all.extend(seen(a.stop_pod_sandbox(pod).await));
    all.extend(seen(a.remove_pod_sandbox(pod).await));
    all
}

/// Returns the outcomes of a request, whether it failed or not, each with its event.
fn seen<T>(relayed: Result<nri_adaptation::Relayed<T>, RequestError>) -> Vec<(String, Outcome)> {
    let outcomes = match relayed {
        Ok(relayed) => relayed.outcomes,
        Err(error) => error.outcomes().to_vec(),
    };
    outcomes.into_iter().map(|outcome| (camel_case(outcome.event.as_str_name()), outcome)).collect()
}

fn go_runtime(column: &str) -> Runtime {
    if column == GO_WITHOUT_STATE_CHANGE {
        let program = peers::runtime_without_state_change();
        return Runtime::running(program, "containerd", containerd(NEWEST));
    }
    let release = column.trim_start_matches("Go ");
    Runtime::named(release, "containerd", containerd(release))
}

fn under_go(row: &Row, mut runtime: Runtime) -> Cell {
    runtime.start();
    let Started { mut plugin, _bridge } = start(row, &runtime.socket());
    if let Err(reason) = connected_to_go(&mut runtime) {
        return Cell { dropped: Some(reason), ..Cell::default() };
    }
    runtime.calls();
    runtime.log();
    let steps = runtime.lifecycle();
    let mut cell = Cell::default();
    for step in steps.iter().filter(|step| step.get("error").is_some()) {
        let text = |key: &str| step[key].as_str().unwrap_or_default().to_owned();
        cell.failed.push((camel_case(&text("event")), text("error")));
    }
    let calls = runtime.calls();
    let answered = calls.iter().filter(|call| call["code"] == "OK");
    let rpcs: Vec<String> =
        answered.map(|call| call["method"].as_str().unwrap_or_default().to_owned()).collect();
    let arrived = printed(&mut plugin, rpcs.len());
    cell.arrived = arrived.into_iter().zip(rpcs).collect();
    cell.deprecated = deprecated(&runtime.log());
    cell
}

fn connected_to_go(runtime: &mut Runtime) -> Result<(), String> {
    let line = runtime.wait_for("the plugin or a refusal", |line| {
        let text = line["text"].as_str().unwrap_or_default();
        (line["event"] == "plugin" && line["plugin"] == "10-peer")
            || text.contains("invalid plugin events")
    });
    match line["text"].as_str() {
        Some(text) => Err(text[text.find("invalid plugin events").unwrap_or(0)..].to_owned()),
        None => Ok(()),
    }
}

/// Returns the events of which the adaptation logs that they went through StateChange.
fn deprecated(log: &[String]) -> BTreeSet<String> {
    let lines = log.iter().filter(|line| line.contains("deprecated StateChange"));
    let event = |line: &String| {
        life_of(NEWEST).into_iter().find(|event| line.contains(&format!(" {event} ")))
    };
    lines.filter_map(event).map(str::to_owned).collect()
}
