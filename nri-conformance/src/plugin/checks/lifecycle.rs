//! P3, P4 and P7 to P9: the lifecycle of pods.

use std::fs::{self, File, FileTimes, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use nri::api::{Event, PodSandbox, SynchronizeRequest};

use crate::plugin::bench::Bench;
use crate::plugin::checks::{Test, tests};
use crate::plugin::live::Live;
use crate::plugin::verdict::{Judged, Verdict, fail};
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
const END: [Event; 4] =
    [Event::StopContainer, Event::RemoveContainer, Event::StopPodSandbox, Event::RemovePodSandbox];

/// The end of a pod.
const END_POD: [Event; 2] = [Event::StopPodSandbox, Event::RemovePodSandbox];

/// Starts a pod with a container, and ends both, up to and including an event.
async fn ended(live: &Live, sample: &Sample, last: Event) -> Judged {
    for event in START.into_iter().chain(END) {
        live.given(event, sample).await?;
        if event == last {
            break;
        }
    }
    Ok(())
}

async fn stop_twice(bench: &Bench) -> Judged {
    let times = ["a second time", "a third time"];
    again(bench, Event::StopPodSandbox, &times).await
}

async fn remove_twice(bench: &Bench) -> Judged {
    again(bench, Event::RemovePodSandbox, &["a second time"]).await
}

/// Sends the life of a pod up to an event, and then the same event again.
async fn again(bench: &Bench, event: Event, times: &[&str]) -> Judged {
    let live = bench.serving().await?;
    live.requires(&[event])?;
    let sample = bench.sample();
    ended(&live, &sample, event).await?;
    for time in times {
        live.expect(event, &sample, time).await?;
    }
    Ok(())
}

async fn from_synchronize(bench: &Bench) -> Judged {
    let sample = bench.sample();
    let state = SynchronizeRequest {
        pods: vec![sample.pod.clone()],
        containers: vec![sample.container.clone()],
        more: false,
    };
    let (instance, session) = bench.registered().await?;
    let live = bench.begin_with(instance, session, &state).await?;
    let what = "for what it knows only from Synchronize";
    ends(bench, &live, || sample.clone(), what).await
}

async fn never_seen(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    let what = "for what it has never seen";
    ends(bench, &live, || bench.sample(), what).await
}

/// Sends the events at the end of a pod's life, each about the next sample. Skips the test if an
/// event that fails also fails for an ordinary pod.
async fn ends(bench: &Bench, live: &Live, sample: impl Fn() -> Sample, what: &str) -> Judged {
    live.requires(&END)?;
    for event in END {
        let judged = live.expect(event, &sample(), what).await;
        if matches!(judged, Err(Verdict::Fail(_))) {
            ended(&bench.serving().await?, &bench.sample(), event).await?;
        }
        judged?;
    }
    Ok(())
}

async fn retry(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    live.requires(&[Event::RunPodSandbox])?;
    let mut world = bench.world();
    for ended in [&[][..], &END_POD[1..], &END_POD] {
        let sample = world.sample();
        live.given(Event::RunPodSandbox, &sample).await?;
        // The request has failed for another reason. Runtimes differ in whether they stop and
        // remove the sandbox.
        for event in ended {
            live.given(*event, &sample).await?;
        }
        let again = Sample { pod: world.retry(&sample.pod), ..sample };
        let what = "for the same pod in a new sandbox, after a failure elsewhere";
        live.expect(Event::RunPodSandbox, &again, what).await?;
    }
    Ok(())
}

async fn any_order(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    live.requires(&[Event::RemovePodSandbox])?;
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

async fn infrastructure(bench: &Bench) -> Judged {
    let live = bench.serving().await?;
    live.requires(&[Event::RemovePodSandbox])?;
    let folder = tempfile::tempdir()
        .map_err(|error| Verdict::Skip(format!("cannot create a folder: {error}")))?;
    let namespace = folder.path().join("netns");
    let unwritten = |error| Verdict::Skip(format!("cannot write a file: {error}"));
    for gone in [false, true] {
        let mut sample = bench.sample();
        sample.pod = with_network(sample.pod, &namespace);
        fs::write(&namespace, "stands for a network namespace").map_err(unwritten)?;
        live.given(Event::RunPodSandbox, &sample).await?;
        live.given(Event::StopPodSandbox, &sample).await?;
        if gone {
            let _ = fs::remove_file(&namespace);
            let what = "after the runtime has removed the network namespace";
            live.expect(Event::RemovePodSandbox, &sample, what).await?;
        } else {
            let before = opened_long_ago(&namespace).map_err(unwritten)?;
            live.given(Event::RemovePodSandbox, &sample).await?;
            untouched(&before, &namespace)?;
        }
    }
    Ok(())
}

fn with_network(mut pod: PodSandbox, path: &Path) -> PodSandbox {
    let namespaces = pod.linux.iter_mut().flat_map(|linux| &mut linux.namespaces);
    for network in namespaces.filter(|namespace| namespace.r#type == "network") {
        network.path = path.display().to_string();
    }
    pod
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
    let times = |it: &Metadata| (it.ino(), it.len(), it.mtime(), it.ctime());
    let got = match fs::metadata(path) {
        Err(_) => "the file was deleted",
        Ok(after) if times(before) != times(&after) => "the file was changed",
        Ok(after) if before.atime() != after.atime() => "the file was opened and read",
        Ok(_) => return Ok(()),
    };
    fail(sent, got, expected)
}
