//! The request to change the resources of a container.

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
