//! Plugins whose registration is refused or never comes.

use nri::api::UpdateContainersRequest;
use nri::wire::CallError;
use tokio::io::AsyncWriteExt as _;

use crate::garbage::raw;
use crate::peer::{Peer, Script};
use crate::plugins::{SHORT, adaptation, builder, container, pod};

#[tokio::test]
async fn w1_a_plugin_with_an_invalid_name_or_index_is_refused_with_the_reason() {
    let adaptation = adaptation().await;
    for (index, name, reason) in [
        ("1", "short", "invalid plugin index \"1\", must be 2 digits"),
        ("1x", "letter", "invalid plugin index \"1x\", must be 2 digits"),
        ("10", "", "invalid plugin name: name is empty"),
        ("10", "a/b", "invalid plugin name \"a/b\": contains invalid character '/'"),
    ] {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (_peer, register) = Peer::over(theirs, Script::new(index, name));
        let (joined, registered) = tokio::join!(adaptation.connect(ours), register);
        assert!(joined.unwrap_err().to_string().contains(reason));
        match registered.unwrap_err() {
            CallError::Status(status) => assert_eq!(status.message, reason),
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn w2_a_plugin_with_an_unknown_event_in_its_mask_is_refused_with_the_reason() {
    let adaptation = adaptation().await;
    let (peer, joined) =
        Peer::try_join(&adaptation, Script::new("10", "mask").events(0x4001)).await;
    let reason = "plugin 10-mask: invalid plugin events: 0x4000, which NRI v0.12.5 does not know";
    assert_eq!(joined.unwrap_err().to_string(), reason);
    let registered = peer.call("UpdateContainers", &UpdateContainersRequest::default()).await;
    assert!(registered.unwrap_err().to_string().contains(reason));
    assert!(adaptation.plugins().is_empty());
}

#[tokio::test]
async fn w1_a_plugin_that_does_not_register_is_given_up() {
    let adaptation = builder().registration_timeout(SHORT).start().await.unwrap();
    let (silent, _theirs) = tokio::io::duplex(64 << 10);
    let late = adaptation.connect(silent).await.unwrap_err();
    assert!(late.to_string().contains("registration timed out"), "{late}");
    let (closed, theirs) = tokio::io::duplex(64 << 10);
    drop(theirs);
    let lost = adaptation.connect(closed).await.unwrap_err();
    assert!(lost.to_string().contains("connection closed"), "{lost}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(100))]

    #[test]
    fn whatever_a_plugin_sends_teardown_ends_well(
        bytes in proptest::collection::vec(
            proptest::prop_oneof![3 => proptest::prelude::Just(0u8), 1 => 1..9u8, 1 => proptest::prelude::any::<u8>()],
            0..200,
        ),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
            let mut raw = raw(&adaptation, "10").await;
            let witness = Peer::join(&adaptation, Script::new("90", "witness")).await;
            raw.stream.write_all(&bytes).await.unwrap();
            let _ = adaptation.create_container(&pod("p"), &container("c")).await;
            adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
            assert_eq!(witness.events().last().unwrap(), "StopPodSandbox");
        });
    }
}
