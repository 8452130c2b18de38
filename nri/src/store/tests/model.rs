//! Random histories of events and lists, through the store and through a model that only keeps a
//! log.
//!
//! The model answers each question by reading the whole log again. This is slow, but so simple that
//! it is unlikely to have the same bugs.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Event {
        event: Event,
        pod: u8,
        container: Option<u8>,
    },
    List {
        pods: Vec<u8>,
        containers: Vec<u8>,
    },
}

/// Returns a random step. Container n belongs to pod n / 4, so owners never change.
fn step() -> impl Strategy<Value = Step> {
    let pod_event = (1i32..=14, 0u8..4).prop_map(|(event, pod)| (event, pod, None));
    let container_event = (1i32..=14, 0u8..16).prop_map(|(event, n)| (event, n / 4, Some(n)));
    let event = prop_oneof![pod_event, container_event].prop_filter_map(
        "an event",
        |(event, pod, container)| {
            let event = Event::try_from(event).ok()?;
            // The protocol has no container in pod events; their effect on one is not defined.
            let of_pod = matches!(event.as_str_name().rsplit_once('_'), Some((_, "SANDBOX")));
            Some(Step::Event {
                event,
                pod,
                container: container.filter(|_| !of_pod),
            })
        },
    );
    let pods = proptest::collection::vec(0u8..4, 0..4);
    let containers = proptest::collection::vec(0u8..16, 0..8);
    prop_oneof![9 => event, 1 => (pods, containers).prop_map(|(pods, containers)| Step::List { pods, containers })]
}

/// A step in the history of a pod or container.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Seen,
    Stopped,
    Removed,
    Listed,
    NotListed,
}

fn is_known(log: &[Mark]) -> bool {
    let end = log
        .iter()
        .rposition(|mark| matches!(mark, Mark::Removed | Mark::NotListed));
    let after = end.map_or(log, |end| &log[end + 1..]);
    // After a removal only a list makes it known again; after a list without it any event does.
    let removed = end.is_some() && last_end(log) == Mark::Removed;
    if removed {
        after.contains(&Mark::Listed)
    } else {
        !after.is_empty()
    }
}

/// Returns the last end of an item. A list without an item that was removed before adds nothing.
fn last_end(log: &[Mark]) -> Mark {
    let mut last = Mark::NotListed;
    for mark in log {
        match mark {
            Mark::Removed => last = Mark::Removed,
            Mark::Listed => last = Mark::NotListed,
            _ => {}
        }
    }
    last
}

fn was_stopped(log: &[Mark]) -> bool {
    let birth = log
        .iter()
        .rposition(|mark| matches!(mark, Mark::Removed | Mark::NotListed))
        .map_or(0, |end| end + 1);
    log[birth..].contains(&Mark::Stopped)
}

fn expected(log: &[Mark], stop: bool) -> SightingKind {
    match (is_known(log), last_end(log) == Mark::Removed) {
        (true, _) if stop && was_stopped(log) => SightingKind::Repeated,
        (true, _) => SightingKind::Known,
        (false, true) => SightingKind::Gone,
        (false, false) => SightingKind::First,
    }
}

/// Adds an event to the log, but not a late one.
fn note(log: &mut Vec<Mark>, seen: SightingKind, event: Event, [stop, removal]: [Event; 2]) {
    if seen != SightingKind::Gone {
        let mark = if event == removal {
            Mark::Removed
        } else {
            Mark::Seen
        };
        log.push(if event == stop { Mark::Stopped } else { mark });
    }
}

#[derive(Default)]
struct Model {
    pods: [Vec<Mark>; 4],
    containers: [Vec<Mark>; 16],
}

impl Model {
    fn event(
        &mut self,
        event: Event,
        pod: u8,
        container: Option<u8>,
    ) -> (SightingKind, Option<SightingKind>) {
        let log = &mut self.pods[pod as usize];
        let seen = expected(log, event == Event::StopPodSandbox);
        let ends = [Event::StopPodSandbox, Event::RemovePodSandbox];
        note(log, seen, event, ends);
        if event == Event::RemovePodSandbox {
            self.remove_children(pod);
        }
        let of_container = container.map(|n| self.container_event(event, seen, n));
        (seen, of_container)
    }

    fn remove_children(&mut self, pod: u8) {
        let first = pod as usize * 4;
        for log in &mut self.containers[first..first + 4] {
            if is_known(log) {
                log.push(Mark::Removed);
            }
        }
    }

