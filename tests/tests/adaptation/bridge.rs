//! `nri-bridge` as a program, between our adaptation without StateChange and plugins of the Go
//! stub: launched by the runtime, and as a wrapper that starts the plugin.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nri::api::{Container, Event, PodSandbox};
use nri_adaptation::{Adaptation, Builder, OutcomeResult, Via};
use nri_tests::peers;
use nri_tests::process::{PATIENCE, Process, Stream};
use tempfile::TempDir;
use tokio::time::sleep;

const OLD: &str = "v0.8.0";

fn builder() -> Builder {
    let limit = Duration::from_secs(20);
    let builder = Adaptation::builder("containerd", "v2.7.0").without_state_change();
    builder.request_timeout(limit).registration_timeout(limit)
}

/// Waits until as many plugins are connected.
async fn connected(adaptation: &Adaptation, count: usize) {
    let deadline = Instant::now() + PATIENCE;
    while adaptation.plugins().len() != count {
        assert!(Instant::now() < deadline, "{:?}", adaptation.plugins());
        sleep(Duration::from_millis(5)).await;
    }
}

fn pod() -> PodSandbox {
    PodSandbox { id: "p1".to_owned(), ..PodSandbox::default() }
}

/// Sends the events of a container's life, and asserts that the plugin answers each.
async fn all_events_arrive(adaptation: &Adaptation) {
    let container = Container { id: "c1".to_owned(), ..Container::default() };
    adaptation.create_container(&pod(), &container).await.expect("it is created");
    for event in [
        Event::RunPodSandbox,
        Event::PostCreateContainer,
        Event::StartContainer,
        Event::PostStartContainer,
        Event::PostUpdateContainer,
        Event::RemoveContainer,
        Event::StopPodSandbox,
        Event::RemovePodSandbox,
    ] {
        let sent = adaptation.send(event, &pod(), Some(&container)).await.expect("it is sent");
        let outcome = &sent.outcomes[0];
        assert_eq!(outcome.result, OutcomeResult::Answered, "{event:?}: {outcome:?}");
        assert_eq!(outcome.via, Some(Via::Dedicated), "{event:?}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::copy(from, to).expect("a copy");
    fs::set_permissions(to, Permissions::from_mode(0o755)).expect("it is ours");
}

/// A plugin folder with the bridge in the place of a plugin.
fn installed() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let beside = folder.path().join("10-old.bridge");
    fs::create_dir(&beside).expect("a folder");
    fs::set_permissions(&beside, Permissions::from_mode(0o755)).expect("it is ours");
    copy(Path::new(env!("CARGO_BIN_EXE_bridge")), &folder.path().join("10-old"));
    copy(&peers::plugin(OLD), &beside.join("10-old"));
    folder
}

#[tokio::test]
async fn a_launched_bridge_stands_for_the_plugin_beside_it() {
    let folder = installed();
    let adaptation = builder()
        .plugin_dir(folder.path())
        .config_dir(folder.path())
        .start()
        .await
        .expect("it starts");
    let plugins = adaptation.plugins();
    assert_eq!(plugins.len(), 1, "the folder is passed over: {plugins:?}");
    assert_eq!(plugins[0].to_string(), "10-old");
    all_events_arrive(&adaptation).await;
    adaptation.stop().await;
}

/// Starts the bridge as a wrapper of the plugin.
fn wrapper(socket: &Path, relaunch: &str) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridge"));
    command.arg("--socket").arg(socket).args(["--name", "old", "--index", "10"]);
    command.args(["--relaunch", relaunch, "--"]).arg(peers::plugin(OLD));
    Process::spawn(&mut command, Stream::Error)
}

#[tokio::test]
async fn a_wrapped_plugin_survives_a_restart_of_the_runtime() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("nri.sock");
    let mut bridge = wrapper(&socket, "never");
    bridge.wait_for("the runtime is missing", |line| {
        line.as_str().is_some_and(|line| line.contains("waiting for the runtime"))
    });
    for _ in 0..2 {
        let adaptation = builder().listen(&socket).start().await.expect("it starts");
        connected(&adaptation, 1).await;
        all_events_arrive(&adaptation).await;
        adaptation.stop().await;
    }
}

#[tokio::test]
async fn a_plugin_that_ends_is_started_again_if_asked_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("nri.sock");
    let adaptation = builder().listen(&socket).start().await.expect("it starts");
    // The plugin ends in the middle of an event of this pod.
    let mut killer = pod();
    killer.annotations.insert("peer/exit".to_owned(), "3".to_owned());
    let _bridge = wrapper(&socket, "on-failure");
    for _ in 0..2 {
        connected(&adaptation, 1).await;
        let sent = adaptation.run_pod_sandbox(&killer).await.expect("the pod runs");
        assert_eq!(sent.outcomes[0].result, OutcomeResult::Disconnected);
    }
    connected(&adaptation, 1).await;
    all_events_arrive(&adaptation).await;
}

#[tokio::test]
async fn a_plugin_that_ends_ends_the_bridge_by_default() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("nri.sock");
    let adaptation = builder().listen(&socket).start().await.expect("it starts");
    let mut killer = pod();
    killer.annotations.insert("peer/exit".to_owned(), "3".to_owned());
    let mut bridge = wrapper(&socket, "never");
    connected(&adaptation, 1).await;
    adaptation.run_pod_sandbox(&killer).await.expect("the pod runs");
    let status = bridge.wait_within(PATIENCE);
    assert_eq!(status, Some(Some(1)));
}
