//! The requests to change the resources of a container, and to stop it.

use prost::Message;

/// The request to change the resources of a container.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct UpdateContainerResourcesRequest {
    /// The id of the container.
    #[prost(string, tag = "1")]
    pub container_id: String,
    /// The new resources.
    #[prost(message, optional, tag = "2")]
    pub linux: Option<LinuxContainerResources>,
}

/// The resources of a container on Linux, as far as the driver changes them.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct LinuxContainerResources {
    /// The weight of the container in the distribution of CPU time.
    #[prost(int64, tag = "3")]
    pub cpu_shares: i64,
}

/// The request to stop a container.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct StopContainerRequest {
    /// The id of the container.
    #[prost(string, tag = "1")]
    pub container_id: String,
    /// The time that it has to end on its own, in seconds.
    #[prost(int64, tag = "2")]
    pub timeout: i64,
}
