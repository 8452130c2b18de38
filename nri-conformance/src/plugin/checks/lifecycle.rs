//! P3, P4 and P7 to P9: the lifecycle of pods.

use std::fs::{self, File, FileTimes, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use nri::api::{Event, PodSandbox, SynchronizeRequest};
use nri_adaptation::Revision;

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::Live;
use crate::plugin::verdict::{Judged, Verdict, fail, skip};
use crate::session::world::Sample;

pub(super) static TESTS: &[Test] = tests! {
    ["P3"] "remove-in-any-order" BothWays any_order;
    ["P4"] "infrastructure-left-alone" Newest infrastructure;
    ["P7"] "stop-twice" Each stop_twice;
    ["P8"] "known-from-synchronize" Each from_synchronize;
    ["P8"] "never-seen" Each never_seen;
    ["P8"] "remove-twice" BothWays remove_twice;
    ["P9"] "failed-run-retried" Each retry;
};

/// The events of a pod and its container until the container runs.
const START: [Event; 6] = [
    Event::RunPodSandbox,
    Event::CreateContainer,
    Event::ValidateContainerAdjustment,
    Event::PostCreateContainer,
    Event::StartContainer,
    Event::PostStartContainer,
];

/// The end of a container, then of its pod.
const END: [Event; 4] = [
    Event::StopContainer,
    Event::RemoveContainer,
    Event::StopPodSandbox,
    Event::RemovePodSandbox,
];

/// The end of a pod.
const END_POD: [Event; 2] = [Event::StopPodSandbox, Event::RemovePodSandbox];

/// Starts a pod with a container.
async fn started(live: &Live, sample: &Sample) -> Judged {
    for event in START {
        live.given(event, sample).await?;
    }
    Ok(())
}

/// Ends a pod with a container, up to and including an event.
async fn ended(live: &Live, sample: &Sample, last: Event) -> Judged {
    for event in END {
        live.given(event, sample).await?;
        if event == last {
            break;
        }
    }
    Ok(())
}

/// Skips the test unless the plugin receives one of some events.
fn requires_one(live: &Live, events: &[Event]) -> Judged {
    if events.iter().any(|event| live.subscribes(*event)) {
        return Ok(());
    }
    let names: Vec<_> = events.iter().map(|event| event.name()).collect();
    skip(format!("subscribes to none of {}", names.join(", ")))
}

async fn stop_twice(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    live.requires(Event::StopPodSandbox)?;
    let sample = bench.sample();
    started(&live, &sample).await?;
    ended(&live, &sample, Event::StopPodSandbox).await?;
    for times in ["a second time", "a third time"] {
        live.expect(Event::StopPodSandbox, &sample, times).await?;
    }
    Ok(())
}

async fn from_synchronize(bench: &Bench, revision: &Revision) -> Judged {
    let sample = bench.sample();
    let state = SynchronizeRequest {
        pods: vec![sample.pod.clone()],
        containers: vec![sample.container.clone()],
        more: false,
    };
    let live = bench.serving_with(revision, &state).await?;
    requires_one(&live, &END)?;
    let what = "for what it knows only from Synchronize";
    for event in END {
        let judged = live.expect(event, &sample, what).await;
        unless_always(bench, revision, event, judged).await?;
    }
    Ok(())
}

async fn never_seen(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    requires_one(&live, &END)?;
    let what = "for what it has never seen";
    for event in END {
        let sample = bench.sample();
        let judged = live.expect(event, &sample, what).await;
        unless_always(bench, revision, event, judged).await?;
    }
    Ok(())
}

/// Turns a failure into a skip if the event also fails for an ordinary pod.
async fn unless_always(bench: &Bench, revision: &Revision, event: Event, judged: Judged) -> Judged {
    let Err(Verdict::Fail(failure)) = judged else {
        return judged;
    };
    let live = bench.serving(revision).await?;
    let sample = bench.sample();
    started(&live, &sample).await?;
    ended(&live, &sample, event).await?;
    Err(Verdict::Fail(failure))
}

async fn remove_twice(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    live.requires(Event::RemovePodSandbox)?;
    let sample = bench.sample();
    started(&live, &sample).await?;
    ended(&live, &sample, Event::RemovePodSandbox).await?;
    live.expect(Event::RemovePodSandbox, &sample, "a second time")
        .await
}

async fn retry(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    live.requires(Event::RunPodSandbox)?;
    let mut world = bench.world();
    for ended in [&[][..], &END_POD[1..], &END_POD] {
        let sample = world.sample();
        live.given(Event::RunPodSandbox, &sample).await?;
        // The request has failed for another reason. Runtimes differ in whether they stop and remove the sandbox.
        for event in ended {
            live.given(*event, &sample).await?;
        }
        let again = Sample {
            pod: world.retry(&sample.pod),
            ..sample
        };
        let what = "for the same pod in a new sandbox, after a failure elsewhere";
        live.expect(Event::RunPodSandbox, &again, what).await?;
    }
    Ok(())
}

async fn any_order(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    live.requires(Event::RemovePodSandbox)?;
    let pods = [bench.sample(), bench.sample(), bench.sample()];
    for pod in &pods {
        live.given(Event::RunPodSandbox, pod).await?;
    }
    let [first, second, third] = &pods;
    for pod in [second, third, first] {
        live.given(Event::StopPodSandbox, pod).await?;
        let what = "while other pods are in other states";
        live.expect(Event::RemovePodSandbox, pod, what).await?;
    }
    Ok(())
}

async fn infrastructure(bench: &Bench, revision: &Revision) -> Judged {
    let live = bench.serving(revision).await?;
    live.requires(Event::RemovePodSandbox)?;
    let folder = tempfile::tempdir()
        .map_err(|error| Verdict::Skip(format!("cannot create a folder: {error}")))?;
    let namespace = folder.path().join("netns");
    for gone in [false, true] {
        let mut sample = bench.sample();
        sample.pod = with_network(sample.pod, &namespace);
        let before = prepared(&namespace);
        live.given(Event::RunPodSandbox, &sample).await?;
        live.given(Event::StopPodSandbox, &sample).await?;
        if gone {
            let _ = fs::remove_file(&namespace);
            let what = "after the runtime has removed the network namespace";
            live.expect(Event::RemovePodSandbox, &sample, what).await?;
        } else {
            let before = before
                .and_then(|()| opened_long_ago(&namespace))
                .map_err(|error| Verdict::Skip(format!("cannot write a file: {error}")))?;
            live.given(Event::RemovePodSandbox, &sample).await?;
            untouched(&before, &namespace)?;
        }
    }
    Ok(())
}

fn with_network(mut pod: PodSandbox, namespace: &Path) -> PodSandbox {
    let namespaces = pod.linux.iter_mut().flat_map(|linux| &mut linux.namespaces);
    for network in namespaces.filter(|namespace| namespace.r#type == "network") {
        network.path = namespace.display().to_string();
    }
    pod
}

fn prepared(namespace: &Path) -> std::io::Result<()> {
    fs::write(namespace, "stands for a network namespace")
}

/// Sets the time of the last access to the past, so that the next access can be detected.
fn opened_long_ago(path: &Path) -> std::io::Result<Metadata> {
    let past = SystemTime::now() - Duration::from_secs(1_000_000);
    let file = File::options().write(true).open(path)?;
    file.set_times(FileTimes::new().set_accessed(past).set_modified(past))?;
    drop(file);
    fs::metadata(path)
}

fn untouched(before: &Metadata, path: &Path) -> Judged {
    let sent = "RemovePodSandbox, with a file in the place of the network namespace";
    let expected = "the file as it was: the runtime takes the infrastructure of a pod down";
    let Ok(after) = fs::metadata(path) else {
        return fail(sent, "the file was deleted", expected);
    };
    let times = |it: &Metadata| (it.ino(), it.len(), it.mtime(), it.ctime());
    if times(before) != times(&after) {
        return fail(sent, "the file was changed", expected);
    }
    if before.atime() != after.atime() {
        return fail(sent, "the file was opened and read", expected);
    }
    Ok(())
}
