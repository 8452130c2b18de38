//! `nri-adaptation` with Go plugins of four NRI releases: external and launched, one life of a pod,
//! adjustments, errors, timeouts, 20,000 pods.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use nri::api::{Container, LinuxResources, PodSandbox};
use nri_adaptation::{
    Adaptation, DeprecationList, Outcome, OutcomeResult, RuntimeCallbacks, State, Via,
};
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::plugin::Plugin;
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);

/// The events that the protocol has had from the beginning, in the order in which [`live`] sends
/// them.
const EVENTS: [&str; 11] = [
    "RunPodSandbox",
    "CreateContainer",
    "PostCreateContainer",
    "StartContainer",
    "PostStartContainer",
    "UpdateContainer",
    "PostUpdateContainer",
    "StopContainer",
    "RemoveContainer",
    "StopPodSandbox",
    "RemovePodSandbox",
];

fn pod(annotations: &[(&str, &str)]) -> PodSandbox {
    let annotations = annotations.iter().map(|(key, value)| ((*key).into(), (*value).into()));
    PodSandbox {
        id: "pod".into(),
        name: "pod-name".into(),
        namespace: "default".into(),
        annotations: annotations.collect(),
        ..PodSandbox::default()
    }
}

fn container() -> Container {
    Container {
        id: "container".into(),
        pod_sandbox_id: "pod".into(),
        name: "container-name".into(),
        ..Container::default()
    }
}

/// A runtime with this number of pods and twice as many containers.
struct Cluster(usize);

impl RuntimeCallbacks for Cluster {
    async fn synchronize(&self, state: &mut State) -> nri::Result<()> {
        for id in 0..self.0 {
            state.add_pod(&PodSandbox {
                id: format!("pod-{id}"),
                name: "p".repeat(300),
                ..PodSandbox::default()
            });
        }
        for id in 0..2 * self.0 {
            state.add_container(&Container {
                id: format!("container-{id}"),
                name: "c".repeat(150),
                ..Container::default()
            });
        }
        Ok(())
    }
}

