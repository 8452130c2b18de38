//! Pods and containers like those that a runtime sends.

use std::path::Path;

use nri::api::{
    Container, ContainerState, LinuxContainer, LinuxCpu, LinuxMemory, LinuxNamespace,
    LinuxPodSandbox, LinuxResources, Mount, OptionalInt64, OptionalUInt64, PodSandbox,
};

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
        let id = self.id(number);
        let cgroup = format!("/kubepods/burstable/pod{number}");
        PodSandbox {
            name: format!("pod-{:x}-{number}", self.seed),
            uid: self.uid(number),
            namespace: "conformance".to_owned(),
            labels: [("app".to_owned(), "conformance".to_owned())].into(),
            annotations: [("conformance/pod".to_owned(), number.to_string())].into(),
            linux: Some(LinuxPodSandbox {
                cgroup_parent: cgroup.clone(),
                cgroups_path: format!("{cgroup}/{id}"),
                namespaces: namespaces(Path::new("/var/run/netns/conformance")),
                resources: Some(resources()),
                pod_overhead: Some(LinuxResources::default()),
                pod_resources: Some(resources()),
            }),
            pid: 4242,
            ips: vec!["10.88.0.7".to_owned()],
            id,
            ..PodSandbox::default()
        }
    }

    /// Creates the next sandbox of the same pod, like a runtime that retries.
    pub fn retry(&mut self, pod: &PodSandbox) -> PodSandbox {
        self.pods += 1;
        PodSandbox {
            id: self.id(self.pods),
            ..pod.clone()
        }
    }

    /// Creates a container in a pod.
    pub fn container(&mut self, pod: &PodSandbox) -> Container {
        self.containers += 1;
        let number = self.containers;
        Container {
            id: self.id(number | 1 << 40),
            pod_sandbox_id: pod.id.clone(),
            name: format!("container-{number}"),
            state: ContainerState::ContainerCreated.into(),
            labels: [("app".to_owned(), "conformance".to_owned())].into(),
            args: vec!["sleep".to_owned(), "infinity".to_owned()],
            env: vec!["PATH=/usr/bin:/bin".to_owned()],
            mounts: vec![Mount {
                destination: "/proc".to_owned(),
                r#type: "proc".to_owned(),
                source: "proc".to_owned(),
                options: vec!["nosuid".to_owned()],
            }],
            linux: Some(LinuxContainer {
                namespaces: namespaces(Path::new("/var/run/netns/conformance")),
                resources: Some(resources()),
                ..LinuxContainer::default()
            }),
            pid: 4343,
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

fn namespaces(network: &Path) -> Vec<LinuxNamespace> {
    let network = network.display().to_string();
    [("ipc", ""), ("uts", ""), ("network", &*network)]
        .map(|(kind, path)| LinuxNamespace {
            r#type: kind.to_owned(),
            path: path.to_owned(),
        })
        .into()
}

fn resources() -> LinuxResources {
    LinuxResources {
        cpu: Some(LinuxCpu {
            shares: Some(OptionalUInt64 { value: 512 }),
            quota: Some(OptionalInt64 { value: 50_000 }),
            period: Some(OptionalUInt64 { value: 100_000 }),
            ..LinuxCpu::default()
        }),
        memory: Some(LinuxMemory {
            limit: Some(OptionalInt64 { value: 128 << 20 }),
            ..LinuxMemory::default()
        }),
        ..LinuxResources::default()
    }
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
