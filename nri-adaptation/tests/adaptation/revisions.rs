//! An adaptation that speaks an older release behaves like that release.

use std::time::Duration;

use nri::api::{
    ConfigureRequest, Container, CreateContainerRequest, Event, EventMask, LinuxContainer,
    StateChangeEvent, SynchronizeRequest, User,
};
use nri::wire::Code;
use nri_adaptation::{DeprecationList, OutcomeResult, Via};

use crate::peer::{Peer, Script};
use crate::plugins::{Cluster, builder, container, pod};

#[tokio::test]
async fn w12_configure_says_what_the_release_has() {
    for (release, nri, timeouts) in [
        ("v0.6.1", "", false),
        ("v0.8.0", "", true),
        ("v0.11.0", "", true),
        ("v0.12.0", "v0.12.0", true),
    ] {
        let limits = builder()
            .registration_timeout(Duration::from_secs(50))
            .request_timeout(Duration::from_secs(20));
        let adaptation = limits.speaking(release).start().await.unwrap();
        let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
        let configure = &peer.requests::<ConfigureRequest>("Configure")[0];
        assert_eq!(configure.runtime_name, "test-runtime");
        assert_eq!(configure.runtime_version, "v1.2.3");
        assert_eq!(configure.nri_version, nri, "{release}");
        assert_eq!(configure.request_timeout == 20_000, timeouts, "{release}");
        assert_eq!(configure.registration_timeout == 50_000, timeouts, "{release}");
    }
}

#[tokio::test]
async fn w4_an_older_release_sends_state_change_without_recording_a_deprecation() {
    let list = DeprecationList::default();
    let adaptation =
        builder().speaking("v0.11.0").deprecations(list.clone()).start().await.unwrap();
    let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
    let relayed = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(relayed.outcomes[0].via, Some(Via::StateChange));
    assert!(!relayed.outcomes[0].fell_back);
    adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    assert_eq!(peer.events()[..2], ["StateChange", "CreateContainer"]);
    let change = &peer.requests::<StateChangeEvent>("StateChange")[0];
    assert_eq!((change.event(), change.pod.as_ref()), (Event::RunPodSandbox, Some(&pod("p"))));
    assert!(list.records().is_empty());
}

#[tokio::test]
async fn an_event_that_the_release_lacks_is_sent_to_nobody() {
    let adaptation = builder().speaking("v0.8.0").start().await.unwrap();
    let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
    let relayed = adaptation.update_pod_sandbox(&pod("p"), None, None).await.unwrap();
    assert!(relayed.outcomes.is_empty() && peer.events().is_empty());
}

#[tokio::test]
async fn w2_a_mask_is_checked_as_the_release_does() {
    for (release, mask, extra) in [
        (
            "v0.9.0",
            0x3fff,
            Some(
                "0x3800, which NRI v0.9.0 does not know: UPDATE_POD_SANDBOX, POST_UPDATE_POD_SANDBOX, VALIDATE_CONTAINER_ADJUSTMENT",
            ),
        ),
        (
            "v0.9.1-0.20250219030224-e597e7849f24",
            0x3fff,
            Some(
                "0x2000, which NRI v0.9.1-0.20250219030224-e597e7849f24 does not know: VALIDATE_CONTAINER_ADJUSTMENT",
            ),
        ),
        ("v0.10.0", 0x3fff, None),
        ("v0.12.5", EventMask::ALL.bits(), None),
    ] {
        let adaptation = builder().speaking(release).start().await.unwrap();
        let script = Script::new("10", "plugin").events(mask);
        let (_peer, joined) = Peer::try_join(&adaptation, script).await;
        match extra {
            None => drop(joined.unwrap()),
            Some(extra) => {
                let error = joined.unwrap_err().to_string();
                assert!(error.ends_with(&format!("invalid plugin events: {extra}")), "{error}");
            }
        }
    }
}

/// Returns a container with a field that v0.11.0 brought, beside one that was there from the first.
fn young() -> Container {
    Container {
        user: Some(User::default()),
        linux: Some(Box::new(LinuxContainer {
            cgroups_path: "/group".to_owned(),
            sysctl: [("a".to_owned(), "b".to_owned())].into(),
            ..LinuxContainer::default()
        })),
        ..container("c")
    }
}

