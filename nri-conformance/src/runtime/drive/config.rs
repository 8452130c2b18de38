//! The settings of pods and containers.

use std::path::Path;

use crate::runtime::cri::messages::{
    ContainerConfig, ContainerMetadata, ImageSpec, LinuxContainerConfig,
    LinuxContainerSecurityContext, LinuxPodSandboxConfig, LinuxSandboxSecurityContext,
    NamespaceMode, NamespaceOption, PodSandboxConfig, PodSandboxMetadata,
};
use crate::runtime::event::LABEL;

/// The namespace of all pods of the driver.
const NAMESPACE: &str = "nri-conformance";

/// Returns the settings of a pod with its own network.
pub(super) fn pod(name: &str, run: &str, logs: &Path, cgroup_parent: String) -> PodSandboxConfig {
    PodSandboxConfig {
        metadata: Some(PodSandboxMetadata {
            name: name.to_owned(),
            uid: format!("uid-{name}"),
            namespace: NAMESPACE.to_owned(),
            attempt: 0,
        }),
        hostname: name.to_owned(),
        log_directory: logs.join(name).to_string_lossy().into_owned(),
        labels: [(LABEL.to_owned(), run.to_owned())].into(),
        linux: Some(LinuxPodSandboxConfig {
            cgroup_parent,
            security_context: Some(LinuxSandboxSecurityContext {
                namespace_options: Some(namespaces()),
            }),
        }),
        ..PodSandboxConfig::default()
    }
}

/// Returns the settings of a container; an empty command means that of the image.
pub(super) fn container(name: &str, image: &str, command: &[String]) -> ContainerConfig {
    ContainerConfig {
        metadata: Some(ContainerMetadata {
            name: name.to_owned(),
            attempt: 0,
        }),
        image: Some(ImageSpec {
            image: image.to_owned(),
            user_specified_image: image.to_owned(),
        }),
        command: command.to_vec(),
        // CRI-O takes the name of the container from here.
        labels: [("io.kubernetes.container.name".to_owned(), name.to_owned())].into(),
        log_path: format!("{name}.log"),
        linux: Some(LinuxContainerConfig {
            security_context: Some(LinuxContainerSecurityContext {
                namespace_options: Some(namespaces()),
            }),
        }),
        ..ContainerConfig::default()
    }
}

/// Returns the default of the kubelet: containers share all namespaces except for that of processes.
fn namespaces() -> NamespaceOption {
    NamespaceOption {
        network: NamespaceMode::Pod.into(),
        pid: NamespaceMode::Container.into(),
        ipc: NamespaceMode::Pod.into(),
    }
}
