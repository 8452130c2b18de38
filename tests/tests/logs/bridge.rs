//! The log of `nri-bridge` together with that of a runtime, as `nri-compat logs` reads them.

use std::process::Command;
use std::time::Instant;

use nri::api::PodSandbox;
use nri_adaptation::Adaptation;
use nri_compat::sighting::Interface;
use nri_tests::logs::{NODE, read};
use nri_tests::pinned;
use nri_tests::process::{PATIENCE, Process, Stream};
use serde_json::Value;
use tokio::net::UnixStream;

use crate::adaptation::Old;

/// Returns what a bridge logs that an old plugin connects to, and that translates an event twice.
async fn log_of_the_bridge() -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let [runtime, plugins] = ["nri.sock", "bridge.sock"].map(|name| folder.path().join(name));
    let adaptation = Adaptation::builder("containerd", "v2.7.0")
        .without_state_change()
        .listen(&runtime)
        .start()
        .await
        .expect("it starts");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridge"));
    command.arg("--socket").arg(&runtime).arg("--listen").arg(&plugins);
    let mut bridge = Process::spawn(&mut command, Stream::Error);
    let deadline = Instant::now() + PATIENCE;
    let stream = loop {
        match UnixStream::connect(&plugins).await {
            Ok(stream) => break stream,
            Err(error) => assert!(Instant::now() < deadline, "the bridge does not listen: {error}"),
        }
        tokio::task::yield_now().await;
    };
    tokio::spawn(pinned::serve(Old, stream, "old".to_owned(), "10".to_owned()));
    while adaptation.plugins().is_empty() {
        assert!(Instant::now() < deadline, "the plugin does not register");
        tokio::task::yield_now().await;
    }
    for _ in 0..2 {
        adaptation.run_pod_sandbox(&PodSandbox::default()).await.expect("it is relayed");
    }
    adaptation.stop().await;
    let is_end = |line: &Value| line.as_str().is_some_and(|line| line.contains("closed the conn"));
    let end = bridge.wait_for("the end of the runtime", is_end);
    let mut lines = bridge.take_all(|_| true);
    lines.push(end);
    lines.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_plugin_behind_the_bridge_is_named_and_not_accused() {
    let bridge = log_of_the_bridge().await;
    let translations = bridge.iter().filter(|line| line.contains("gets it as StateChange"));
    assert_eq!(translations.count(), 1, "{bridge:#?}");
    let of_runtime = format!(
        "Nov 28 10:00:00 {NODE} containerd[195]: time=\"2026-11-28T10:00:00Z\" level=info msg=\"plugin \\\"\\\" registered as \\\"10-old\\\" (with NRI version v0.11.0)\"\n"
    );
    let of_bridge =
        bridge.iter().map(|line| format!("Nov 28 10:00:01 {NODE} nri-bridge[196]: {line}\n"));
    let text: String = std::iter::once(of_runtime).chain(of_bridge).collect();
    let log = read(text.as_bytes());
    let [plugin] = &log.sightings[..] else { panic!("{:#?}", log.sightings) };
    assert_eq!((plugin.index.as_deref(), plugin.name.as_deref()), (Some("10"), Some("old")));
    let Interface::Unknown(unknown) = &plugin.interface else { panic!("{plugin:#?}") };
    let reason = unknown.to_string();
    assert!(reason.contains("nri-bridge sends it StateChange"), "{reason}");
    assert!(plugin.events.names.is_empty() && plugin.incidents.is_empty(), "{plugin:#?}");
}
