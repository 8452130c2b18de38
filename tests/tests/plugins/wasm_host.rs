//! `nri-adaptation` with WebAssembly modules built from Rust and from Go.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use nri::api::{Container, LinuxResources, PodSandbox};
use nri_adaptation::merge::Created;
use nri_adaptation::{Adaptation, Builder, Relayed, RequestError, RuntimeCallbacks, State};
use nri_tests::wasm::{go_module, module};
use tempfile::TempDir;

/// The lines that all tests logged. Each test has a plugin of its own name.
static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Answer = Result<Relayed<Created>, RequestError>;

/// Returns the lines so far that name a plugin.
fn lines(plugin: &str) -> Vec<String> {
    let log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8_lossy(&log);
    let lines = text.lines().filter(|line| line.contains(plugin));
    lines.map(str::to_owned).collect()
}

/// Returns the events that a plugin logged.
fn events(plugin: &str) -> Vec<String> {
    let lines = lines(plugin);
    let events = lines.iter().filter_map(|line| line.split_once("event "));
    let names = events.filter_map(|(_, event)| event.split_once(" web/"));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Starts an adaptation that runs a module under this name.
async fn started(
    plugin: &str,
    module: &Path,
    settings: impl FnOnce(Builder) -> Builder,
) -> (TempDir, Adaptation) {
    static LOGGING: Once = Once::new();
    LOGGING.call_once(|| {
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(|| Log);
        subscriber.init();
    });
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join(plugin);
    fs::copy(module, &file).expect("module can be copied");
    fs::set_permissions(&file, Permissions::from_mode(0o755)).expect("own file");
    // The first containerd with NRI v0.11.0, which does not send its NRI version. Newer ones do.
    let version = "v2.2.1";
    let builder = Adaptation::builder("containerd", version)
        .plugin_dir(folder.path())
        .config_dir(folder.path())
        // A busy machine may be slow; an endless loop has its own test.
        .registration_timeout(Duration::from_secs(60))
        .request_timeout(Duration::from_secs(60));
    let adaptation = settings(builder).start().await.expect("adaptation starts");
    (folder, adaptation)
}

fn pod(instruction: &str) -> PodSandbox {
    let annotation = ("wasm.example.org/do".to_owned(), instruction.to_owned());
    PodSandbox {
        id: "pod-1".into(),
        name: "web".into(),
        annotations: Some(annotation).filter(|_| !instruction.is_empty()).into_iter().collect(),
        ..PodSandbox::default()
    }
}

fn container() -> Container {
    Container {
        id: "container-1".into(),
        pod_sandbox_id: "pod-1".into(),
        name: "app".into(),
        ..Container::default()
    }
}

async fn create(adaptation: &Adaptation, instruction: &str) -> Answer {
    adaptation.create_container(&pod(instruction), &container()).await
}

/// Relays the life of a pod with a container.
async fn live(adaptation: &Adaptation) -> Answer {
    let (pod, container, resources) = (pod(""), container(), LinuxResources::default());
    adaptation.run_pod_sandbox(&pod).await?;
    adaptation.update_pod_sandbox(&pod, None, Some(&resources)).await?;
    adaptation.post_update_pod_sandbox(&pod).await?;
    let created = create(adaptation, "").await?;
    adaptation.post_create_container(&pod, &container).await?;
    adaptation.start_container(&pod, &container).await?;
    adaptation.post_start_container(&pod, &container).await?;
    adaptation.update_container(&pod, &container, &resources).await?;
    adaptation.post_update_container(&pod, &container).await?;
    adaptation.stop_container(&pod, &container).await?;
    adaptation.remove_container(&pod, &container).await?;
    adaptation.stop_pod_sandbox(&pod).await?;
    adaptation.remove_pod_sandbox(&pod).await?;
    Ok(created)
}

/// The events of that life, each with its name in StateChange if it had no RPC before v0.12.0.
const LIFE: [(&str, Option<&str>); 14] = [
    ("RunPodSandbox", Some("RUN_POD_SANDBOX")),
    ("UpdatePodSandbox", None),
    ("PostUpdatePodSandbox", Some("POST_UPDATE_POD_SANDBOX")),
    ("CreateContainer", None),
    ("ValidateContainerAdjustment", None),
    ("PostCreateContainer", Some("POST_CREATE_CONTAINER")),
    ("StartContainer", Some("START_CONTAINER")),
    ("PostStartContainer", Some("POST_START_CONTAINER")),
    ("UpdateContainer", None),
    ("PostUpdateContainer", Some("POST_UPDATE_CONTAINER")),
    ("StopContainer", None),
    ("RemoveContainer", Some("REMOVE_CONTAINER")),
    ("StopPodSandbox", Some("STOP_POD_SANDBOX")),
    ("RemovePodSandbox", Some("REMOVE_POD_SANDBOX")),
];

async fn sees_every_event(plugin: &str, module: &Path, release: &str, as_changes: bool) {
    let (_folder, adaptation) = started(plugin, module, |builder| builder.speaking(release)).await;
    let created = live(&adaptation).await.expect("the life of a pod");
    let annotations = &created.answer.adjust.annotations;
    assert_eq!(annotations["wasm.example.org/created-in"], "web");
    adaptation.stop().await;
    let expected = LIFE.map(|(rpc, change)| match change.filter(|_| as_changes) {
        Some(change) => format!("StateChange:{change}"),
        None => rpc.to_owned(),
    });
    assert_eq!(events(plugin), expected, "{release}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_of_rust_sees_every_event_of_both_protocols() {
    let module = module("nri-tests-wasm", "every_event");
    sees_every_event("10-rust-old", &module, "v0.11.0", false).await;
    sees_every_event("10-rust-new.wasm", &module, "v0.12.5", false).await;
    let configured = lines("10-rust-new.wasm").join("\n");
    assert!(configured.contains("under NRI 0.12.5"), "{configured}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_of_go_sees_every_event_of_its_protocol() {
    sees_every_event("10-go-old", &go_module("v0.11.0"), "v0.11.0", true).await;
    sees_every_event("10-go-new", &go_module("v0.12.5"), "v0.12.5", false).await;
}

/// More pods than fit into one message.
struct LargeState;

impl RuntimeCallbacks for LargeState {
    async fn synchronize(&self, state: &mut State) -> nri::Result<()> {
        for id in 0..2_000 {
            state.add_pod(&PodSandbox {
                id: id.to_string(),
                name: "x".repeat(3_000),
                ..PodSandbox::default()
            });
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_gets_a_state_of_several_messages_at_once() {
    for (plugin, module) in [
        ("10-rust-large", module("nri-tests-wasm", "every_event")),
        ("10-go-large", go_module("v0.12.5")),
    ] {
        let with_state = |builder: Builder| builder.callbacks(LargeState);
        let (_folder, adaptation) = started(plugin, &module, with_state).await;
        assert_eq!(adaptation.plugins().len(), 1, "{plugin}");
        let log = lines(plugin).join("\n");
        assert_eq!(log.matches("synchronized 2000 pods").count(), 1, "{log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_without_the_dedicated_functions_is_refused_by_a_newer_runtime() {
    let old = go_module("v0.11.0");
    let (_folder, adaptation) = started("10-go-refused", &old, |builder| builder).await;
    assert!(adaptation.plugins().is_empty());
    let log = lines("10-go-refused").join("\n");
    assert!(log.contains("plugin_run_pod_sandbox is not exported"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_reaches_the_caller_and_a_panic_ends_the_module() {
    for (plugin, module) in [
        ("10-rust-fails", module("nri-tests-wasm", "every_event")),
        ("10-go-fails", go_module("v0.12.5")),
    ] {
        let (_folder, adaptation) = started(plugin, &module, |builder| builder).await;
        let error = create(&adaptation, "fail").await.expect_err("the handler fails");
        assert!(error.to_string().contains("failed on request"), "{error}");
        assert!(create(&adaptation, "").await.is_ok());
        assert_eq!(adaptation.plugins().len(), 1);
        assert!(create(&adaptation, "panic").await.is_err());
        wait_until_alone(&adaptation).await;
        let log = lines(plugin).join("\n");
        assert!(log.contains("panicked on request"), "{log}");
        assert!(create(&adaptation, "").await.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_takes_too_much_is_disconnected() {
    let module = module("nri-tests-wasm", "every_event");
    for instruction in ["spin", "grow"] {
        let plugin = format!("10-rust-{instruction}s");
        let (_folder, adaptation) = started(&plugin, &module, briefly).await;
        assert_eq!(adaptation.plugins().len(), 1);
        let created = create(&adaptation, instruction).await;
        // Without an answer the request goes on; a trap is an error.
        assert_eq!(created.is_ok(), instruction == "spin", "{created:?}");
        wait_until_alone(&adaptation).await;
        assert!(create(&adaptation, "").await.is_ok());
    }
}

/// Lets modules take little time and memory.
fn briefly(builder: Builder) -> Builder {
    builder.request_timeout(Duration::from_secs(2)).module_memory(8 << 20)
}

async fn wait_until_alone(adaptation: &Adaptation) {
    while !adaptation.plugins().is_empty() {
        tokio::task::yield_now().await;
    }
}
