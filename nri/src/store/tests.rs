use super::*;

fn pod(id: &str) -> PodSandbox {
    PodSandbox { id: id.into(), name: format!("pod-{id}"), ..Default::default() }
}

fn container(id: &str, pod_id: &str) -> Container {
    Container { id: id.into(), pod_sandbox_id: pod_id.into(), ..Default::default() }
}

fn ids<T>(list: &[Arc<T>], id: impl Fn(&T) -> &String) -> Vec<String> {
    list.iter().map(|value| id(value).clone()).collect()
}

#[test]
fn a_life_from_run_to_remove_and_a_straggler() {
    use SightingKind::{First, Gone, Known, Repeated};
    let store = PodStore::new();
    let (a, c) = (pod("a"), container("c", "a"));
    for (event, of_pod, of_container, is_repeated) in [
        (Event::RunPodSandbox, First, None, false),
        (Event::CreateContainer, Known, Some(First), false),
        (Event::StopContainer, Known, Some(Known), false),
        (Event::StopContainer, Known, Some(Repeated), true),
        (Event::RemoveContainer, Known, Some(Known), false),
        (Event::StopPodSandbox, Known, None, false),
        (Event::StopPodSandbox, Repeated, None, true),
        (Event::RemovePodSandbox, Known, None, false),
        (Event::RemovePodSandbox, Gone, None, true),
        (Event::PostUpdateContainer, Gone, Some(Gone), true),
    ] {
        let sighting = store.observe(event, &a, of_container.map(|_| &c));
        let seen = (sighting.pod, sighting.container, sighting.is_repeated());
        assert_eq!(seen, (of_pod, of_container, is_repeated), "{event:?}");
        assert!(!sighting.missed_creation());
    }
    for (event, unseen) in [(Event::StopPodSandbox, "b"), (Event::RemovePodSandbox, "d")] {
        assert!(store.observe(event, &pod(unseen), None).missed_creation());
    }
}

#[test]
fn a_removed_pod_takes_its_containers_along() {
    use SightingKind::{First, Gone, Known};
    let store = PodStore::new();
    for (event, pod_id, id, of_pod, of_container) in [
        (Event::StartContainer, "a", "c", First, Some(First)),
        (Event::StartContainer, "a", "d", Known, Some(First)),
        (Event::StartContainer, "b", "e", First, Some(First)),
        (Event::RemovePodSandbox, "a", "", Known, None),
        (Event::StopContainer, "a", "c", Gone, Some(Gone)),
        (Event::StopContainer, "a", "never seen", Gone, Some(Gone)),
        (Event::RemoveContainer, "a", "c", Gone, Some(Gone)),
        (Event::RemoveContainer, "a", "f", Gone, Some(First)),
    ] {
        let carried = container(id, pod_id);
        let sighting = store.observe(event, &pod(pod_id), of_container.map(|_| &carried));
        let seen = (sighting.pod, sighting.container);
        assert_eq!(seen, (of_pod, of_container), "{event:?} {id}");
    }
    let kept = |list: Vec<Arc<Container>>| ids(&list, |container| &container.id);
    assert_eq!(kept(store.containers()), ["e"]);
    assert_eq!(kept(store.containers_of("b")), ["e"]);
}

#[test]
fn a_list_is_right_about_what_is_there() {
    let store = PodStore::new();
    for event in [Event::RunPodSandbox, Event::RemovePodSandbox] {
        store.observe(event, &pod("removed"), None);
    }
    let kept = container("c", "kept");
    store.observe(Event::StopContainer, &pod("kept"), Some(&kept));
    store.observe(Event::StopContainer, &pod("lost"), Some(&container("d", "lost")));
    let report = store.synchronize(&[pod("removed"), pod("kept")], std::slice::from_ref(&kept));
    assert_eq!(ids(&report.pods.new, |pod| &pod.id), ["removed"]);
    assert_eq!(ids(&report.pods.vanished, |pod| &pod.id), ["lost"]);
    assert_eq!(ids(&report.containers.known, |container| &container.id), ["c"]);
    assert_eq!(ids(&report.containers.vanished, |container| &container.id), ["d"]);
    assert!(store.container("d").is_none() && store.pod("removed").is_some());
    let again = store.observe(Event::StopContainer, &pod("removed"), Some(&kept));
    assert_eq!(again.pod, SightingKind::Known);
    assert_eq!(again.container, Some(SightingKind::Repeated));
    let lost = store.observe(Event::StopPodSandbox, &pod("lost"), None);
    assert_eq!(lost.pod, SightingKind::First, "a vanished pod is unknown, not removed");
}

#[test]
fn what_an_event_carries_takes_the_place_of_what_was_known() {
    let store = PodStore::new();
    store.observe(Event::RunPodSandbox, &pod("a"), None);
    let before = store.pod("a").unwrap();
    store.observe(Event::UpdatePodSandbox, &pod("a"), None);
    let same = Arc::ptr_eq(&before, &store.pod("a").unwrap());
    assert!(same, "the same is not copied");
    let changed = PodSandbox { pid: 7, ..pod("a") };
    store.observe(Event::PostUpdatePodSandbox, &changed, None);
    assert_eq!(store.pod("a").unwrap().pid, 7);
}

#[test]
fn a_list_is_reported_in_its_order_and_without_duplicates() {
    let store = PodStore::new();
    store.synchronize(&[pod("b"), pod("a")], &[]);
    let report = store.synchronize(&[pod("e"), pod("b"), pod("a"), pod("e")], &[]);
    assert_eq!(ids(&report.pods.new, |pod| &pod.id), ["e"]);
    assert_eq!(ids(&report.pods.known, |pod| &pod.id), ["b", "a"]);
}

#[test]
fn beyond_the_limit_nothing_new_is_kept_and_every_sighting_is_the_first() {
    let store = PodStore::with_limits(Limits { pods: 1, containers: 0, removed: 1 });
    let run = |id: &str| store.observe(Event::RunPodSandbox, &pod(id), None).pod;
    let (first, known) = (SightingKind::First, SightingKind::Known);
    let seen = ["a", "b", "b", "a"].map(run);
    assert_eq!(seen, [first, first, first, known]);
    assert_eq!((store.pods().len(), store.refused()), (1, 2));
    store.observe(Event::RemovePodSandbox, &pod("a"), None);
    store.observe(Event::RemovePodSandbox, &pod("b"), None);
    assert_eq!(run("b"), SightingKind::Gone);
    assert_eq!(run("a"), SightingKind::First, "its removal is forgotten");
    store.observe(Event::CreateContainer, &pod("a"), Some(&container("c", "a")));
    assert!(store.containers_of("a").is_empty());
}

#[test]
fn no_id_is_kept_as_no_entry() {
    let store = PodStore::new();
    for event in [Event::RunPodSandbox, Event::RemovePodSandbox, Event::StopPodSandbox] {
        let sighting = store.observe(event, &pod(""), Some(&container("", "")));
        assert_eq!(sighting.pod, SightingKind::First);
    }
    assert!(store.pods().is_empty() && store.containers().is_empty());
}
