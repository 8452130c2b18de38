#![allow(deprecated, reason = "StateChange is what older runtimes send")]

use super::*;
use crate::ErrorKind;
use crate::adjust::{Adjustment, Updates};
use crate::api::{
    Container, ContainerUpdate, CreateContainerRequest, CreateContainerResponse, Event, PodSandbox,
    RunPodSandboxRequest, StateChangeEvent, SynchronizeRequest,
};

#[derive(Default)]
struct Plugin {
    seen: Mutex<Vec<String>>,
}

impl Plugin {
    fn note(&self, text: String) {
        self.seen.lock().unwrap().push(text);
    }
}

#[crate::plugin(name = "guest", index = "10", crate = crate, on_error(StopPodSandbox = "ignore"))]
impl Plugin {
    async fn synchronize(&self, pods: Vec<PodSandbox>, _: Vec<Container>) -> Result<Updates> {
        self.note(format!("{} pods", pods.len()));
        Ok(Updates::default())
    }

    async fn run_pod_sandbox(&self, cx: &EventContext, pod: PodSandbox) -> Result<()> {
        assert_eq!(cx.time_left(), None);
        self.note(format!("run {}", pod.name));
        Ok(())
    }

    async fn stop_pod_sandbox(&self, _: PodSandbox) -> Result<()> {
        Err("ignored".into())
    }

    async fn create_container(&self, pod: PodSandbox, container: Container) -> Result<Adjustment> {
        match container.name.as_str() {
            "" => Err("a container without a name".into()),
            "waits" => std::future::pending().await,
            _ => Ok(Adjustment::new().annotation("pod", pod.name)),
        }
    }
}

fn guest() -> Guest<Plugin> {
    Guest::new(Plugin::default())
}

fn pod(name: &str) -> Option<PodSandbox> {
    Some(PodSandbox { name: name.to_owned(), ..PodSandbox::default() })
}

fn created(guest: &Guest<Plugin>, name: &str) -> Result<Vec<u8>> {
    let request = CreateContainerRequest {
        pod: pod("web"),
        container: Some(Container { name: name.to_owned(), ..Container::default() }),
    };
    guest.answer("CreateContainer", request.encode_to_vec())
}

#[test]
fn configure_subscribes_to_what_the_runtime_knows() {
    let configured = |nri_version: &str| {
        let request =
            ConfigureRequest { nri_version: nri_version.to_owned(), ..ConfigureRequest::default() };
        let answer = guest().answer("Configure", request.encode_to_vec()).unwrap();
        ConfigureResponse::decode(&*answer).unwrap().events
    };
    assert_eq!(configured("v0.12.5"), 0b1011);
    assert_eq!(configured(""), 0b1011);
}

#[test]
fn old_and_new_runtimes_reach_the_same_handler() {
    let guest = guest();
    let dedicated = RunPodSandboxRequest { pod: pod("new") };
    let change =
        StateChangeEvent { event: Event::RunPodSandbox.into(), pod: pod("old"), container: None };
    for (rpc, request) in
        [("RunPodSandbox", dedicated.encode_to_vec()), ("StateChange", change.encode_to_vec())]
    {
        assert!(guest.answer(rpc, request).unwrap().is_empty(), "{rpc}");
    }
    assert_eq!(*guest.plugin.seen.lock().unwrap(), ["run new", "run old"]);
    assert_eq!(guest.tools.metrics.event(Event::RunPodSandbox).calls, 2);
}

#[test]
fn answers_and_errors_of_handlers_are_returned_unless_the_plugin_ignores_errors() {
    let guest = guest();
    let answer = created(&guest, "app").unwrap();
    let answer = CreateContainerResponse::decode(&*answer).unwrap();
    assert_eq!(answer.adjust.unwrap().annotations["pod"], "web");
    let nameless = created(&guest, "").unwrap_err();
    assert_eq!(nameless.to_string(), "a container without a name");
    let waiting = created(&guest, "waits").unwrap_err();
    assert!(waiting.to_string().contains("cannot happen"), "{waiting}");
    assert_eq!(guest.tools.metrics.event(Event::CreateContainer).errors, 2);
    let ignored = guest.answer("StopPodSandbox", Vec::new());
    assert!(ignored.unwrap().is_empty());
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
    let unhandled = guest.answer("RemoveContainer", vec![0xff]);
    assert!(unhandled.unwrap().is_empty());
}

#[test]
fn synchronize_may_come_in_parts() {
    let guest = guest();
    assert!(synchronized(&guest, true).more);
    let last = synchronized(&guest, false);
    assert_eq!((last.more, last.update), (false, Vec::<ContainerUpdate>::new()));
    assert_eq!(*guest.plugin.seen.lock().unwrap(), ["2 pods"]);
}

/// Sends a part of Synchronize with one pod, and returns the answer.
fn synchronized(guest: &Guest<Plugin>, more: bool) -> SynchronizeResponse {
    let request = SynchronizeRequest {
        pods: pod("web").into_iter().collect(),
        more,
        ..SynchronizeRequest::default()
    };
    let answer = guest.answer("Synchronize", request.encode_to_vec()).unwrap();
    SynchronizeResponse::decode(&*answer).unwrap()
}
