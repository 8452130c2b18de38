//! `nri-testing`, used as a plugin's author would.

mod updates;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nri::api::{ContainerState, LinuxDevice};
use nri::prelude::*;
use nri::stub::Status;
use nri_adaptation::{Origin, OutcomeResult, Via};
use nri_testing::{self as testing, container, pod};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

/// Records the events that it gets, and follows annotations.
#[derive(Default, NriPlugin)]
#[nri(name = "subject", index = "10")]
struct Subject {
    seen: Mutex<Vec<String>>,
    synchronized: AtomicUsize,
}

impl Subject {
    fn note(&self, event: impl Into<String>) {
        self.seen.lock().unwrap().push(event.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

impl Configure for Subject {
    async fn configure(&self, cx: &EventContext, config: Config) -> nri::Result<Subscription> {
        let runtime = cx.runtime().map(|runtime| runtime.name().to_owned());
        self.note(format!("{} {:?}", config.text(), runtime.unwrap_or_default()));
        if config.text() == "broken" {
            return Err(nri::Error::new("the configuration is broken"));
        }
        Ok(Subscription::Handled)
    }
}

impl Synchronize for Subject {
    async fn synchronize(
        &self,
        _: &EventContext,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        self.synchronized.fetch_add(1, Ordering::SeqCst);
        self.note(format!("{} pods, {} containers", pods.len(), containers.len()));
        Ok(Updates::new())
    }
}

impl RunPodSandbox for Subject {
    async fn run_pod_sandbox(&self, _: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        match pod.annotation("refuse") {
            Some(reason) => Err(nri::Error::new(reason.to_owned())),
            None => Ok(()),
        }
    }
}

impl CreateContainer for Subject {
    async fn create_container(
        &self,
        cx: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        if container.annotation("slow").is_some() {
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
        assert!(cx.time_left().is_some_and(|left| left <= Duration::from_secs(2)));
        let variable = container.annotation("variable").unwrap_or("ADDED");
        let adjustment = Adjustment::new().env(variable, "yes");
        Ok(match container.annotation("device") {
            Some(path) => adjustment.device(LinuxDevice::char(path, 10, 229)),
            None => adjustment,
        })
    }
}

impl PostCreateContainer for Subject {
    async fn post_create_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<()> {
        self.note(format!("created {} {:?}", container.id, container.env));
        match container.annotation("fail-late") {
            Some(_) => Err(nri::Error::new("too late to fail")),
            None => Ok(()),
        }
    }
}

impl StopContainer for Subject {
    async fn stop_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        c: Container,
    ) -> nri::Result<Updates> {
        self.note(format!("stopped {}", c.name));
        Ok(Updates::new())
    }
}

impl StopPodSandbox for Subject {
    async fn stop_pod_sandbox(&self, _: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        self.note(format!("stopped {}", pod.name));
        Ok(())
    }
}

impl RemovePodSandbox for Subject {
    async fn remove_pod_sandbox(&self, _: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        self.note(format!("removed {}", pod.name));
        Ok(())
    }
}

#[tokio::test]
async fn the_life_of_a_pod() -> Result {
    let subject = Arc::new(Subject::default());
    let mut runtime = testing::Runtime::new()
        .named("containerd", "v2.2.1")
        .config("loud")
        .start(Arc::clone(&subject))
        .await?;
    assert_eq!(subject.take(), ["loud \"containerd\"", "0 pods, 0 containers"]);

    let web = runtime.run_pod(pod("web").label("app", "shop")).await?;
    let created = runtime.create_container(&web, container("app").env("LANG", "C")).await?;
    assert_eq!(created.original.env, ["LANG=C"]);
    assert_eq!(created.env_var("ADDED"), Some("yes"));
    assert_eq!(created.adjustment.env.len(), 1);
    let spec = testing::oci::container(&created.spec);
    assert_eq!(spec.env, ["LANG=C", "ADDED=yes"]);
    assert_eq!(spec.args, ["/bin/app"]);
    runtime.start_container(&created).await?;
    assert_eq!(runtime.containers()[0].state, ContainerState::ContainerRunning as i32);
    runtime.remove_pod(&web).await?;
    assert!(runtime.pods().is_empty() && runtime.containers().is_empty());
    let seen = subject.take();
    assert_eq!(
        seen,
        [
            r#"created web-pod-app ["LANG=C", "ADDED=yes"]"#,
            "stopped app",
            "stopped web",
            "removed web"
        ]
    );
    assert!(runtime.deprecations().is_empty());
    runtime.stop().await?;
    Ok(())
}

#[tokio::test]
async fn the_spec_has_what_plugins_add() -> Result {
    let mut runtime = testing::Runtime::new().speaking("v0.11.0").start(Subject::default()).await?;
    let pod = runtime.run_pod(testing::pod("web")).await?;
    let app = testing::container("app").annotation("device", "/dev/fuse");
    let created = runtime.create_container(&pod, app).await?;
    let spec = testing::oci::container(&created.spec);
    assert_eq!(spec.env_var("ADDED"), Some("yes"));
    assert_eq!(spec.annotation("device"), Some("/dev/fuse"));
    assert_eq!(spec.linux.unwrap_or_default().devices[0].path, "/dev/fuse");

    let nameless = testing::container("app").annotation("variable", "");
    let error = runtime.create_container(&pod, nameless).await.unwrap_err();
    assert!(error.fails_request(), "the spec cannot have it: {error}");
    assert!(error.to_string().contains("env"), "{error}");
    Ok(())
}

#[tokio::test]
async fn an_older_runtime_sends_state_change() -> Result {
    let mut runtime = testing::Runtime::new().speaking("v0.11.0").start(Subject::default()).await?;
    let web = pod("web").annotation("refuse", "no room");
    let refused = runtime.run_pod(web).await.unwrap_err();
    assert_eq!(refused.event(), Event::RunPodSandbox);
    assert!(refused.fails_request(), "{refused}");
    assert_eq!(refused.outcomes()[0].via, Some(Via::StateChange));
    assert!(refused.to_string().contains("no room"), "{refused}");
    assert!(runtime.pods().is_empty());
    Ok(())
}

#[tokio::test]
async fn an_error_that_a_runtime_ignores_fails_the_test() -> Result {
    let mut runtime = testing::Runtime::new().start(Subject::default()).await?;
    let late = pod("web").container("app").annotation("fail-late", "");
    let error = runtime.create_in_pod(late).await.unwrap_err();
    assert_eq!(error.event(), Event::PostCreateContainer);
    assert!(!error.fails_request());
    assert_eq!(error.outcomes()[0].result, OutcomeResult::Ignored);
    assert_eq!(runtime.containers().len(), 1, "the runtime goes on");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_deadline_passes_without_waiting() -> Result {
    let started = std::time::Instant::now();
    let mut runtime = testing::Runtime::new().start(Subject::default()).await?;
    let slow = pod("web").container("app").annotation("slow", "");
    let error = runtime.create_in_pod(slow).await.unwrap_err();
    assert_eq!(error.event(), Event::CreateContainer);
    assert!(error.to_string().contains("CreateContainer"), "{error}");
    assert!(runtime.containers().is_empty());
    assert_eq!(runtime.plugins().len(), 1, "the stub answers before the runtime gives up");
    runtime.create_in_pod(pod("web").container("fast")).await?;
    assert!(started.elapsed() < Duration::from_secs(2), "the clock is paused");
    Ok(())
}

#[tokio::test]
async fn a_restarted_runtime_synchronizes_again() -> Result {
    let subject = Arc::new(Subject::default());
    let mut runtime = testing::Runtime::new()
        .speaking("v0.11.0")
        .with_container(pod("old").container("db"))
        .with_pod(pod("older"))
        .split_synchronize()
        .start(Arc::clone(&subject))
        .await?;
    assert_eq!(subject.take()[1], "2 pods, 1 containers");
    runtime.create_in_pod(pod("web").container("app")).await?;
    subject.take();

    runtime.restart_speaking("v0.12.0").await?;
    assert_eq!(subject.take()[1], "3 pods, 2 containers");
    assert_eq!(subject.synchronized.load(Ordering::SeqCst), 2);
    assert_eq!(runtime.metrics().map(|metrics| metrics.reconnects()), Some(1));
    let pods = runtime.pods();
    runtime.remove_pod(&pods[2]).await?;
    assert_eq!(subject.take(), ["stopped app", "stopped web", "removed web"]);
    Ok(())
}

#[tokio::test]
async fn a_plugin_that_cannot_start_says_why() {
    let settings = testing::Runtime::new().config("broken");
    let broken = settings.start(Subject::default()).await.unwrap_err();
    assert!(format!("{broken:#}").contains("the configuration is broken"), "{broken:#}");
    let unreleased = testing::Runtime::new().speaking("v9.9.9");
    let unknown = unreleased.start(Subject::default()).await.unwrap_err();
    assert!(unknown.to_string().contains("v9.9.9"), "{unknown}");
}

#[tokio::test]
async fn what_the_test_did_not_create_is_an_error() -> Result {
    let mut runtime = testing::Runtime::new().start(Subject::default()).await?;
    let (ghost, app) = pod("ghost").container("app").build();
    let without_pod = runtime.create_container(&ghost, container("app")).await.unwrap_err();
    assert_eq!(
        without_pod.to_string(),
        "CreateContainer: the test runtime has no pod with id \"ghost-pod\": create it first"
    );
    let unknown = runtime.stop_container(&app).await.unwrap_err();
    assert!(unknown.to_string().contains("no container with id \"ghost-pod-app\""), "{unknown}");
    Ok(())
}

#[test]
fn the_readme_shows_the_template() {
    let template = include_str!("../../../deploy/template/src/main.rs");
    let plugin = template.replace("{{project-name}}", "greeter");
    let (_, code) = plugin.split_once("\n\n").unwrap();
    assert!(
        include_str!("../../README.md").contains(code),
        "copy deploy/template/src/main.rs to the README"
    );
}

#[tokio::test]
async fn plugins_may_register_at_another_index() -> Result {
    let mut runtime = testing::Runtime::new().start(Subject::default()).await?;
    runtime.add_plugin_at("05", Subject::default()).await?;
    let plugins: Vec<_> = runtime.plugins().iter().map(ToString::to_string).collect();
    assert_eq!(plugins, ["05-subject", "10-subject"]);
    let error = runtime.add_plugin_at("five", Subject::default()).await;
    assert_eq!(error.unwrap_err().kind(), nri::ErrorKind::Config);
    Ok(())
}

/// Injects a CDI device, and knows its runtime.
#[derive(NriPlugin)]
#[nri(name = "gpu", index = "20")]
struct Gpu;

impl CreateContainer for Gpu {
    async fn create_container(
        &self,
        cx: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<Adjustment> {
        let runtime = cx.runtime().map(|runtime| runtime.to_string());
        Ok(Adjustment::new()
            .cdi_device("example.org/gpu=0")
            .annotation("runtime", runtime.unwrap_or_default()))
    }
}

#[tokio::test]
async fn an_old_runtime_is_a_released_one_and_ignores_what_it_does_not_know() -> Result {
    let old = "containerd 1.7.16 (NRI v0.6.1, inferred from its version)";
    for (runtime, name) in [
        (testing::Runtime::new().speaking("v0.6.1"), old),
        (
            testing::Runtime::containerd("1.7.20"),
            "containerd 1.7.20 (NRI v0.6.1, inferred from its version)",
        ),
        (testing::Runtime::crio("1.31"), "cri-o 1.31 (NRI v0.6.1, inferred from its version)"),
    ] {
        let mut runtime = runtime.start(Gpu).await?;
        let created = runtime.create_in_pod(pod("web").container("app")).await?;
        assert_eq!(created.annotation("runtime"), Some(name));
        assert!(created.adjustment.cdi_devices.is_empty(), "{name}");
        assert_eq!(created.ignored_fields, ["adjust.CDI_devices"], "{name}");
    }
    let mut newer = testing::Runtime::containerd("2.3.0").start(Gpu).await?;
    let created = newer.create_in_pod(pod("web").container("app")).await?;
    assert_eq!(created.adjustment.cdi_devices.len(), 1);
    assert!(created.ignored_fields.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_runtime_that_does_not_speak_the_protocol_is_an_error() {
    for unknown in [testing::Runtime::containerd("1.6.0"), testing::Runtime::crio("x")] {
        let error = unknown.start(Gpu).await.unwrap_err();
        assert_eq!(error.kind(), nri::ErrorKind::Config, "{error}");
    }
}