async fn joined(adaptation: &Adaptation) {
    let start = Instant::now();
    while adaptation.plugins().is_empty() {
        assert!(start.elapsed() < PATIENCE, "the plugin does not connect");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns an adaptation with one external plugin of a release.
async fn external(nri: &str, more: &[&str]) -> (Adaptation, Plugin, DeprecationList) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nri.sock");
    let list = DeprecationList::default();
    let adaptation = Adaptation::builder("rust", "v1.0.0")
        .listen(&socket)
        .request_timeout(Duration::from_secs(1))
        .deprecations(list.clone())
        .start()
        .await
        .unwrap();
    let plugin = Plugin::external(&peers::plugin(nri), &socket, "10-peer", more);
    joined(&adaptation).await;
    (adaptation, plugin, list)
}

/// Runs one life of a pod with a container. Returns the outcomes of all events except validation.
async fn live(adaptation: &Adaptation, pod: &PodSandbox) -> Vec<Outcome> {
    let (container, resources) = (container(), LinuxResources::default());
    let mut outcomes = adaptation.run_pod_sandbox(pod).await.unwrap().outcomes;
    let created = adaptation.create_container(pod, &container).await.unwrap();
    outcomes.extend(created.outcomes.into_iter().next());
    outcomes.extend(adaptation.post_create_container(pod, &container).await.unwrap().outcomes);
    outcomes.extend(adaptation.start_container(pod, &container).await.unwrap().outcomes);
    outcomes.extend(adaptation.post_start_container(pod, &container).await.unwrap().outcomes);
    let updated = adaptation.update_container(pod, &container, &resources).await.unwrap();
    outcomes.extend(updated.outcomes);
    outcomes.extend(adaptation.post_update_container(pod, &container).await.unwrap().outcomes);
    outcomes.extend(adaptation.stop_container(pod, &container).await.unwrap().outcomes);
    outcomes.extend(adaptation.remove_container(pod, &container).await.unwrap().outcomes);
    outcomes.extend(adaptation.stop_pod_sandbox(pod).await.unwrap().outcomes);
    outcomes.extend(adaptation.remove_pod_sandbox(pod).await.unwrap().outcomes);
    outcomes
}

fn is_event(line: &Value) -> bool {
    let event = line["event"].as_str().unwrap_or_default();
    EVENTS.contains(&event)
}

fn names(lines: &[Value]) -> Vec<String> {
    let name = |line: &Value| line["event"].as_str().unwrap_or_default().to_owned();
    lines.iter().map(name).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_reaches_plugins_of_every_release_once_and_in_order() {
    for nri in NRI_RELEASES {
        let (adaptation, mut plugin, list) = external(nri, &[]).await;
        let outcomes = live(&adaptation, &pod(&[])).await;
        plugin.wait_for("the last event", |line| line["event"] == "RemovePodSandbox");
        let results: BTreeSet<_> = outcomes.iter().map(|it| it.result.as_str()).collect();
        assert_eq!((outcomes.len(), results), (11, BTreeSet::from(["answered"])), "{nri}");
        let old = nri != "v0.12.5";
        let changes = outcomes.iter().filter(|it| it.via == Some(Via::StateChange)).count();
        assert_eq!((changes, list.records().len()), if old { (8, 8) } else { (0, 0) }, "{nri}");
        // The first refusal tells that the plugin is an old one.
        assert_eq!(outcomes.iter().filter(|it| it.fell_back).count(), usize::from(old), "{nri}");
        assert!(list.records().iter().all(|record| !record.breaks_on_reference));

        let again = live(&adaptation, &pod(&[])).await;
        assert!(again.iter().all(|it| !it.fell_back), "{nri}: it is remembered");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_events_arrive_in_the_order_in_which_they_were_sent() {
    for nri in NRI_RELEASES {
        let (adaptation, mut plugin, _) = external(nri, &[]).await;
        live(&adaptation, &pod(&[])).await;
        let mut seen = Vec::new();
        while seen.len() < EVENTS.len() {
            seen.push(plugin.wait_for("an event", is_event));
        }
        assert_eq!(names(&seen), EVENTS, "{nri}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_plugin_answers_comes_back() {
    for nri in NRI_RELEASES {
        let (adaptation, _plugin, _) = external(nri, &[]).await;
        for bytes in ["10", "4096", "100000", "3000000"] {
            let pod = pod(&[("peer/adjust-bytes", bytes)]);
            let created = adaptation.create_container(&pod, &container()).await.unwrap();
            let annotations = &created.answer.adjust.annotations;
            let size = annotations.values().map(String::len).max().unwrap_or_default();
            assert!(size.to_string() == bytes, "{nri}: {size} bytes instead of {bytes}");
        }
        let update = pod(&[("peer/update", "other")]);
        let stopped = adaptation.stop_container(&update, &container()).await.unwrap();
        assert_eq!(stopped.answer.updates[0].container_id, "other", "{nri}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_fails_what_waits_and_is_reported_otherwise() {
    for nri in NRI_RELEASES {
        let (adaptation, _plugin, _) = external(nri, &[]).await;
        let pod = pod(&[("peer/error", "out of luck")]);
        let error = adaptation.run_pod_sandbox(&pod).await.unwrap_err();
        assert!(error.to_string().contains("out of luck"), "{nri}: {error}");
        let stopped = adaptation.stop_pod_sandbox(&pod).await.unwrap();
        assert_eq!(stopped.outcomes[0].result, OutcomeResult::Ignored, "{nri}");
        assert_eq!(adaptation.plugins().len(), 1, "{nri}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_that_dawdles_is_disconnected_and_the_request_goes_on() {
    for nri in NRI_RELEASES {
        let (adaptation, _plugin, _) = external(nri, &[]).await;
        let pod = pod(&[("peer/sleep-ms", "3000")]);
        let run = adaptation.run_pod_sandbox(&pod).await.unwrap();
        assert_eq!(run.outcomes[0].result, OutcomeResult::TimedOut, "{nri}");
        assert!(adaptation.plugins().is_empty(), "{nri}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_thousand_pods_are_synchronized_in_parts() {
    // Older plugins do not know parts.
    for nri in ["v0.8.0", "v0.11.0", "v0.12.5"] {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("nri.sock");
        let adaptation = Adaptation::builder("rust", "v1.0.0")
            .listen(&socket)
            .request_timeout(PATIENCE)
            .callbacks(Cluster(20_000))
            .start()
            .await
            .unwrap();
        let mut plugin = Plugin::external(&peers::plugin(nri), &socket, "10-peer", &[]);
        let line = plugin.wait_for("Synchronize", |line| line["event"] == "Synchronize");
        assert_eq!((&line["pods"], &line["containers"]), (&20_000.into(), &40_000.into()), "{nri}");
        joined(&adaptation).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_is_launched_from_the_directory_and_ended_with_the_adaptation() {
    for nri in NRI_RELEASES {
        let folder = tempfile::tempdir().unwrap();
        symlink(peers::plugin(nri), folder.path().join("10-launched")).unwrap();
        let adaptation = Adaptation::builder("rust", "v1.0.0")
            .plugin_dir(folder.path())
            .config_dir(folder.path())
            .start()
            .await
            .unwrap();
        let plugins = adaptation.plugins();
        assert_eq!(plugins[0].to_string(), "10-launched", "{nri}");
        let pid = launched(&folder.path().join("10-launched")).expect("it runs");
        let run = adaptation.run_pod_sandbox(&pod(&[])).await.unwrap();
        assert_eq!(run.outcomes[0].result, OutcomeResult::Answered, "{nri}");
        let environment = std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
        let variables: BTreeSet<_> = environment.split_terminator('\0').collect();
        let expected = ["NRI_PLUGIN_IDX=10", "NRI_PLUGIN_NAME=launched", "NRI_PLUGIN_SOCKET=3"];
        assert_eq!(variables, BTreeSet::from(expected), "{nri}");
        adaptation.stop().await;
        let start = Instant::now();
        while Path::new(&format!("/proc/{pid}")).exists() {
            assert!(start.elapsed() < PATIENCE, "{nri}: it is not ended");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Returns the process that was started by this name.
fn launched(path: &Path) -> Option<u32> {
    let name = path.as_os_str().as_encoded_bytes();
    std::fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        command.starts_with(name).then_some(pid)
    })
}
