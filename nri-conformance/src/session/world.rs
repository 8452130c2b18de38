//! Pods and containers like those that containerd 2.4 and CRI-O 1.36 show to plugins.

mod image;
mod metadata;
mod spec;

use nri::api::{
    Container, ContainerState, LinuxContainer, LinuxPodSandbox, LinuxResources, OptionalInt,
    PodSandbox, User,
};

/// The network namespace of every pod.
const NETWORK: &str = "/var/run/netns/conformance";

/// When every container was created, in nanoseconds since the Unix epoch: 2026-01-01.
const CREATED_AT: i64 = 1_767_225_600_000_000_000;

/// How long it takes to start a container, in nanoseconds.
const STARTING: i64 = 50_000_000;

/// A generator of pods and containers with unique ids.
#[derive(Clone, Debug)]
pub struct World {
    seed: u64,
    pods: u64,
    containers: u64,
}

impl World {
    /// Creates a world. The same seed gives the same ids.
    pub fn new(seed: u64) -> Self {
        World {
            seed,
            pods: 0,
            containers: 0,
        }
    }

    /// Creates a new pod.
    pub fn pod(&mut self) -> PodSandbox {
        self.pods += 1;
        let number = self.pods;
        let (id, uid) = (self.id(number), self.uid(number));
        let mut pod = PodSandbox {
            name: format!("pod-{:x}-{number}", self.seed),
            namespace: "conformance".to_owned(),
            linux: Some(linux_pod(&id, &uid)),
            pid: 4242,
            ips: vec!["10.88.0.7".to_owned()],
            id,
            uid,
            ..PodSandbox::default()
        };
        pod.labels = metadata::pod_labels(&pod);
        pod.annotations = metadata::pod_annotations(&pod, number);
        pod
    }

    /// Creates the next sandbox of the same pod, like a runtime that retries.
    pub fn retry(&mut self, pod: &PodSandbox) -> PodSandbox {
        self.pods += 1;
        PodSandbox {
            id: self.id(self.pods),
            ..pod.clone()
        }
    }

    /// Creates a running container in a pod.
    pub fn container(&mut self, pod: &PodSandbox) -> Container {
        self.containers += 1;
        let number = self.containers;
        let id = self.id(number | 1 << 40);
        let name = format!("container-{number}");
        Container {
            pod_sandbox_id: pod.id.clone(),
            state: ContainerState::ContainerRunning.into(),
            labels: metadata::container_labels(pod, &name),
            annotations: metadata::container_annotations(pod, &id, &name),
            args: vec!["sleep".to_owned(), "infinity".to_owned()],
            env: vec![
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned(),
                format!("HOSTNAME={}", pod.name),
            ],
            mounts: spec::mounts(pod),
            linux: Some(linux_container(pod, &id)),
            pid: 4343,
            created_at: CREATED_AT,
            started_at: CREATED_AT + STARTING,
            user: Some(User {
                additional_gids: vec![0],
                ..User::default()
            }),
            image: Some(image::image()),
            id,
            name,
            ..Container::default()
        }
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

fn linux_pod(id: &str, uid: &str) -> LinuxPodSandbox {
    let cgroup_parent = cgroup_of_pod(uid);
    LinuxPodSandbox {
        cgroups_path: format!("{cgroup_parent}/{id}"),
        cgroup_parent,
        namespaces: spec::pod_namespaces(NETWORK),
        resources: Some(spec::resources()),
        pod_overhead: Some(LinuxResources::default()),
        pod_resources: Some(spec::limits()),
    }
}

fn linux_container(pod: &PodSandbox, id: &str) -> LinuxContainer {
    LinuxContainer {
        namespaces: spec::container_namespaces(pod, NETWORK),
        resources: Some(spec::resources()),
        oom_score_adj: Some(OptionalInt { value: 996 }),
        cgroups_path: format!("{}/{id}", cgroup_of_pod(&pod.uid)),
        ..LinuxContainer::default()
    }
}

/// Returns the cgroup that the kubelet creates for a burstable pod.
fn cgroup_of_pod(uid: &str) -> String {
    format!("/kubepods/burstable/pod{uid}")
}

#[cfg(test)]
mod tests {
    use super::World;

    #[test]
    fn ids_are_unique_and_repeatable() {
        let mut world = World::new(7);
        let pod = world.pod();
        let retried = world.retry(&pod);
        let container = world.container(&pod);
        assert_eq!((pod.id.len(), container.id.len()), (64, 64));
        assert!(pod.id != retried.id && pod.uid == retried.uid && container.id != pod.id);
        assert_eq!(World::new(7).pod().id, pod.id);
    }
}
