//! Registration, Configure and Synchronize, under a runtime controlled by the test.

use std::sync::Mutex;
use std::time::Duration;

use crate::support::{Answers, Runtime, logs, patiently};
use nri::ErrorKind;
use nri::api::{ConfigureRequest, FailurePolicy, PodSandbox};
use nri::prelude::*;
use nri::stub::Stub;
use nri::wire::{CallError, Code};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

/// Handles old and new events, and remembers what Synchronize brought.
#[derive(Default, NriPlugin)]
#[nri(name = "handshake", index = "10")]
struct Plugin {
    pods: Mutex<Vec<String>>,
}

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl UpdatePodSandbox for Plugin {
    async fn update_pod_sandbox(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: LinuxResources,
        _: LinuxResources,
    ) -> nri::Result<()> {
        Ok(())
    }
}

impl PostUpdatePodSandbox for Plugin {
    async fn post_update_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl Synchronize for Plugin {
    async fn synchronize(
        &self,
        _: &EventContext,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        let update = |container: Container| nri::api::ContainerUpdate {
            container_id: container.id,
            ..Default::default()
        };
        *self.pods.lock().unwrap() = pods.into_iter().map(|pod| pod.name).collect();
        Ok(containers.into_iter().map(update).collect::<Vec<_>>().into())
    }
}

type Running = JoinHandle<nri::Result<()>>;

fn start<P: nri::plugin::Plugin>(plugin: P) -> (Running, DuplexStream) {
    logs::collect();
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let stub = Stub::builder(plugin).stream(ours).build().unwrap();
    (tokio::spawn(stub.run_until(std::future::pending())), theirs)
}

async fn ended(running: Running) -> nri::Result<()> {
    patiently(running).await.expect("no panic")
}

#[tokio::test]
async fn a_plugin_registers_is_configured_and_synchronized() {
    let (running, stream) = start(Plugin::default());
    let mut runtime = Runtime::over(stream);
    let registration = runtime.registered().await;
    assert_eq!(registration.plugin_name, "handshake");
    assert_eq!(registration.plugin_idx, "10");
    assert!(registration.nri_version.starts_with("v0.12."), "{}", registration.nri_version);
    let configured = runtime.configure("v0.12.5").await.unwrap();
    assert_eq!((configured.events, configured.failure_policy), (0b1_1000_0000_0001, None));
    let synchronized = runtime.synchronize(Vec::new(), Vec::new(), false).await.unwrap();
    assert!(synchronized.update.is_empty() && !synchronized.more);
    runtime.close();
    ended(running).await.expect("a runtime that goes away is no error to a plugin with a stream");
}

#[tokio::test]
async fn each_runtime_is_asked_for_the_events_it_knows() {
    for (nri, name, version, events) in [
        ("v0.12.5", "containerd", "v2.4.2", 0b1_1000_0000_0001),
        ("", "cri-o", "1.33.4", 0b1_1000_0000_0001),
        ("", "containerd", "v1.7.35", 1),
        ("", "v2", "2.2.1", 0b1_1000_0000_0001),
        ("0.0.0-unknown", "some-runtime", "1.0", 1),
    ] {
        let (running, stream) = start(Plugin::default());
        let mut runtime = Runtime::over(stream);
        runtime.registered().await;
        let request = ConfigureRequest {
            runtime_name: name.to_owned(),
            runtime_version: version.to_owned(),
            nri_version: nri.to_owned(),
            ..ConfigureRequest::default()
        };
        let answer: nri::api::ConfigureResponse =
            runtime.call("Configure", &request, None).await.unwrap();
        assert_eq!(answer.events, events, "{name} {version}");
        runtime.close();
        let error = ended(running).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the runtime closed the connection after Configure, without Synchronize"
        );
    }
    let warnings = logs::with(&[
        "WARN",
        "containerd v1.7.35",
        "UpdatePodSandbox (since NRI v0.9.1-",
        "does not know",
    ]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("PostUpdatePodSandbox"));
    assert_eq!(
        logs::with(&["WARN", "some-runtime 1.0 (NRI version unknown) may not know"]).len(),
        1
    );
}