#[tokio::test]
async fn w7_fields_that_the_release_lacks_are_left_out() {
    for (release, has_them) in [("v0.6.1", false), ("v0.12.5", true)] {
        let cluster = Cluster::default();
        cluster.0.containers.lock().unwrap().push(young());
        let adaptation = builder().speaking(release).callbacks(cluster).start().await.unwrap();
        let peer = Peer::join(&adaptation, Script::new("10", "plugin")).await;
        adaptation.create_container(&pod("p"), &young()).await.unwrap();
        adaptation.start_container(&pod("p"), &young()).await.unwrap();
        let synchronized = peer.requests::<SynchronizeRequest>("Synchronize").remove(0);
        let created = peer.requests::<CreateContainerRequest>("CreateContainer").remove(0);
        let mut containers = synchronized.containers;
        containers.push(created.container.unwrap());
        if !has_them {
            let started = peer.requests::<StateChangeEvent>("StateChange").remove(0);
            containers.push(started.container.unwrap());
        }
        for container in containers {
            let linux = container.linux.unwrap();
            assert_eq!((&*container.id, &*linux.cgroups_path), ("c", "/group"));
            assert_eq!(container.user.is_some(), has_them, "{release}");
            assert_eq!(!linux.sysctl.is_empty(), has_them, "{release}");
        }
    }
}

#[tokio::test]
async fn w8_a_release_without_parts_refuses_what_does_not_fit() {
    let large = || Cluster::of(3_000, 0, 2_000);
    let adaptation = builder().speaking("v0.6.1").callbacks(large()).start().await.unwrap();
    let (_peer, joined) = Peer::try_join(&adaptation, Script::new("10", "plugin")).await;
    let error = joined.unwrap_err().to_string();
    assert!(error.contains("at most 4194304 can be sent"), "{error}");
}

#[tokio::test]
async fn the_fallback_is_recorded_with_all_that_is_known() {
    let list = DeprecationList::default();
    let adaptation = builder().deprecations(list.clone()).start().await.unwrap();
    let missing = "/nri.pkg.api.v1alpha1.Plugin/StopPodSandbox is not supported";
    let script = Script::new("10", "old").error("RunPodSandbox", Code::UNIMPLEMENTED, "no").error(
        "StopPodSandbox",
        Code::NOT_FOUND,
        missing,
    );
    let _peer = Peer::join(&adaptation, script).await;
    // After the first UNIMPLEMENTED, the plugin is taken for an old one, and no other RPC is tried.
    adaptation.stop_pod_sandbox(&pod("c")).await.unwrap();
    for id in ["a", "b"] {
        adaptation.run_pod_sandbox(&pod(id)).await.unwrap();
    }
    let records = list.records();
    let of = |event| records.iter().find(|record| record.event == event).unwrap();
    let run = of(Event::RunPodSandbox);
    assert_eq!((run.plugin.to_string(), run.count), ("10-old".to_owned(), 2));
    assert_eq!((run.interface, run.instead), ("StateChange", "RunPodSandbox"));
    assert_eq!(run.planned_removal, "containerd 2.7");
    assert_eq!(run.nri_version.as_deref(), Some("v0.12.5"));
    assert!(run.first_occurrence <= run.last_occurrence);
    assert!(!run.breaks_on_reference);
    assert!(of(Event::StopPodSandbox).breaks_on_reference);
}

#[tokio::test]
async fn w3_a_handler_that_finds_nothing_is_not_mistaken_for_a_missing_rpc() {
    let adaptation = builder().start().await.unwrap();
    let script = Script::new("10", "new").error("StopPodSandbox", Code::NOT_FOUND, "no such pod");
    let peer = Peer::join(&adaptation, script).await;
    let relayed = adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(relayed.outcomes[0].result, OutcomeResult::Ignored);
    assert_eq!(peer.events(), ["StopPodSandbox"]);
}

#[tokio::test]
async fn an_event_that_was_never_a_state_change_does_not_fall_back_and_is_no_error() {
    let list = DeprecationList::default();
    let adaptation = builder().deprecations(list.clone()).start().await.unwrap();
    let script = Script::new("10", "old")
        .error("UpdatePodSandbox", Code::UNIMPLEMENTED, "no")
        .error("ValidateContainerAdjustment", Code::UNIMPLEMENTED, "no");
    let peer = Peer::join(&adaptation, script).await;
    let updated = adaptation.update_pod_sandbox(&pod("p"), None, None).await.unwrap();
    assert_eq!(updated.outcomes[0].result, OutcomeResult::Ignored);
    adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    let rpcs = ["UpdatePodSandbox", "CreateContainer", "ValidateContainerAdjustment"];
    assert_eq!(peer.events(), rpcs);
    assert!(list.records().is_empty());
}
