//! Server trait, dispatcher and client over bytes, without any transport.

use nri_tests_bindings::latest::{
    Call, Code, ConfigureRequest, ConfigureResponse, CreateContainerRequest, Empty, EventMask,
    LogRequest, PLUGIN_SERVICE, Plugin, PluginClient, PluginDispatcher, RPCS, Status,
};
use nri_tests_bindings::v0_9;
use prost::Message;

/// Implements one RPC, and one that errs.
struct Template;

impl Plugin for Template {
    async fn configure(&self, request: ConfigureRequest) -> Result<ConfigureResponse, Status> {
        match request.config.as_str() {
            "bad" => Err(Status::new(Code::FAILED_PRECONDITION, "bad config")),
            _ => Ok(ConfigureResponse { events: EventMask::POD.bits(), ..Default::default() }),
        }
    }
}

/// A transport that calls the dispatcher in place.
struct InPlace(PluginDispatcher<Template>);

#[derive(Debug, PartialEq)]
struct CallFailed(Status);

impl From<Status> for CallFailed {
    fn from(status: Status) -> Self {
        CallFailed(status)
    }
}

impl Call for InPlace {
    type Error = CallFailed;

    async fn call(
        &self,
        service: &'static str,
        method: &'static str,
        payload: Vec<u8>,
    ) -> Result<Vec<u8>, CallFailed> {
        assert_eq!(service, PLUGIN_SERVICE);
        if method == "Shutdown" {
            return Ok(vec![0xff]);
        }
        Ok(self.0.dispatch(method, &payload).await?)
    }
}

#[tokio::test]
async fn an_implemented_method_gets_the_message_and_its_answer_or_error_comes_back() {
    let dispatcher = PluginDispatcher::new(Template);
    let answer = dispatcher.dispatch("Configure", &[]).await.unwrap();
    let answer = ConfigureResponse::decode(answer.as_slice()).unwrap();
    assert_eq!(EventMask::from_bits(answer.events), Ok(EventMask::POD));
    let request = ConfigureRequest { config: "bad".into(), ..Default::default() };
    let status = dispatcher.dispatch("Configure", &request.encode_to_vec()).await.unwrap_err();
    assert_eq!(status, Status::new(Code::FAILED_PRECONDITION, "bad config"));
}

#[tokio::test]
async fn every_other_method_is_unimplemented_and_nothing_else() {
    let dispatcher = PluginDispatcher::new(Template);
    let methods =
        RPCS.iter().filter(|rpc| rpc.service == PLUGIN_SERVICE && rpc.method != "Configure");
    assert!(methods.clone().count() >= 17);
    for rpc in methods {
        let status = dispatcher.dispatch(rpc.method, &[]).await.unwrap_err();
        assert_eq!(status.code, Code(12), "{}", rpc.method);
        assert_eq!(status.message, format!("{}/{} is not implemented", rpc.service, rpc.method));
    }
    for unknown in ["", "configure", "RunPodSandboxes", "Configure "] {
        let status = dispatcher.dispatch(unknown, &[0xff]).await.unwrap_err();
        assert_eq!(status.code, Code::UNIMPLEMENTED, "{unknown}");
    }
}

#[tokio::test]
async fn a_payload_that_does_not_decode_is_an_invalid_argument() {
    let dispatcher = PluginDispatcher::new(Template);
    for payload in [&[0xff][..], &[0x0a, 0x05, b'x'], &[0x0a, 0x01, 0xff]] {
        let status = dispatcher.dispatch("Configure", payload).await.unwrap_err();
        assert_eq!(status.code, Code(3));
        assert!(!status.message.is_empty());
    }
}

#[tokio::test]
async fn a_client_speaks_to_a_dispatcher() {
    let client = PluginClient::new(InPlace(PluginDispatcher::new(Template)));
    let answer = client.configure(&ConfigureRequest::default()).await.unwrap();
    assert_eq!(answer.events, EventMask::POD.bits());
    let refused = client.create_container(&CreateContainerRequest::default()).await.unwrap_err();
    assert_eq!(refused.0.code, Code::UNIMPLEMENTED);
    let garbled = client.shutdown(&Empty {}).await.unwrap_err();
    assert_eq!(garbled.0.code, Code::INTERNAL);
}

#[test]
fn futures_can_be_sent_to_another_thread() {
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let dispatcher = PluginDispatcher::new(Template);
    let client = PluginClient::new(InPlace(PluginDispatcher::new(Template)));
    let empty = Empty {};
    drop(sent(dispatcher.dispatch("Configure", &[])));
    drop(sent(client.shutdown(&empty)));
}

/// The older revision has its own services, and the service that hosts offer to WASM plugins is
/// served alike.
struct Old;

impl v0_9::Plugin for Old {
    async fn state_change(
        &self,
        event: v0_9::StateChangeEvent,
    ) -> Result<v0_9::Empty, v0_9::Status> {
        assert_eq!(event.event(), v0_9::Event::RunPodSandbox);
        Ok(v0_9::Empty {})
    }
}

impl v0_9::HostFunctions for Old {}

#[tokio::test]
async fn revisions_are_served_side_by_side() {
    let event = v0_9::StateChangeEvent { event: 1, ..Default::default() };
    let answer =
        v0_9::PluginDispatcher::new(Old).dispatch("StateChange", &event.encode_to_vec()).await;
    assert_eq!(answer, Ok(Vec::new()));
    let newer = v0_9::PluginDispatcher::new(Old).dispatch("RunPodSandbox", &[]).await.unwrap_err();
    assert_eq!(newer.code, v0_9::Code::UNIMPLEMENTED);
    let line = LogRequest { msg: "hello".into(), ..Default::default() };
    let unhandled = v0_9::HostFunctionsDispatcher::new(Old)
        .dispatch("Log", &line.encode_to_vec())
        .await
        .unwrap_err();
    assert_eq!(unhandled.code, v0_9::Code::UNIMPLEMENTED);
}
