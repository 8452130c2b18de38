//! Messages between revisions: unknown parts are dropped, the rest arrives.

use nri_tests_bindings::{containerd_2_2, every, latest, plain, v0_9};
use prost::Message;

fn carried<From: Message, To: Message + Default>(from: &From) -> To {
    To::decode(from.encode_to_vec().as_slice()).unwrap()
}

fn container() -> latest::Container {
    latest::Container {
        id: "c0".into(),
        pod_sandbox_id: "p0".into(),
        state: latest::ContainerState::ContainerRunning.into(),
        labels: [("a".to_owned(), "b".to_owned())].into(),
        args: vec!["sh".into(), "-c".into()],
        mounts: vec![latest::Mount {
            destination: "/data".into(),
            options: vec!["ro".into()],
            ..Default::default()
        }],
        linux: Some(latest::LinuxContainer {
            oom_score_adj: Some(latest::OptionalInt { value: -998 }),
            ..Default::default()
        }),
        ..Default::default()
    }
}

#[test]
fn what_both_know_survives_the_way_back_and_forth() {
    let new = container();
    let old: v0_9::Container = carried(&new);
    assert_eq!((&*old.id, &*old.args[1], old.labels["a"].as_str()), ("c0", "-c", "b"));
    assert_eq!(old.state(), v0_9::ContainerState::ContainerRunning);
    assert_eq!(old.linux.as_ref().unwrap().oom_score_adj.unwrap().value, -998);
    assert_eq!(carried::<_, latest::Container>(&old), new);
    let middle: containerd_2_2::Container = carried(&new);
    assert_eq!(carried::<_, v0_9::Container>(&middle), old);
}

#[test]
fn what_the_older_one_does_not_know_is_dropped() {
    let new = latest::ConfigureResponse {
        events: latest::EventMask::CONTAINER.bits(),
        failure_policy: Some(latest::FailurePolicy { fail_request: true, keep_connected: false }),
    };
    let old: containerd_2_2::ConfigureResponse = carried(&new);
    assert_eq!(old.events, new.events);
    let back: latest::ConfigureResponse = carried(&old);
    assert_eq!(back, latest::ConfigureResponse { failure_policy: None, ..new });
}

#[test]
fn what_older_ones_know_is_kept() {
    let new = latest::RegisterPluginRequest {
        plugin_name: "template".into(),
        plugin_idx: "10".into(),
        nri_version: "v0.12.5".into(),
    };
    let old: v0_9::RegisterPluginRequest = carried(&new);
    assert_eq!((&*old.plugin_name, &*old.plugin_idx), ("template", "10"));
    assert_eq!(carried::<_, latest::RegisterPluginRequest>(&old).nri_version, "");
}

#[test]
fn the_same_revision_under_other_names_is_the_same_on_the_wire() {
    let one: containerd_2_2::Container = carried(&container());
    let other: plain::Container = carried(&one);
    let third: every::v0_11_0::Container = carried(&other);
    assert_eq!(third.encode_to_vec(), one.encode_to_vec());
}

#[test]
fn the_tables_of_each_revision_are_its_own() {
    assert_eq!(v0_9::REVISION, Some("v0.9.0"));
    assert_eq!(containerd_2_2::REVISION, Some("v0.11.0"));
    assert!(latest::REVISION > containerd_2_2::REVISION && latest::EVENTS.len() >= 14);
    let events = |count: usize, mask: i32| (count, mask);
    assert_eq!((v0_9::EVENTS.len(), v0_9::EventMask::ALL.bits()), events(11, 0x7ff));
    assert_eq!(
        (containerd_2_2::EVENTS.len(), containerd_2_2::EventMask::ALL.bits()),
        events(14, 0x3fff)
    );
    let old = v0_9::EVENTS[0];
    assert_eq!(
        (old.rpc, old.rpc_since, old.state_change.unwrap().until),
        ("StateChange", None, None)
    );
    let new = latest::EVENTS[0];
    assert_eq!((new.rpc, new.rpc_since), ("RunPodSandbox", Some("v0.12.0")));
    let coverage = new.state_change.unwrap();
    assert_eq!((coverage.since, coverage.until), ("v0.2.0", Some("v0.12.0")));
}

#[test]
fn every_event_has_its_rpc_in_the_table() {
    let carried = latest::RPCS.iter().filter_map(|rpc| Some((rpc.event?, rpc.method)));
    let carried: Vec<_> = carried.collect();
    assert_eq!(carried.len(), latest::Event::ALL.len());
    for (event, method) in carried {
        assert_eq!(event.name(), method);
    }
    let deprecated: Vec<_> =
        latest::RPCS.iter().filter(|rpc| rpc.deprecated_since.is_some()).collect();
    assert_eq!(deprecated.len(), 1);
    assert_eq!(
        (deprecated[0].service, deprecated[0].method),
        (latest::PLUGIN_SERVICE, "StateChange")
    );
    assert!(containerd_2_2::RPCS.iter().all(|rpc| rpc.deprecated_since.is_none()));
}
