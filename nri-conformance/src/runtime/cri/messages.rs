//! The messages, compatible on the wire with `runtime.v1` of Kubernetes 1.23 and later.

mod changes;

use std::collections::HashMap;

use prost::{Enumeration, Message};

pub use changes::{LinuxContainerResources, StopContainerRequest, UpdateContainerResourcesRequest};

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
    /// Shared with the node.
    Node = 2,
}

/// The request for the names and versions of the runtime.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct VersionRequest {
    /// The version of the kubelet's interface; runtimes ignore it.
    #[prost(string, tag = "1")]
    pub version: String,
}

/// The names and versions of the runtime.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct VersionResponse {
    /// The name, such as `containerd`.
    #[prost(string, tag = "2")]
    pub runtime_name: String,
    /// The version, such as `v2.4.2`.
    #[prost(string, tag = "3")]
    pub runtime_version: String,
}

/// The name that identifies a pod, and the attempt to create it.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PodSandboxMetadata {
    /// The name of the pod.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The unique id that the pod has in Kubernetes.
    #[prost(string, tag = "2")]
    pub uid: String,
    /// The namespace in Kubernetes.
    #[prost(string, tag = "3")]
    pub namespace: String,
    /// The number of earlier attempts.
    #[prost(uint32, tag = "4")]
    pub attempt: u32,
}

/// The modes of the namespaces of a pod or container.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct NamespaceOption {
    /// The mode of the network namespace.
    #[prost(enumeration = "NamespaceMode", tag = "1")]
    pub network: i32,
    /// The mode of the PID namespace.
    #[prost(enumeration = "NamespaceMode", tag = "2")]
    pub pid: i32,
    /// The mode of the IPC namespace.
    #[prost(enumeration = "NamespaceMode", tag = "3")]
    pub ipc: i32,
}

/// The security settings of a pod.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct LinuxSandboxSecurityContext {
    /// The modes of its namespaces.
    #[prost(message, optional, tag = "1")]
    pub namespace_options: Option<NamespaceOption>,
}

/// The settings of a pod that apply to Linux.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct LinuxPodSandboxConfig {
    /// The cgroup of the pod, which the kubelet creates.
    #[prost(string, tag = "1")]
    pub cgroup_parent: String,
    /// The security settings.
    #[prost(message, optional, tag = "2")]
    pub security_context: Option<LinuxSandboxSecurityContext>,
}

/// The settings of a pod.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PodSandboxConfig {
    /// The name.
    #[prost(message, optional, tag = "1")]
    pub metadata: Option<PodSandboxMetadata>,
    /// The name that the pod sees as its host name.
    #[prost(string, tag = "2")]
    pub hostname: String,
    /// The folder of the logs of its containers.
    #[prost(string, tag = "3")]
    pub log_directory: String,
    /// Labels of the Kubernetes object, by key.
    #[prost(map = "string, string", tag = "6")]
    pub labels: HashMap<String, String>,
    /// Annotations of the Kubernetes object, by key.
    #[prost(map = "string, string", tag = "7")]
    pub annotations: HashMap<String, String>,
    /// The settings that apply to Linux.
    #[prost(message, optional, tag = "8")]
    pub linux: Option<LinuxPodSandboxConfig>,
}

/// The request to create and start a pod sandbox.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct RunPodSandboxRequest {
    /// The settings of the pod.
    #[prost(message, optional, tag = "1")]
    pub config: Option<PodSandboxConfig>,
    /// The runtime class handler; empty for the default.
    #[prost(string, tag = "2")]
    pub runtime_handler: String,
}

/// A pod sandbox by its id: the only field of several requests and responses.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PodSandboxId {
    /// The id of the sandbox.
    #[prost(string, tag = "1")]
    pub pod_sandbox_id: String,
}

/// A response without content.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Empty {}

/// The addresses of a pod.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PodSandboxNetworkStatus {
    /// The primary address; empty on the network of the node.
    #[prost(string, tag = "1")]
    pub ip: String,
}

/// The status of a pod sandbox.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PodSandboxStatus {
    /// The id of the sandbox.
    #[prost(string, tag = "1")]
    pub id: String,
    /// The number of the state in CRI's enum.
    #[prost(enumeration = "PodSandboxState", tag = "3")]
    pub state: i32,
    /// The addresses.
    #[prost(message, optional, tag = "5")]
    pub network: Option<PodSandboxNetworkStatus>,
}

/// The response to `PodSandboxStatus`.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PodSandboxStatusResponse {
    /// The status.
    #[prost(message, optional, tag = "1")]
    pub status: Option<PodSandboxStatus>,
}

/// A filter of pod sandboxes.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PodSandboxFilter {
    /// The id of the sandbox; empty for any.
    #[prost(string, tag = "1")]
    pub id: String,
    /// The labels that a sandbox must have.
    #[prost(map = "string, string", tag = "3")]
    pub label_selector: HashMap<String, String>,
}

/// The request for a list of pod sandboxes.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ListPodSandboxRequest {
    /// The sandboxes to list.
    #[prost(message, optional, tag = "1")]
    pub filter: Option<PodSandboxFilter>,
}

