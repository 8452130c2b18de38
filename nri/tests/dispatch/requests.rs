//! The handlers of requests, and the answers if there is none.
#![allow(deprecated)]

use crate::common::{answer, pod, pod_request};
use nri::ErrorKind;
use nri::api::{Container, Event, PodSandbox, StateChangeEvent};
use nri::codec::Message;
use nri::plugin::{Body, Plugin, Rpc, resolve};
use nri::prelude::*;
use std::sync::Mutex;

/// Handlers that record their calls.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn note(&self, note: String) -> nri::Result<()> {
        self.0.lock().map_err(|_| nri::Error::new("poisoned"))?.push(note);
        Ok(())
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("no handler panics"))
    }
}

#[derive(Default, NriPlugin)]
#[nri(name = "dedicated", index = "00")]
struct Dedicated(Notes);

impl RunPodSandbox for Dedicated {
    async fn run_pod_sandbox(&self, _: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        self.0.note(format!("RunPodSandbox {}", pod.name))
    }
}

impl RemoveContainer for Dedicated {
    async fn remove_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<()> {
        self.0.note(format!("RemoveContainer {} {}", pod.name, container.name))
    }
}

impl StopContainer for Dedicated {
    async fn stop_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<Updates> {
        Err(nri::Error::new(format!("{} will not stop", container.name)))
    }
}

#[derive(Default, NriPlugin)]
#[allow(deprecated)]
struct Legacy(Notes);

impl StateChange for Legacy {
    async fn state_change(
        &self,
        _: &EventContext,
        event: Event,
        pod: PodSandbox,
        container: Option<Container>,
    ) -> nri::Result<()> {
        let name = container.map(|container| container.name).unwrap_or_default();
        self.0.note(format!("{} {} {name}", event.as_str_name(), pod.name))
    }
}

#[derive(Default, NriPlugin)]
#[allow(deprecated)]
struct Both(Notes);

impl StateChange for Both {
    async fn state_change(
        &self,
        _: &EventContext,
        event: Event,
        _: PodSandbox,
        _: Option<Container>,
    ) -> nri::Result<()> {
        self.0.note(format!("StateChange {}", event.as_str_name()))
    }
}

impl RunPodSandbox for Both {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        self.0.note("RunPodSandbox".to_owned())
    }
}

fn state_change(event: i32) -> Vec<u8> {
    let container = Container { name: "main".to_owned(), ..Container::default() };
    StateChangeEvent { event, pod: Some(pod("web")), container: Some(container) }.encode_to_vec()
}

/// The nine events that StateChange carried, by RPC.
const MOVED: [(&str, Event); 9] = [
    ("RunPodSandbox", Event::RunPodSandbox),
    ("StopPodSandbox", Event::StopPodSandbox),
    ("RemovePodSandbox", Event::RemovePodSandbox),
    ("PostUpdatePodSandbox", Event::PostUpdatePodSandbox),
    ("PostCreateContainer", Event::PostCreateContainer),
    ("StartContainer", Event::StartContainer),
    ("PostStartContainer", Event::PostStartContainer),
    ("PostUpdateContainer", Event::PostUpdateContainer),
    ("RemoveContainer", Event::RemoveContainer),
];

#[test]
fn a_dedicated_call_reaches_its_handler() {
    let plugin = Dedicated::default();
    assert!(answer(&plugin, "RunPodSandbox", &pod_request("web")).expect("handled").is_empty());
    assert_eq!(plugin.0.take(), ["RunPodSandbox web"]);
}

#[test]
fn a_state_change_of_an_old_runtime_reaches_the_handler_of_its_event() {
    let plugin = Dedicated::default();
    for event in [Event::RunPodSandbox, Event::RemoveContainer] {
        assert!(
            answer(&plugin, "StateChange", &state_change(event as i32))
                .expect("handled")
                .is_empty()
        );
    }
    assert_eq!(plugin.0.take(), ["RunPodSandbox web", "RemoveContainer web main"]);
}

