use std::fs;

use nri_testing::{self as testing, Created, pod};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::*;

/// Runs a pod with this configuration. Returns the container and the printed events.
async fn run(config: &str) -> (Created, Vec<Value>) {
    let file = NamedTempFile::new().unwrap();
    let config = format!("logFile: {}\n{config}", file.path().display());
    let settings = testing::Runtime::new().config(config);
    let mut runtime = settings.start(Logger::default()).await.unwrap();
    let app = pod("web").container("app").annotation("key", "old").env("NAME", "old");
    let created = runtime.create_in_pod(app).await.unwrap();
    runtime.start_container(&created).await.unwrap();
    runtime.stop_pod(&created.pod).await.unwrap();
    runtime.remove_pod(&created.pod).await.unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (created, lines.collect())
}

fn events(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["event"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn every_event_is_printed_with_its_pod_and_container() {
    let (created, lines) = run("").await;
    let expected = [
        "RunPodSandbox",
        "CreateContainer",
        "ValidateContainerAdjustment",
        "PostCreateContainer",
        "StartContainer",
        "PostStartContainer",
        "StopContainer",
        "StopPodSandbox",
        "RemoveContainer",
        "RemovePodSandbox",
    ];
    assert_eq!(events(&lines), expected);
    assert!(lines.iter().all(|line| line["pod"]["name"] == "web"));
    assert_eq!(lines[1]["container"]["env"][0], "NAME=old");
    assert_eq!(created.container, created.original);
}

#[tokio::test]
async fn events_are_chosen_by_name_or_group() {
    let (_, lines) = run("events: [podsandbox, start-container]").await;
    let expected = ["RunPodSandbox", "StartContainer", "StopPodSandbox", "RemovePodSandbox"];
    assert_eq!(events(&lines), expected);
    assert_eq!(events(&run("events: [\"START_CONTAINER, PostStartContainer\"]").await.1).len(), 2);
    assert_eq!(events(&run("events: [container]").await.1).len(), 7);
    assert_eq!(run("quiet: true").await.1.len(), 0);
}

#[tokio::test]
async fn containers_are_marked() {
    let value = format!("logger-pid-{}", std::process::id());
    let marks = "addAnnotation: new\nsetAnnotation: key\naddEnv: ADDED\nsetEnv: NAME";
    let (created, _) = run(marks).await;
    assert_eq!(created.annotation("new"), Some(&*value));
    assert_eq!(created.annotation("key"), Some(&*value));
    assert_eq!(created.env_var("ADDED"), Some(&*value));
    assert_eq!(created.env_var("NAME"), Some(&*value));
}

#[tokio::test]
async fn a_wrong_configuration_ends_the_plugin() {
    for (config, reason) in [
        ("events: [Nothing]", "Nothing is not an event"),
        ("logFile: /absent/file", "cannot open /absent/file"),
        ("logFile: [1]", "logFile"),
    ] {
        let settings = testing::Runtime::new().config(config);
        let error = settings.start(Logger::default()).await.unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
}
