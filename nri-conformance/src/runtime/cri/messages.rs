//! The messages, compatible on the wire with `runtime.v1` of Kubernetes 1.23 and later. Their names
//! and those of their fields are explained there.

use std::collections::HashMap;
use std::fmt::Debug;

use prost::{Enumeration, Message};

/// The state of a pod sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum PodSandboxState {
    /// Ready to run containers.
    Ready = 0,
    /// Stopped, or not set up yet.
    NotReady = 1,
}

/// The state of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum ContainerState {
    /// Created, not started.
    Created = 0,
    /// Running.
    Running = 1,
    /// Ended.
    Exited = 2,
    /// Unknown to the runtime.
    Unknown = 3,
}

/// The namespaces that a pod shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum NamespaceMode {
    /// Shared by the containers of the pod.
    Pod = 0,
    /// Private to each container.
    Container = 1,
}

/// The manager of the cgroups of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum CgroupDriver {
    /// systemd: cgroups are named as slices and scopes.
    Systemd = 0,
    /// The runtime itself: cgroups are named as paths.
    Cgroupfs = 1,
}

/// Lists messages. Each field has its type, and in brackets its type on the wire, with its number.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $field:ident: $type:ty = [$($kind:tt)+] $number:tt;)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Message)]
        pub struct $name {
            $($(#[$about])* #[prost($($kind)+, tag = $number)] pub $field: $type,)*
        }
    )*};
}

messages! {
    /// The names and versions of the runtime.
    VersionResponse {
        runtime_name: String = [string] "2";
        runtime_version: String = [string] "3";
    }

    /// The request for the status of the runtime.
    StatusRequest {
        /// True to get also what the runtime adds for debugging.
        verbose: bool = [bool] "1";
    }

    /// A condition of the runtime.
    RuntimeCondition {
        /// Its name: `RuntimeReady`, `ContainerdHasNoDeprecationWarnings`, …
        kind: String = [string] "1";
        /// True if it holds.
        status: bool = [bool] "2";
        /// A word for why it does not hold.
        reason: String = [string] "3";
        message: String = [string] "4";
    }

    /// The conditions of the runtime.
    RuntimeStatus {
        conditions: Vec<RuntimeCondition> = [message, repeated] "1";
    }

    /// The status of the runtime.
    StatusResponse {
        status: Option<RuntimeStatus> = [message, optional] "1";
        /// Information for debugging, as JSON.
        info: HashMap<String, String> = [map = "string, string"] "2";
    }

    /// The name that identifies a pod, and the attempt to create it.
    PodSandboxMetadata {
        name: String = [string] "1";
        uid: String = [string] "2";
        namespace: String = [string] "3";
        /// The number of earlier attempts.
        attempt: u32 = [uint32] "4";
    }

    /// The modes of the namespaces of a pod or container, which share the others unless they say
    /// otherwise.
    NamespaceOption {
        pid: i32 = [enumeration = "NamespaceMode"] "2";
    }

    /// The security settings of a pod.
    LinuxSandboxSecurityContext {
        namespace_options: Option<NamespaceOption> = [message, optional] "1";
    }

    /// The settings of a pod that apply to Linux.
    LinuxPodSandboxConfig {
        /// The cgroup of the pod, which the kubelet creates.
        cgroup_parent: String = [string] "1";
        security_context: Option<LinuxSandboxSecurityContext> = [message, optional] "2";
    }

    /// The settings of a pod.
    PodSandboxConfig {
        metadata: Option<PodSandboxMetadata> = [message, optional] "1";
        /// The name that the pod sees as its host name.
        hostname: String = [string] "2";
        log_directory: String = [string] "3";
        labels: HashMap<String, String> = [map = "string, string"] "6";
        linux: Option<LinuxPodSandboxConfig> = [message, optional] "8";
    }

    /// A pod sandbox or a container by its id: the only field of several requests and responses.
    Id {
        id: String = [string] "1";
    }

    /// A response without content.
    Empty {}

    /// The status of a pod sandbox.
    PodSandboxStatus {
        state: i32 = [enumeration = "PodSandboxState"] "3";
    }

    /// A filter of pod sandboxes.
    PodSandboxFilter {
        /// The id of the sandbox; empty for any.
        id: String = [string] "1";
        /// The labels that a sandbox must have.
        label_selector: HashMap<String, String> = [map = "string, string"] "3";
    }

    /// A pod sandbox in a list.
    PodSandbox {
        id: String = [string] "1";
        metadata: Option<PodSandboxMetadata> = [message, optional] "2";
        state: i32 = [enumeration = "PodSandboxState"] "3";
    }

    /// An image by its name.
    ImageSpec {
        /// The name, such as `registry.k8s.io/pause:3.10`, or the id.
        image: String = [string] "1";
        /// The name in the spec of the pod. CRI-O creates no container without it.
        user_specified_image: String = [string] "18";
    }

    /// The name of a container.
    ContainerMetadata {
        name: String = [string] "1";
    }

    /// The security settings of a container.
    LinuxContainerSecurityContext {
        namespace_options: Option<NamespaceOption> = [message, optional] "3";
    }

    /// The settings of a container that apply to Linux.
    LinuxContainerConfig {
        security_context: Option<LinuxContainerSecurityContext> = [message, optional] "2";
    }

    /// The settings of a container.
    ContainerConfig {
        metadata: Option<ContainerMetadata> = [message, optional] "1";
        image: Option<ImageSpec> = [message, optional] "2";
        /// The command; empty for that of the image.
        command: Vec<String> = [string, repeated] "3";
        labels: HashMap<String, String> = [map = "string, string"] "9";
        /// The log file, below the log folder of the pod.
        log_path: String = [string] "11";
        linux: Option<LinuxContainerConfig> = [message, optional] "15";
    }

    /// The request to create a container.
    CreateContainerRequest {
        pod_sandbox_id: String = [string] "1";
        config: Option<ContainerConfig> = [message, optional] "2";
        sandbox_config: Option<PodSandboxConfig> = [message, optional] "3";
    }

    /// A filter of containers.
    ContainerFilter {
        /// The id of the sandbox; empty for any.
        pod_sandbox_id: String = [string] "3";
    }

    /// A container in a list.
    Container {
        id: String = [string] "1";
        pod_sandbox_id: String = [string] "2";
        state: i32 = [enumeration = "ContainerState"] "6";
    }

    /// The settings of a runtime that apply to Linux.
    LinuxRuntimeConfiguration {
        cgroup_driver: i32 = [enumeration = "CgroupDriver"] "1";
    }

    /// The request to change the resources of a container.
    UpdateContainerResourcesRequest {
        container_id: String = [string] "1";
        linux: Option<LinuxContainerResources> = [message, optional] "2";
    }

    /// The resources of a container on Linux, as far as the driver changes them.
    LinuxContainerResources {
        /// The weight of the container in the distribution of CPU time.
        cpu_shares: i64 = [int64] "3";
    }

    /// The request to stop a container.
    StopContainerRequest {
        container_id: String = [string] "1";
        /// The time that it has to end on its own, in seconds.
        timeout: i64 = [int64] "2";
    }
}

/// A request or response whose only field is another message: settings, a filter or a status.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Only<T: Message + Default + Debug> {
    #[prost(message, optional, tag = "1")]
    pub message: Option<T>,
}

/// A response that lists messages.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct List<T: Message + Default + Debug> {
    #[prost(message, repeated, tag = "1")]
    pub items: Vec<T>,
}

impl Id {
    /// Returns the message with this id.
    pub fn new(id: &str) -> Id {
        Id { id: id.to_owned() }
    }
}