#[test]
fn a_state_change_without_handler_is_answered_with_an_empty_message() {
    let plugin = Dedicated::default();
    for event in [Event::StopPodSandbox as i32, Event::StopContainer as i32, 0, 99, -1] {
        assert!(answer(&plugin, "StateChange", &state_change(event)).expect("known").is_empty());
    }
    assert!(plugin.0.take().is_empty());
}

#[test]
fn every_known_rpc_without_handler_is_answered_with_an_empty_message() {
    let plugin = Dedicated::default();
    let unhandled = Dedicated::TABLE.iter().filter(|row| row.handler.is_none());
    let names: Vec<_> = unhandled.map(|row| row.rpc.name).collect();
    assert_eq!(names.len() + 3, Dedicated::TABLE.len());
    for name in names {
        let answer = answer(&plugin, name, &[]).expect("known");
        assert!(answer.is_empty(), "{name}");
    }
}

#[test]
fn an_unknown_rpc_is_unimplemented() {
    let error = answer(&Dedicated::default(), "runPodSandbox", &[]).expect_err("names are exact");
    assert_eq!(error.kind(), ErrorKind::Unimplemented);
    assert_eq!(error.kind().code(), 12);
    assert_eq!(error.to_string(), r#""runPodSandbox" is not an RPC of the Plugin service"#);
}

#[test]
fn a_plugin_of_state_change_alone_gets_every_event_that_moved() {
    let plugin = Legacy::default();
    for (rpc, event) in MOVED {
        answer(&plugin, rpc, &pod_request("web")).expect("funnelled");
        answer(&plugin, "StateChange", &state_change(event as i32)).expect("handled");
        let name = event.as_str_name();
        assert_eq!(plugin.0.take(), [format!("{name} web "), format!("{name} web main")]);
    }
    assert_eq!(
        Legacy::EVENTS,
        MOVED.iter().fold(EventMask::EMPTY, |mask, (_, event)| mask.with(*event))
    );
}

#[test]
fn the_container_of_a_dedicated_request_reaches_state_change() {
    let plugin = Legacy::default();
    let container = Container { name: "main".to_owned(), ..Container::default() };
    let request =
        nri::api::StartContainerRequest { pod: Some(pod("web")), container: Some(container) };
    answer(&plugin, "StartContainer", &request.encode_to_vec()).expect("funnelled");
    assert_eq!(plugin.0.take(), ["START_CONTAINER web main"]);
}

#[test]
fn what_never_was_a_state_change_is_not_funnelled() {
    let plugin = Legacy::default();
    for rpc in [
        "CreateContainer",
        "UpdateContainer",
        "StopContainer",
        "UpdatePodSandbox",
        "ValidateContainerAdjustment",
    ] {
        assert!(answer(&plugin, rpc, &pod_request("web")).expect("known").is_empty());
    }
    assert!(plugin.0.take().is_empty());
}

#[test]
fn a_dedicated_handler_wins_and_state_change_gets_the_rest() {
    let plugin = Both::default();
    for event in [Event::RunPodSandbox, Event::StopPodSandbox] {
        answer(&plugin, "StateChange", &state_change(event as i32)).expect("handled");
    }
    answer(&plugin, "RunPodSandbox", &pod_request("web")).expect("handled");
    answer(&plugin, "RemovePodSandbox", &pod_request("web")).expect("funnelled");
    let expected = [
        "RunPodSandbox",
        "StateChange STOP_POD_SANDBOX",
        "RunPodSandbox",
        "StateChange REMOVE_POD_SANDBOX",
    ];
    assert_eq!(plugin.0.take(), expected);
}

#[test]
fn a_handler_error_is_told() {
    let container = Container { name: "main".to_owned(), ..Container::default() };
    let request =
        nri::api::StopContainerRequest { pod: None, container: Some(container) }.encode_to_vec();
    let error =
        answer(&Dedicated::default(), "StopContainer", &request).expect_err("the handler fails");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Handler, "main will not stop")
    );
}

