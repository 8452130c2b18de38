//! The options of the builder, seen from the crate that uses them.
#![deny(unfulfilled_lint_expectations)]

use std::collections::BTreeSet;

use nri_tests_bindings_2021::{client, every, fork, latest, serde, status};

struct Silent;
impl fork::Plugin for Silent {}
impl latest::Plugin for Silent {}

fn same_type<T>(_: &T, _: &T) {}

fn ready<T>(future: impl std::future::Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("nothing here waits"),
    }
}

#[test]
fn two_modules_share_a_status() {
    let one =
        ready(fork::PluginDispatcher::new(Silent).dispatch("BlowUpBalloon", &[])).unwrap_err();
    let other =
        ready(latest::PluginDispatcher::new(Silent).dispatch("BlowUpBalloon", &[])).unwrap_err();
    same_type::<status::Status>(&one, &other);
    assert_eq!(one.message, "nri.pkg.api.v1alpha1.Plugin/BlowUpBalloon is not implemented");
    assert_eq!(other.message, "unknown method nri.pkg.api.v1alpha1.Plugin/BlowUpBalloon");
    assert_eq!((one.code, other.code), (status::Code::UNIMPLEMENTED, status::Code::UNIMPLEMENTED));
}

#[test]
fn a_fork_has_its_own_events_and_no_release() {
    let mask: fork::EventMask = "all".parse().unwrap();
    assert_eq!(mask.to_string(), "RunPodSandbox,BlowUpBalloon");
    assert_eq!(fork::REVISION, None);
    assert!(fork::RELEASES.is_empty());
    let since: Vec<_> = fork::EVENTS.iter().map(|event| (event.since, event.rpc_since)).collect();
    assert_eq!(since, [(Some("v0.2.0"), Some("v0.12.0")), (None, None)]);
    let rpc = fork::RPCS.iter().find(|rpc| rpc.method == "BlowUpBalloon").unwrap();
    assert_eq!((rpc.event, rpc.since), (Some(fork::Event::BlowUpBalloon), None));
    // A type and a method whose names are keywords in Rust, and a message in a message.
    let _ = fork::blow_up_balloon_request::Size::Type(String::new());
    let answer = ready(fork::PluginDispatcher::new(Silent).dispatch("Type", &[])).unwrap_err();
    assert_eq!(answer.code, status::Code(12));
}

#[test]
fn serde_reads_what_it_wrote_and_fills_in_what_is_missing() {
    let container = serde::Container {
        id: "c0".into(),
        labels: [("a".to_owned(), "b".to_owned())].into(),
        linux: Some(serde::LinuxContainer::default()),
        ..Default::default()
    };
    let json = serde_json::to_value(&container).unwrap();
    assert_eq!(json["labels"]["a"], "b");
    assert_eq!(serde_json::from_value::<serde::Container>(json).unwrap(), container);
    let sparse: serde::Container =
        serde_json::from_str(r#"{"id": "c0", "unheard_of": 1}"#).unwrap();
    assert_eq!(sparse, serde::Container { id: "c0".into(), ..Default::default() });
    assert_eq!(serde_json::to_string(&serde::Event::RunPodSandbox).unwrap(), "\"RunPodSandbox\"");
}

#[test]
fn every_revision_is_there_with_the_mask_of_its_time() {
    use every::*;
    let masks = [
        v0_2_0::EventMask::ALL.bits(),
        v0_4_0::EventMask::ALL.bits(),
        v0_7_0::EventMask::ALL.bits(),
        v0_8_0::EventMask::ALL.bits(),
        v0_9_0::EventMask::ALL.bits(),
        v0_9_1_0_20250219030224_e597e7849f24::EventMask::ALL.bits(),
        v0_10_0::EventMask::ALL.bits(),
        v0_11_0::EventMask::ALL.bits(),
        v0_12_0::EventMask::ALL.bits(),
        v0_12_2::EventMask::ALL.bits(),
        v0_12_4::EventMask::ALL.bits(),
    ];
    assert_eq!(
        masks,
        [0x7ff, 0x7ff, 0x7ff, 0x7ff, 0x7ff, 0x1fff, 0x3fff, 0x3fff, 0x3fff, 0x3fff, 0x3fff]
    );
    let releases = [v0_2_0::RELEASES, v0_12_0::RELEASES, v0_12_4::RELEASES].concat();
    assert_eq!(releases.len(), releases.iter().collect::<BTreeSet<_>>().len());
    assert_eq!(v0_12_4::RELEASES, ["v0.12.4", "v0.12.5"]);
}

/// A client alone includes the status that it needs.
struct Down;

impl client::Call for Down {
    type Error = client::Status;

    async fn call(
        &self,
        service: &'static str,
        method: &'static str,
        _: Vec<u8>,
    ) -> Result<Vec<u8>, client::Status> {
        Err(client::Status::new(client::Code::UNAVAILABLE, format!("{service}/{method}")))
    }
}

#[test]
fn a_client_needs_no_server() {
    let client = client::RuntimeClient::new(Down);
    let status =
        ready(client.register_plugin(&client::RegisterPluginRequest::default())).unwrap_err();
    assert_eq!(status.to_string(), "nri.pkg.api.v1alpha1.Runtime/RegisterPlugin (code 14)");
}

/// The deprecation reaches users of the deprecated items: this does not compile without the
/// warning.
#[expect(deprecated)]
#[test]
fn state_change_is_deprecated_where_it_is() {
    let _: client::StateChangeEvent = client::StateChangeEvent::default();
    let rpc = client::RPCS.iter().find(|rpc| rpc.method == "StateChange").unwrap();
    assert_eq!(rpc.deprecated_since, Some("v0.12.0"));
}