    fn container_event(
        &mut self,
        event: Event,
        of_pod: SightingKind,
        container: u8,
    ) -> SightingKind {
        let log = &mut self.containers[container as usize];
        if of_pod == SightingKind::Gone && !is_known(log) && event != Event::RemoveContainer {
            return SightingKind::Gone;
        }
        let seen = expected(log, event == Event::StopContainer);
        note(
            log,
            seen,
            event,
            [Event::StopContainer, Event::RemoveContainer],
        );
        seen
    }

    fn list(logs: &mut [Vec<Mark>], listed: &[u8]) -> (Vec<String>, Vec<String>) {
        let (mut new, mut vanished) = (Vec::new(), Vec::new());
        for (n, log) in logs.iter_mut().enumerate() {
            let (known, is_listed) = (is_known(log), listed.contains(&(n as u8)));
            match (known, is_listed) {
                (false, true) => new.push(name(n as u8)),
                (true, false) => vanished.push(name(n as u8)),
                _ => {}
            }
            log.push(if is_listed {
                Mark::Listed
            } else {
                Mark::NotListed
            });
        }
        (new, vanished)
    }

    fn known(logs: &[Vec<Mark>]) -> Vec<String> {
        (0..logs.len())
            .filter(|&n| is_known(&logs[n]))
            .map(|n| name(n as u8))
            .collect()
    }
}

/// Returns a two-digit name, so that names sort like numbers.
fn name(n: u8) -> String {
    format!("{n:02}")
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

fn observe(store: &PodStore, event: Event, p: u8, c: Option<u8>) -> Sighting {
    let carried = c.map(|n| container(&name(n), &name(n / 4)));
    store.observe(event, &pod(&name(p)), carried.as_ref())
}

fn synchronize(store: &PodStore, pods: &[u8], containers: &[u8]) -> SyncReport {
    let pods: Vec<_> = pods.iter().map(|&n| pod(&name(n))).collect();
    let containers = containers
        .iter()
        .map(|&n| container(&name(n), &name(n / 4)));
    store.synchronize(&pods, &containers.collect::<Vec<_>>())
}

fn compare_list(
    store: &PodStore,
    model: &mut Model,
    pods: &[u8],
    containers: &[u8],
) -> Result<(), TestCaseError> {
    let report = synchronize(store, pods, containers);
    let (new, vanished) = Model::list(&mut model.pods, pods);
    prop_assert_eq!(sorted(ids(&report.pods.new, |it| &it.id)), new);
    prop_assert_eq!(ids(&report.pods.vanished, |it| &it.id), vanished);
    let (new, vanished) = Model::list(&mut model.containers, containers);
    prop_assert_eq!(sorted(ids(&report.containers.new, |it| &it.id)), new);
    prop_assert_eq!(ids(&report.containers.vanished, |it| &it.id), vanished);
    Ok(())
}

fn compare_content(store: &PodStore, model: &Model) -> Result<(), TestCaseError> {
    let known = Model::known(&model.containers);
    prop_assert_eq!(ids(&store.pods(), |pod| &pod.id), Model::known(&model.pods));
    prop_assert_eq!(&ids(&store.containers(), |container| &container.id), &known);
    let by_pod: Vec<_> = (0..4).flat_map(|n| store.containers_of(&name(n))).collect();
    prop_assert_eq!(ids(&by_pod, |container| &container.id), known);
    Ok(())
}

proptest! {
    #[test]
    fn the_store_agrees_with_the_model(steps in proptest::collection::vec(step(), 0..60)) {
        let (store, mut model) = (PodStore::new(), Model::default());
        for step in &steps {
            match step {
                Step::Event { event, pod, container } => {
                    let sighting = observe(&store, *event, *pod, *container);
                    let expected = model.event(*event, *pod, *container);
                    prop_assert_eq!((sighting.pod, sighting.container), expected);
                }
                Step::List { pods, containers } => compare_list(&store, &mut model, pods, containers)?,
            }
            compare_content(&store, &model)?;
        }
    }

    #[test]
    fn what_is_kept_stays_within_the_limits(steps in proptest::collection::vec(step(), 0..60)) {
        let store = PodStore::with_limits(Limits { pods: 2, containers: 3, removed: 2 });
        for step in &steps {
            match step {
                Step::Event { event, pod, container } => _ = observe(&store, *event, *pod, *container),
                Step::List { pods, containers } => _ = synchronize(&store, pods, containers),
            }
            prop_assert!(store.pods().len() <= 2 && store.containers().len() <= 3);
            let by_pod: usize = (0..4).map(|n| store.containers_of(&name(n)).len()).sum();
            prop_assert_eq!(by_pod, store.containers().len());
        }
    }
}
