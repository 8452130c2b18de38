//! A client for the Container Runtime Interface, reduced to the requests of a pod's life.
//!
//! containerd and CRI-O serve the interface over gRPC on a Unix socket. The [messages] have the
//! fields that the driver sets or reads; all others are ignored when a message is decoded. Public
//! only for the runtimes in the tests of this crate.

pub mod messages;

use std::path::Path;
use std::time::Duration;

use prost::Message;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use crate::runtime::cri::messages::{
    Container, ContainerFilter, Empty, Id, List, Only, PodSandbox, PodSandboxFilter,
    PodSandboxStatus, StatusRequest, StatusResponse, VersionResponse,
};

/// The service that a runtime serves.
pub const RUNTIME_SERVICE: &str = "runtime.v1.RuntimeService";

/// A connection to a runtime's CRI socket. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Client {
    channel: Channel,
    timeout: Duration,
}

impl Client {
    /// Connects to a Unix socket. `timeout` limits each request.
    pub async fn connect(
        socket: &Path,
        timeout: Duration,
    ) -> Result<Client, tonic::transport::Error> {
        let uri = format!("unix://{}", socket.display());
        let endpoint = Endpoint::from_shared(uri)?.connect_timeout(timeout);
        let channel = endpoint.connect().await?;
        Ok(Client { channel, timeout })
    }

    /// Returns a client on the same connection with another time limit per request.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Client {
        Client { timeout, ..self.clone() }
    }

    /// Returns the name and the version of the runtime.
    pub async fn version(&self) -> Result<VersionResponse, Status> {
        self.call("Version", Empty {}).await
    }

    /// Returns the conditions of the runtime, and what it adds for debugging.
    pub async fn status(&self) -> Result<StatusResponse, Status> {
        self.call("Status", StatusRequest { verbose: true }).await
    }

    /// Returns the status of a pod sandbox.
    pub async fn pod_status(&self, pod: &str) -> Result<PodSandboxStatus, Status> {
        let answer: Only<_> = self.call("PodSandboxStatus", Id::new(pod)).await?;
        Ok(answer.message.unwrap_or_default())
    }

    /// Returns the pod sandboxes that match a filter.
    pub async fn pods(&self, filter: PodSandboxFilter) -> Result<Vec<PodSandbox>, Status> {
        let request = Only { message: Some(filter) };
        let answer: List<_> = self.call("ListPodSandbox", request).await?;
        Ok(answer.items)
    }

    /// Returns the containers of a pod.
    pub async fn containers(&self, pod: &str) -> Result<Vec<Container>, Status> {
        let filter = ContainerFilter { pod_sandbox_id: pod.to_owned() };
        let request = Only { message: Some(filter) };
        let answer: List<Container> = self.call("ListContainers", request).await?;
        let mut containers = answer.items;
        containers.retain(|container| container.pod_sandbox_id == pod);
        Ok(containers)
    }

    /// Calls a method, such as `RunPodSandbox`.
    pub async fn call<Q, A>(&self, method: &str, message: Q) -> Result<A, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let path = PathAndQuery::try_from(format!("/{RUNTIME_SERVICE}/{method}"))
            .map_err(|error| Status::internal(error.to_string()))?;
        let mut request = Request::new(message);
        request.set_timeout(self.timeout);
        let call = async {
            let mut grpc = Grpc::new(self.channel.clone());
            grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
            grpc.unary(request, path, ProstCodec::<Q, A>::default()).await
        };
        // A runtime may ignore the deadline of the request.
        let late = || Status::deadline_exceeded(format!("no answer within {:?}", self.timeout));
        let answer = tokio::time::timeout(self.timeout, call).await.map_err(|_| late())??;
        Ok(answer.into_inner())
    }
}
