use std::fs;

use nri::prelude::*;
use nri_testing::{self as testing, RunningRuntime, pod};

use super::*;

/// Changes an annotation and a variable of each container.
#[derive(NriPlugin)]
#[nri(name = "changer", index = "50")]
struct Changer;

impl CreateContainer for Changer {
    async fn create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        Ok(Adjustment::new()
            .annotation("added", "1")
            .replace_annotation("kept", "new")
            .env("B", "2"))
    }
}

/// Runs a pod with a container that the changer adjusts between two indices. Returns what is
/// printed.
async fn printed(change: impl FnOnce(&mut Report)) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut report = Report::default();
    report.append_to(file.path().to_str().unwrap()).unwrap();
    change(&mut report);
    let mut runtime = start(report).await;
    let app = pod("web").container("app").annotation("kept", "old").env("A", "1");
    runtime.create_in_pod(app).await.unwrap();
    fs::read_to_string(file.path()).unwrap()
}

/// Starts a runtime with the changer and a differ on each side of it.
async fn start(report: Report) -> RunningRuntime {
    let mut differs = differs(&[0, 99], report).into_iter();
    let mut runtime = testing::Runtime::new().start(Changer).await.unwrap();
    for index in ["00", "99"] {
        let differ = differs.next().unwrap();
        runtime.add_plugin_at(index, differ).await.unwrap();
    }
    runtime
}

#[tokio::test]
async fn changes_of_plugins_in_between_are_printed() {
    let expected = "\
[99] RunPodSandbox: pod: <no changes>
[99] CreateContainer: pod: <no changes>
[99] CreateContainer: container: update /annotations/kept: \"old\" -> \"new\"
[99] CreateContainer: container: create /annotations/added: \"1\"
[99] CreateContainer: container: create /env/1: \"B=2\"
[99] PostCreateContainer: pod: <no changes>
[99] PostCreateContainer: container: <no changes>
";
    assert_eq!(printed(|_| {}).await, expected);
}

#[tokio::test]
async fn changes_may_be_printed_as_yaml() {
    let printed = printed(|report| report.yaml = true).await;
    let lines: Vec<_> = printed.lines().filter(|line| !line.contains("<no")).collect();
    let expected = ["-  kept: old", "+  added: '1'", "+  kept: new", "+- B=2"]
        .map(|change| format!("[99] CreateContainer: container: {change}"));
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    assert!(expected.iter().all(|line| lines.contains(&line.as_str())), "{lines:?}");
}

#[tokio::test]
async fn levels_print_more() {
    let first = printed(|report| report.level = 1).await;
    assert!(first.contains("[0] CreateContainer: container:   name: app"), "{first}");
    assert!(!first.contains("Synchronize"));
    let all = printed(|report| report.level = 3).await;
    assert!(all.contains("[0] Synchronize: pods: []"), "{all}");
    assert!(all.contains("[99] CreateContainer: container:   - B=2"), "{all}");
}

#[test]
fn indices_are_sorted_and_checked() {
    assert_eq!(indices("80, 45,50"), Ok(vec![45, 50, 80]));
    for wrong in ["5", "5,5", "5,100", "5,-1", "a,b", ""] {
        assert!(indices(wrong).is_err(), "{wrong}");
    }
}