#[derive(NriPlugin)]
#[nri(name = "strict", index = "30", required(ValidateContainerAdjustment))]
#[nri(failure_policy(fail_request))]
struct Strict;

impl ValidateContainerAdjustment for Strict {
    async fn validate_container_adjustment(
        &self,
        _: &EventContext,
        _: nri::api::ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        Ok(Verdict::Accept)
    }
}

#[tokio::test]
async fn a_runtime_too_old_for_what_is_required_is_refused() {
    let (running, stream) = start(Strict);
    let mut runtime = Runtime::over(stream);
    runtime.registered().await;
    let Err(CallError::Status(status)) = runtime.configure("v0.9.0").await else {
        panic!("is refused");
    };
    assert_eq!(status.code, Code::FAILED_PRECONDITION);
    let error = ended(running).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error.to_string().contains("ValidateContainerAdjustment (since NRI v0.10.0)"),
        "{error}"
    );
}

#[derive(NriPlugin)]
#[nri(name = "modern", index = "30", protocol = "0.6", required_fields("adjust.CDI_devices"))]
struct Modern;

impl RunPodSandbox for Modern {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_runtime_older_than_the_plugin_supports_is_refused() {
    for (nri, refused) in [
        ("v0.5.0", Some("is too old: the plugin supports NRI v0.6.0 and later")),
        ("v0.6.1", Some("a field that the plugin requires: adjust.CDI_devices (since NRI v0.7.0)")),
        ("v0.7.0", None),
    ] {
        let (running, stream) = start(Modern);
        let mut runtime = Runtime::over(stream);
        runtime.registered().await;
        let answer = runtime.configure(nri).await;
        let Some(reason) = refused else {
            assert!(answer.is_ok(), "{answer:?}");
            running.abort();
            continue;
        };
        let Err(CallError::Status(status)) = answer else {
            panic!("{nri} is refused");
        };
        assert_eq!(status.code, Code::FAILED_PRECONDITION);
        let error = ended(running).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().ends_with(reason), "{error}");
    }
}

#[tokio::test]
async fn the_failure_policy_is_sent_and_a_runtime_too_old_for_it_named() {
    for (nri, warned) in [("v0.12.4", false), ("v0.12.3", true)] {
        let (running, stream) = start(Strict);
        let mut runtime = Runtime::over(stream);
        runtime.registered().await;
        let answer = runtime.configure(nri).await.unwrap();
        let policy = FailurePolicy { fail_request: true, keep_connected: false };
        assert_eq!(answer.failure_policy, Some(policy));
        let warnings = logs::with(&[
            "WARN",
            &format!("(NRI {nri}) does not know the failure policy (fail_request;"),
        ]);
        assert_eq!(!warnings.is_empty(), warned, "{nri}");
        running.abort();
    }
}

#[derive(NriPlugin)]
#[nri(name = "choosy", index = "40")]
struct Choosy(EventMask);

impl Configure for Choosy {
    async fn configure(&self, cx: &EventContext, config: Config) -> nri::Result<Subscription> {
        let runtime = cx.runtime().expect("is known by now");
        assert_eq!(runtime.nri_version().as_deref(), Some("0.12.5"));
        if config.text() == "bad" {
            return Err(nri::Error::new("bad configuration"));
        }
        Ok(Subscription::Only(self.0))
    }
}

