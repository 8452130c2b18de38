//! Tests of the store: hand-written cases, and random histories compared with a simple model.

mod model;

use super::*;

fn pod(id: &str) -> PodSandbox {
    PodSandbox {
        id: id.into(),
        name: format!("pod-{id}"),
        ..Default::default()
    }
}

fn container(id: &str, pod_id: &str) -> Container {
    Container {
        id: id.into(),
        pod_sandbox_id: pod_id.into(),
        ..Default::default()
    }
}

fn ids<T>(list: &[Arc<T>], id: impl Fn(&T) -> &String) -> Vec<String> {
    list.iter().map(|value| id(value).clone()).collect()
}

#[test]
fn a_life_from_run_to_remove_and_a_straggler() {
    let store = PodStore::new();
    let (a, c) = (pod("a"), container("c", "a"));
    let seen = |event, of: Option<&Container>| {
        let sighting = store.observe(event, &a, of);
        (
            sighting.pod,
            sighting.container,
            sighting.missed_creation(),
            sighting.is_repeated(),
        )
    };
    assert_eq!(
        seen(Event::RunPodSandbox, None),
        (SightingKind::First, None, false, false)
    );
    assert_eq!(
        seen(Event::CreateContainer, Some(&c)),
        (SightingKind::Known, Some(SightingKind::First), false, false)
    );
    assert_eq!(
        seen(Event::StopContainer, Some(&c)),
        (SightingKind::Known, Some(SightingKind::Known), false, false)
    );
    assert_eq!(
        seen(Event::StopContainer, Some(&c)),
        (
            SightingKind::Known,
            Some(SightingKind::Repeated),
            false,
            true
        )
    );
    assert_eq!(
        seen(Event::RemoveContainer, Some(&c)),
        (SightingKind::Known, Some(SightingKind::Known), false, false)
    );
    assert_eq!(
        seen(Event::StopPodSandbox, None),
        (SightingKind::Known, None, false, false)
    );
    assert_eq!(
        seen(Event::StopPodSandbox, None),
        (SightingKind::Repeated, None, false, true)
    );
    assert_eq!(
        seen(Event::RemovePodSandbox, None),
        (SightingKind::Known, None, false, false)
    );
    assert_eq!(
        seen(Event::RemovePodSandbox, None),
        (SightingKind::Gone, None, false, true)
    );
    assert_eq!(
        seen(Event::PostUpdateContainer, Some(&c)),
        (SightingKind::Gone, Some(SightingKind::Gone), false, true)
    );
    assert!(store.pods().is_empty() && store.containers().is_empty());
}

#[test]
fn stop_and_remove_of_what_was_never_seen_are_accepted() {
    let store = PodStore::new();
    let stop = store.observe(Event::StopPodSandbox, &pod("a"), None);
    assert_eq!(
        (stop.pod, stop.missed_creation()),
        (SightingKind::First, true)
    );
    let remove = store.observe(Event::RemovePodSandbox, &pod("b"), None);
    assert_eq!(
        (remove.pod, remove.missed_creation()),
        (SightingKind::First, true)
    );
    let removed = store.observe(
        Event::RemoveContainer,
        &pod("a"),
        Some(&container("c", "a")),
    );
    assert_eq!(
        (removed.pod, removed.container),
        (SightingKind::Known, Some(SightingKind::First))
    );
    assert_eq!(ids(&store.pods(), |pod| &pod.id), ["a"]);
}

#[test]
fn a_container_event_brings_its_pod_along() {
    let store = PodStore::new();
    let sighting = store.observe(Event::StartContainer, &pod("a"), Some(&container("c", "")));
    assert_eq!(
        (sighting.pod, sighting.container),
        (SightingKind::First, Some(SightingKind::First))
    );
    assert_eq!(
        ids(&store.containers_of("a"), |container| &container.id),
        ["c"]
    );
}

#[test]
fn the_removal_of_a_pod_takes_its_containers() {
    let store = PodStore::new();
    for (id, owner) in [("c", "a"), ("d", "a"), ("e", "b")] {
        store.observe(
            Event::CreateContainer,
            &pod(owner),
            Some(&container(id, owner)),
        );
    }
    store.observe(Event::RemovePodSandbox, &pod("a"), None);
    assert_eq!(ids(&store.containers(), |container| &container.id), ["e"]);
    assert!(store.containers_of("a").is_empty());
}