#[test]
fn bytes_that_are_no_message_are_malformed_and_reach_no_handler() {
    let (new, old) = (Dedicated::default(), Legacy::default());
    for payload in [&[0xff][..], &[0x0a, 0x7f], &[0x0a, 0x02, 0x0a, 0x05]] {
        assert_eq!(
            answer(&new, "RunPodSandbox", payload).expect_err("cut").kind(),
            ErrorKind::Malformed
        );
        assert_eq!(
            answer(&old, "RunPodSandbox", payload).expect_err("cut").kind(),
            ErrorKind::Malformed
        );
    }
    for payload in [&[0x08][..], &[0x12, 0x7f], &[0x08, 0x01, 0x12, 0x7f]] {
        assert_eq!(
            answer(&new, "StateChange", payload).expect_err("cut").kind(),
            ErrorKind::Malformed
        );
    }
    assert!(new.0.take().is_empty() && old.0.take().is_empty());
}

#[test]
fn a_route_names_rpc_event_and_subject() {
    let funnelled = resolve::<Legacy>("RunPodSandbox", &[]).expect("known").expect("funnelled");
    assert_eq!((funnelled.rpc.name, funnelled.event), ("StateChange", Some(Event::RunPodSandbox)));
    let (plugin, cx) = (Dedicated::default(), EventContext::default());
    let payload = state_change(Event::RemoveContainer as i32);
    let route = resolve::<Dedicated>("StateChange", &payload).expect("known").expect("handled");
    assert_eq!((route.rpc.name, route.event), ("RemoveContainer", Some(Event::RemoveContainer)));
    let call = route.call(&plugin, &cx, Body::Encoded(payload.into())).expect("well formed");
    assert_eq!(call.subject.to_string(), " for container main of pod default/web");
}

#[test]
fn name_and_index_are_known_without_a_plugin() {
    assert_eq!((Dedicated::NAME, Dedicated::INDEX), (Some("dedicated"), Some("00")));
}

#[test]
fn deprecated_handlers_are_told_for_a_warning_at_the_start() {
    let deprecated = deprecated_rpcs::<Legacy>();
    assert_eq!(deprecated.len(), 1);
    let deprecation = deprecated[0].deprecated.expect("marked");
    assert_eq!(
        (deprecated[0].name, deprecation.since, deprecation.removal),
        ("StateChange", "v0.12.0", "containerd 2.7")
    );
    assert_eq!(deprecated_rpcs::<Dedicated>().len(), 0);
}

fn deprecated_rpcs<P: Plugin>() -> Vec<&'static Rpc> {
    let handled = P::TABLE.iter().filter(|row| row.handler.is_some());
    let rpcs = handled.map(|row| row.rpc);
    rpcs.filter(|rpc| rpc.deprecated.is_some()).collect()
}

/// An `Arc` of a plugin has the same rows, each with a handler where the plugin has one.
#[tokio::test]
async fn a_plugin_behind_an_arc_dispatches_to_it() {
    use std::sync::Arc;
    let of_plugin = Dedicated::TABLE.iter().map(|row| row.handler.is_some());
    let of_arc = <Arc<Dedicated>>::TABLE.iter().map(|row| row.handler.is_some());
    assert!(of_plugin.eq(of_arc));
    assert_eq!(<Arc<Dedicated>>::EVENTS, Dedicated::EVENTS);
    let plugin = Arc::new(Dedicated::default());
    let payload = state_change(Event::RemoveContainer as i32);
    let route =
        resolve::<Arc<Dedicated>>("StateChange", &payload).expect("known").expect("handled");
    let cx = EventContext::default();
    let call = route.call(&plugin, &cx, Body::Encoded(payload.into())).expect("well formed");
    call.reply.await.expect("handled");
    assert_eq!(route.rpc.name, "RemoveContainer");
}