impl RunPodSandbox for Choosy {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopPodSandbox for Choosy {
    async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_handler_of_configure_narrows_the_mask() {
    let (running, stream) = start(Choosy(EventMask::EMPTY.with(Event::StopPodSandbox)));
    let mut runtime = Runtime::over(stream);
    runtime.registered().await;
    assert_eq!(runtime.configure("v0.12.5").await.unwrap().events, 0b10);
    running.abort();
}

#[tokio::test]
async fn a_choice_without_handler_ends_the_plugin() {
    let (running, stream) = start(Choosy(EventMask::EMPTY.with(Event::CreateContainer)));
    let mut runtime = Runtime::over(stream);
    runtime.registered().await;
    runtime.configure("v0.12.5").await.expect_err("is refused");
    assert_eq!(ended(running).await.unwrap_err().kind(), ErrorKind::Config);
}

#[tokio::test]
async fn a_configuration_that_the_plugin_refuses_ends_it_with_its_error() {
    let (running, stream) = start(Choosy(EventMask::EMPTY));
    let mut runtime = Runtime::over(stream);
    runtime.registered().await;
    let request = ConfigureRequest {
        config: "bad".to_owned(),
        nri_version: "v0.12.5".to_owned(),
        ..ConfigureRequest::default()
    };
    let answer: Result<nri::api::ConfigureResponse, _> =
        runtime.call("Configure", &request, None).await;
    assert!(
        matches!(answer, Err(CallError::Status(status)) if status.message == "bad configuration")
    );
    assert_eq!(ended(running).await.unwrap_err().to_string(), "bad configuration");
}

#[tokio::test]
async fn a_refused_registration_ends_the_plugin_with_the_reason() {
    let (running, stream) = start(Plugin::default());
    let answers = Answers { refuse: Some("invalid plugin index"), ..Answers::default() };
    let mut runtime = Runtime::answering(stream, answers);
    runtime.registered().await;
    let error = ended(running).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the runtime refused to register plugin 10-handshake: invalid plugin index"
    );
    assert!(error.help().is_some());
}

#[tokio::test]
async fn a_runtime_that_closes_at_once_is_an_error() {
    let (running, stream) = start(Plugin::default());
    drop(stream);
    let error = ended(running).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
    assert!(error.to_string().starts_with("plugin 10-handshake was not registered"), "{error}");
    assert!(error.help().is_some_and(|help| help.contains("registration timed out")), "{error:?}");
}

#[tokio::test]
async fn a_runtime_that_accepts_the_registration_and_closes_is_an_error() {
    let (running, stream) = start(Plugin::default());
    let mut runtime = Runtime::over(stream);
    runtime.registered().await;
    runtime.close();
    let error = ended(running).await.unwrap_err();
    let message = "the runtime closed the connection before Configure, ";
    assert!(error.to_string().starts_with(message), "{error}");
    assert!(error.help().is_some_and(|help| help.contains("registration timed out")), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_runtime_that_never_configures_is_given_up() {
    let (running, stream) = start(Plugin::default());
    let mut runtime = Runtime::over(stream);
    runtime.registered().await;
    let error = ended(running).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(
        error.to_string(),
        "plugin 10-handshake was not registered and configured within 10s"
    );
}

#[tokio::test]
async fn unknown_services_and_methods_are_unimplemented() {
    let (running, stream) = start(Plugin::default());
    let mut runtime = Runtime::over(stream);
    runtime.handshake().await;
    for (service, method) in
        [("nri.pkg.api.v1alpha1.Plugin", "Dance"), ("other.Plugin", "Configure")]
    {
        let Err(CallError::Status(status)) = runtime.raw(service, method).await else {
            panic!("is refused");
        };
        assert_eq!(status.code, Code::UNIMPLEMENTED, "{service}/{method}");
    }
    let known = runtime.raw("nri.pkg.api.v1alpha1.Plugin", "StopPodSandbox").await;
    assert!(known.expect("is answered without a handler").is_empty());
    running.abort();
}

#[derive(NriPlugin)]
struct Nameless;

impl RunPodSandbox for Nameless {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn name_and_index_are_needed() {
    logs::collect();
    let error = Stub::builder(Nameless).build().unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Config, "the plugin has no name")
    );
}

#[tokio::test]
async fn leaving_is_possible_at_any_time() {
    logs::collect();
    let (ours, theirs) = tokio::io::duplex(1024);
    let stub = Stub::builder(Plugin::default()).stream(ours).build().unwrap();
    let leave = tokio::time::sleep(Duration::from_millis(1));
    patiently(stub.run_until(leave)).await.expect("leaves without having been registered");
    drop(theirs);
}

/// The runtime answers the registration in a separate thread, which may be late.
#[tokio::test]
async fn a_plugin_that_is_configured_is_registered_answer_or_not() {
    let (running, stream) = start(Plugin::default());
    let silent = Answers { silent: true, ..Answers::default() };
    let mut runtime = Runtime::answering(stream, silent);
    runtime.handshake().await;
    runtime.close();
    // An orderly end: the plugin did serve.
    ended(running).await.unwrap();
}