#[test]
fn what_an_event_carries_takes_the_place_of_what_was_known() {
    let store = PodStore::new();
    store.observe(Event::RunPodSandbox, &pod("a"), None);
    let before = store.pod("a").unwrap();
    store.observe(Event::UpdatePodSandbox, &pod("a"), None);
    assert!(
        Arc::ptr_eq(&before, &store.pod("a").unwrap()),
        "the same is not copied"
    );
    store.observe(
        Event::PostUpdatePodSandbox,
        &PodSandbox { pid: 7, ..pod("a") },
        None,
    );
    assert_eq!(store.pod("a").unwrap().pid, 7);
}

#[test]
fn a_reconnect_tells_what_is_new_and_what_vanished() {
    let store = PodStore::new();
    store.synchronize(
        &[pod("a"), pod("b")],
        &[container("c", "a"), container("d", "b")],
    );
    let report = store.synchronize(
        &[pod("e"), pod("b")],
        &[container("d", "b"), container("f", "e")],
    );
    assert_eq!(ids(&report.pods.new, |pod| &pod.id), ["e"]);
    assert_eq!(ids(&report.pods.known, |pod| &pod.id), ["b"]);
    assert_eq!(ids(&report.pods.vanished, |pod| &pod.id), ["a"]);
    assert_eq!(
        ids(&report.containers.new, |container| &container.id),
        ["f"]
    );
    assert_eq!(
        ids(&report.containers.vanished, |container| &container.id),
        ["c"]
    );
    assert_eq!(
        ids(&store.containers_of("e"), |container| &container.id),
        ["f"]
    );
    // Not removed, only not listed: it may be in creation, and its next event is a first sighting.
    assert_eq!(
        store.observe(Event::StartContainer, &pod("a"), None).pod,
        SightingKind::First
    );
}

#[test]
fn a_list_brings_back_what_was_removed() {
    let store = PodStore::new();
    store.observe(Event::RemovePodSandbox, &pod("a"), None);
    let report = store.synchronize(&[pod("a"), pod("a")], &[]);
    assert_eq!(ids(&report.pods.new, |pod| &pod.id), ["a"], "reported once");
    assert_eq!(
        store.observe(Event::StopPodSandbox, &pod("a"), None).pod,
        SightingKind::Known
    );
}

#[test]
fn beyond_the_limit_nothing_new_is_kept_and_every_sighting_is_the_first() {
    let store = PodStore::with_limits(Limits {
        pods: 1,
        containers: 0,
        removed: 1,
    });
    let run = |id: &str| store.observe(Event::RunPodSandbox, &pod(id), None).pod;
    assert_eq!(
        (run("a"), run("b"), run("b"), run("a")),
        (
            SightingKind::First,
            SightingKind::First,
            SightingKind::First,
            SightingKind::Known
        )
    );
    assert_eq!((store.pods().len(), store.refused()), (1, 2));
    store.observe(Event::RemovePodSandbox, &pod("a"), None);
    store.observe(Event::RemovePodSandbox, &pod("b"), None);
    assert_eq!(run("b"), SightingKind::Gone);
    assert_eq!(run("a"), SightingKind::First, "its removal is forgotten");
    store.observe(
        Event::CreateContainer,
        &pod("a"),
        Some(&container("c", "a")),
    );
    assert!(store.containers_of("a").is_empty());
}

#[test]
fn no_id_is_kept_as_no_entry() {
    let store = PodStore::new();
    for event in [
        Event::RunPodSandbox,
        Event::RemovePodSandbox,
        Event::StopPodSandbox,
    ] {
        assert_eq!(
            store.observe(event, &pod(""), Some(&container("", ""))).pod,
            SightingKind::First
        );
    }
    assert!(store.pods().is_empty() && store.containers().is_empty());
}

#[test]
fn a_store_is_used_from_many_threads() {
    let store = PodStore::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for n in 0..100 {
                    store.observe(Event::RunPodSandbox, &pod(&format!("{thread}-{n}")), None);
                }
            });
        }
    });
    assert_eq!(store.pods().len(), 400);
}
