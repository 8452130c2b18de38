//! Pods and containers like those that containerd 2.4 or CRI-O 1.36 shows to plugins.

mod containerd;
mod crio;
mod shared;

use nri::api::{Container, ContainerState, LinuxContainer, LinuxPodSandbox, PodSandbox, User};

/// When every container was created, in nanoseconds since the Unix epoch: 2026-01-01.
const CREATED_AT: i64 = 1_767_225_600_000_000_000;

/// How long it takes to start a container, in nanoseconds.
const STARTING: i64 = 50_000_000;

/// A generator of pods and containers with unique ids.
#[derive(Clone, Debug)]
pub struct World {
    runtime: RuntimeKind,
    seed: u64,
    pods: u64,
    containers: u64,
}

/// A pod with a container.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The pod.
    pub pod: PodSandbox,
    /// The container, which runs.
    pub container: Container,
}

impl World {
    /// Creates a world of this runtime. The same seed gives the same ids.
    pub fn of(runtime: RuntimeKind, seed: u64) -> Self {
        World { runtime, seed, pods: 0, containers: 0 }
    }

    /// Creates a new pod.
    pub fn pod(&mut self) -> PodSandbox {
        self.pods += 1;
        let number = self.pods;
        let mut pod = PodSandbox {
            name: format!("pod-{:x}-{number}", self.seed),
            namespace: "conformance".to_owned(),
            linux: Some(Box::new(linux_pod())),
            pid: 4242,
            ips: vec![shared::ADDRESS.to_owned()],
            id: self.id(number),
            uid: self.uid(number),
            ..PodSandbox::default()
        };
        pod.labels = shared::labels(&pod);
        pod.annotations = shared::pod_annotations(number);
        match self.runtime {
            RuntimeKind::Containerd => containerd::pod(&mut pod),
            RuntimeKind::Crio => crio::pod(&mut pod),
        }
        pod
    }

    /// Creates a new pod with a container.
    pub fn sample(&mut self) -> Sample {
        let pod = self.pod();
        let container = self.container(&pod);
        Sample { pod, container }
    }

    /// Creates the next sandbox of the same pod, like a runtime that retries.
    pub fn retry(&mut self, pod: &PodSandbox) -> PodSandbox {
        self.pods += 1;
        PodSandbox { id: self.id(self.pods), ..pod.clone() }
    }

    /// Creates a running container in a pod.
    pub fn container(&mut self, pod: &PodSandbox) -> Container {
        self.containers += 1;
        let number = self.containers;
        let mut container = Container {
            id: self.id(number | 1 << 40),
            name: format!("container-{number}"),
            pod_sandbox_id: pod.id.clone(),
            labels: shared::labels(pod),
            annotations: shared::container_annotations(),
            state: ContainerState::ContainerRunning.into(),
            args: vec!["sleep".to_owned(), "infinity".to_owned()],
            env: vec![
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned(),
                format!("HOSTNAME={}", pod.name),
            ],
            linux: Some(Box::new(linux_container())),
            pid: 4343,
            created_at: CREATED_AT,
            started_at: CREATED_AT + STARTING,
            user: Some(User { additional_gids: vec![0], ..User::default() }),
            ..Container::default()
        };
        match self.runtime {
            RuntimeKind::Containerd => containerd::container(pod, &mut container),
            RuntimeKind::Crio => crio::container(pod, &mut container),
        }
        container
    }

    /// Returns a UUID.
    fn uid(&self, number: u64) -> String {
        let [a, b, c, d, e, f, g, h] = self.seed.to_be_bytes();
        format!("{a:02x}{b:02x}{c:02x}{d:02x}-{e:02x}{f:02x}-4{g:02x}0-8{h:02x}0-{number:012x}")
    }

    /// Returns an id of 64 hexadecimal digits.
    fn id(&self, number: u64) -> String {
        format!("{:016x}{number:048x}", self.seed)
    }
}

fn linux_pod() -> LinuxPodSandbox {
    LinuxPodSandbox {
        resources: Some(shared::pause_resources()),
        pod_overhead: Some(shared::limits(0, 0, 0, 0)),
        pod_resources: Some(shared::container_limits()),
        ..LinuxPodSandbox::default()
    }
}

fn linux_container() -> LinuxContainer {
    LinuxContainer {
        resources: Some(shared::resources()),
        oom_score_adj: Some(996),
        ..LinuxContainer::default()
    }
}

/// A runtime whose pods and containers are imitated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuntimeKind {
    /// containerd 2.4.
    #[default]
    Containerd,
    /// CRI-O 1.36.
    Crio,
}

impl RuntimeKind {
    /// Returns the kind of the runtime that reports this name in Configure. Runtimes other than
    /// CRI-O count as containerd, whose requests most plugins are written for.
    pub fn reporting(runtime_name: &str) -> Self {
        if runtime_name == Self::Crio.name() { Self::Crio } else { Self::Containerd }
    }

    /// Returns the name that the runtime reports in Configure.
    pub fn name(self) -> &'static str {
        match self {
            Self::Containerd => "containerd",
            Self::Crio => "cri-o",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RuntimeKind, World};

    #[test]
    fn a_runtime_shows_nothing_of_the_other() {
        for (runtime, other) in [
            (RuntimeKind::Containerd, ["cri-o", "containers/storage"]),
            (RuntimeKind::Crio, ["io.kubernetes.cri.", "containerd"]),
        ] {
            let mut world = World::of(runtime, 7);
            let pod = world.pod();
            let shown = format!("{pod:?} {:?}", world.container(&pod));
            for text in other {
                assert!(!shown.contains(text), "{runtime:?} shows {text}: {shown}");
            }
        }
    }

    #[test]
    fn ids_are_unique_and_repeatable() {
        let new = || World::of(RuntimeKind::default(), 7);
        let mut world = new();
        let pod = world.pod();
        let retried = world.retry(&pod);
        let container = world.container(&pod);
        assert_eq!((pod.id.len(), container.id.len()), (64, 64));
        assert!(pod.id != retried.id && pod.uid == retried.uid && container.id != pod.id);
        assert_eq!(new().pod().id, pod.id);
    }
}
