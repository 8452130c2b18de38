#![allow(deprecated, reason = "StateChange is what older runtimes send")]

use super::*;
use crate::ErrorKind;
use crate::adjust::Adjustment;
use crate::api::{
    Container, ContainerUpdate, CreateContainerRequest, CreateContainerResponse, Event, PodSandbox,
    RunPodSandboxRequest, StateChangeEvent, SynchronizeRequest,
};
use crate::plugin::handlers::*;

#[derive(Default, crate::NriPlugin)]
#[nri(name = "guest", index = "10", crate = crate, on_error(StopPodSandbox = "ignore"))]
struct Plugin {
    seen: Mutex<Vec<String>>,
}

impl Plugin {
    fn note(&self, text: impl Into<String>) {
        self.seen.lock().unwrap().push(text.into());
    }
}

impl crate::plugin::handlers::Synchronize for Plugin {
    async fn synchronize(
        &self,
        _cx: &EventContext,
        pods: Vec<PodSandbox>,
        _containers: Vec<Container>,
    ) -> Result<crate::adjust::Updates> {
        self.note(format!("{} pods", pods.len()));
        Ok(crate::adjust::Updates::default())
    }
}

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, cx: &EventContext, pod: PodSandbox) -> Result<()> {
        assert_eq!(cx.time_left(), None);
        self.note(format!("run {}", pod.name));
        Ok(())
    }
}

impl StopPodSandbox for Plugin {
    async fn stop_pod_sandbox(&self, _cx: &EventContext, _pod: PodSandbox) -> Result<()> {
        Err("ignored".into())
    }
}

impl CreateContainer for Plugin {
    async fn create_container(
        &self,
        _cx: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> Result<Adjustment> {
        if container.name.is_empty() {
            return Err("a container without a name".into());
        }
        if container.name == "waits" {
            std::future::pending::<()>().await;
        }
        Ok(Adjustment::new().annotation("pod", pod.name))
    }
}

fn guest() -> Guest<Plugin> {
    Guest::new(Plugin::default())
}

fn pod(name: &str) -> Option<PodSandbox> {
    Some(PodSandbox {
        name: name.to_owned(),
        ..PodSandbox::default()
    })
}

fn created(guest: &Guest<Plugin>, name: &str) -> Result<Vec<u8>> {
    let request = CreateContainerRequest {
        pod: pod("web"),
        container: Some(Container {
            name: name.to_owned(),
            ..Container::default()
        }),
    };
    guest.answer("CreateContainer", request.encode_to_vec())
}

#[test]
fn configure_subscribes_to_what_the_runtime_knows() {
    let configured = |nri_version: &str| {
        let request = ConfigureRequest {
            nri_version: nri_version.to_owned(),
            ..ConfigureRequest::default()
        };
        let answer = guest()
            .answer("Configure", request.encode_to_vec())
            .unwrap();
        ConfigureResponse::decode(&*answer).unwrap().events
    };
    assert_eq!(configured("v0.12.5"), 0b1011);
    assert_eq!(configured(""), 0b1011);
}

#[test]
fn old_and_new_runtimes_reach_the_same_handler() {
    let guest = guest();
    let dedicated = RunPodSandboxRequest { pod: pod("new") };
    let change = StateChangeEvent {
        event: Event::RunPodSandbox.into(),
        pod: pod("old"),
        container: None,
    };
    assert!(
        guest
            .answer("RunPodSandbox", dedicated.encode_to_vec())
            .unwrap()
            .is_empty()
    );
    assert!(
        guest
            .answer("StateChange", change.encode_to_vec())
            .unwrap()
            .is_empty()
    );
    assert_eq!(*guest.plugin.seen.lock().unwrap(), ["run new", "run old"]);
    assert_eq!(guest.tools.metrics.event(Event::RunPodSandbox).calls, 2);
}

#[test]
fn answers_and_errors_of_handlers_are_returned() {
    let guest = guest();
    let answer = created(&guest, "app").unwrap();
    let answer = CreateContainerResponse::decode(&*answer).unwrap();
    assert_eq!(answer.adjust.unwrap().annotations["pod"], "web");
    let error = created(&guest, "").unwrap_err();
    assert_eq!(error.to_string(), "a container without a name");
    let error = created(&guest, "waits").unwrap_err();
    assert!(error.to_string().contains("cannot happen"), "{error}");
    assert_eq!(guest.tools.metrics.event(Event::CreateContainer).errors, 2);
}

#[test]
fn an_error_is_ignored_if_the_plugin_says_so() {
    assert!(
        guest()
            .answer("StopPodSandbox", Vec::new())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn unknown_and_malformed_requests_are_errors() {
    let guest = guest();
    let unknown = guest.answer("Nonsense", Vec::new()).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Unimplemented);
    for rpc in ["Configure", "Synchronize", "RunPodSandbox", "StateChange"] {
        let error = guest.answer(rpc, vec![0xff; 9]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed, "{rpc}");
    }
    assert!(
        guest
            .answer("RemoveContainer", vec![0xff])
            .unwrap()
            .is_empty()
    );
}

#[test]
fn synchronize_may_come_in_parts() {
    let guest = guest();
    let part = |more| {
        let request = SynchronizeRequest {
            pods: pod("web").into_iter().collect(),
            more,
            ..SynchronizeRequest::default()
        };
        let answer = guest
            .answer("Synchronize", request.encode_to_vec())
            .unwrap();
        SynchronizeResponse::decode(&*answer).unwrap()
    };
    assert!(part(true).more);
    let last = part(false);
    assert_eq!(
        (last.more, last.update),
        (false, Vec::<ContainerUpdate>::new())
    );
    assert_eq!(*guest.plugin.seen.lock().unwrap(), ["2 pods"]);
}