/// A pod sandbox in a list.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PodSandbox {
    /// The id of the sandbox.
    #[prost(string, tag = "1")]
    pub id: String,
    /// The name.
    #[prost(message, optional, tag = "2")]
    pub metadata: Option<PodSandboxMetadata>,
    /// The number of the state in CRI's enum.
    #[prost(enumeration = "PodSandboxState", tag = "3")]
    pub state: i32,
    /// Labels of the Kubernetes object, by key.
    #[prost(map = "string, string", tag = "5")]
    pub labels: HashMap<String, String>,
}

/// A list of pod sandboxes.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ListPodSandboxResponse {
    /// The sandboxes.
    #[prost(message, repeated, tag = "1")]
    pub items: Vec<PodSandbox>,
}

/// An image by its name.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ImageSpec {
    /// The name, such as `registry.k8s.io/pause:3.10`, or the id.
    #[prost(string, tag = "1")]
    pub image: String,
    /// The name in the spec of the pod. CRI-O creates no container without it.
    #[prost(string, tag = "18")]
    pub user_specified_image: String,
}

/// The name of a container, and the attempt to create it.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ContainerMetadata {
    /// The name, unique in its pod.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The number of earlier attempts.
    #[prost(uint32, tag = "2")]
    pub attempt: u32,
}

/// The security settings of a container.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct LinuxContainerSecurityContext {
    /// The modes of its namespaces.
    #[prost(message, optional, tag = "3")]
    pub namespace_options: Option<NamespaceOption>,
}

/// The settings of a container that apply to Linux.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct LinuxContainerConfig {
    /// The security settings.
    #[prost(message, optional, tag = "2")]
    pub security_context: Option<LinuxContainerSecurityContext>,
}

/// The settings of a container.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ContainerConfig {
    /// The name.
    #[prost(message, optional, tag = "1")]
    pub metadata: Option<ContainerMetadata>,
    /// The image.
    #[prost(message, optional, tag = "2")]
    pub image: Option<ImageSpec>,
    /// The command; empty for that of the image.
    #[prost(string, repeated, tag = "3")]
    pub command: Vec<String>,
    /// The arguments of the command.
    #[prost(string, repeated, tag = "4")]
    pub args: Vec<String>,
    /// Labels of the Kubernetes object, by key.
    #[prost(map = "string, string", tag = "9")]
    pub labels: HashMap<String, String>,
    /// Annotations of the Kubernetes object, by key.
    #[prost(map = "string, string", tag = "10")]
    pub annotations: HashMap<String, String>,
    /// The log file, below the log folder of the pod.
    #[prost(string, tag = "11")]
    pub log_path: String,
    /// The settings that apply to Linux.
    #[prost(message, optional, tag = "15")]
    pub linux: Option<LinuxContainerConfig>,
}

/// The request to create a container.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct CreateContainerRequest {
    /// The id of the sandbox.
    #[prost(string, tag = "1")]
    pub pod_sandbox_id: String,
    /// The settings of the container.
    #[prost(message, optional, tag = "2")]
    pub config: Option<ContainerConfig>,
    /// The settings of its pod, as given when the pod was created.
    #[prost(message, optional, tag = "3")]
    pub sandbox_config: Option<PodSandboxConfig>,
}

/// A container by its id: the only field of several requests and responses.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ContainerId {
    /// The id of the container.
    #[prost(string, tag = "1")]
    pub container_id: String,
}

/// A filter of containers.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ContainerFilter {
    /// The id of the container; empty for any.
    #[prost(string, tag = "1")]
    pub id: String,
    /// The id of the sandbox; empty for any.
    #[prost(string, tag = "3")]
    pub pod_sandbox_id: String,
}

/// The request for a list of containers.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ListContainersRequest {
    /// The containers to list.
    #[prost(message, optional, tag = "1")]
    pub filter: Option<ContainerFilter>,
}

/// A container in a list.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Container {
    /// The id of the container.
    #[prost(string, tag = "1")]
    pub id: String,
    /// The id of its sandbox.
    #[prost(string, tag = "2")]
    pub pod_sandbox_id: String,
    /// The name.
    #[prost(message, optional, tag = "3")]
    pub metadata: Option<ContainerMetadata>,
    /// The number of the state in CRI's enum.
    #[prost(enumeration = "ContainerState", tag = "6")]
    pub state: i32,
}

/// A list of containers.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ListContainersResponse {
    /// The containers.
    #[prost(message, repeated, tag = "1")]
    pub containers: Vec<Container>,
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

/// The settings of a runtime that apply to Linux.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct LinuxRuntimeConfiguration {
    /// The manager of cgroups.
    #[prost(enumeration = "CgroupDriver", tag = "1")]
    pub cgroup_driver: i32,
}

/// The response to `RuntimeConfig`.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct RuntimeConfigResponse {
    /// The settings that apply to Linux.
    #[prost(message, optional, tag = "1")]
    pub linux: Option<LinuxRuntimeConfiguration>,
}
