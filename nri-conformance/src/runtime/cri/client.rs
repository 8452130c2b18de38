//! The client: one method per request.

use std::path::Path;
use std::time::Duration;

use prost::Message;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use super::RUNTIME_SERVICE;
use super::messages::{
    CgroupDriver, Container, ContainerFilter, ContainerId, CreateContainerRequest, Empty,
    LinuxContainerResources, ListContainersRequest, ListContainersResponse, ListPodSandboxRequest,
    ListPodSandboxResponse, PodSandbox, PodSandboxConfig, PodSandboxFilter, PodSandboxId,
    PodSandboxStatus, PodSandboxStatusResponse, RunPodSandboxRequest, RuntimeConfigResponse,
    StopContainerRequest, UpdateContainerResourcesRequest, VersionRequest, VersionResponse,
};

/// A connection to a runtime's CRI socket. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Client {
    channel: Channel,
    timeout: Duration,
}

impl Client {
    /// Connects to a Unix socket. `timeout` limits each request.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing listens on the socket.
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
        Client {
            channel: self.channel.clone(),
            timeout,
        }
    }

    /// Returns the name and version of the runtime.
    ///
    /// # Errors
    ///
    /// Returns the error of the runtime, or of the connection to it; so do all other methods.
    pub async fn version(&self) -> Result<VersionResponse, Status> {
        self.call("Version", VersionRequest::default()).await
    }

    /// Returns the manager of cgroups, which determines how they are named.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version). Runtimes before containerd 2.0 and CRI-O 1.28 do not implement the request.
    pub async fn cgroup_driver(&self) -> Result<CgroupDriver, Status> {
        let answer: RuntimeConfigResponse = self.call("RuntimeConfig", Empty {}).await?;
        Ok(answer.linux.unwrap_or_default().cgroup_driver())
    }

    /// Runs a pod sandbox, and returns its id.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn run_pod(&self, config: PodSandboxConfig) -> Result<String, Status> {
        let request = RunPodSandboxRequest {
            config: Some(config),
            runtime_handler: String::new(),
        };
        let answer: PodSandboxId = self.call("RunPodSandbox", request).await?;
        Ok(answer.pod_sandbox_id)
    }

    /// Stops a pod sandbox.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn stop_pod(&self, pod: &str) -> Result<(), Status> {
        let Empty {} = self.call("StopPodSandbox", pod_id(pod)).await?;
        Ok(())
    }

    /// Removes a pod sandbox.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn remove_pod(&self, pod: &str) -> Result<(), Status> {
        let Empty {} = self.call("RemovePodSandbox", pod_id(pod)).await?;
        Ok(())
    }

    /// Returns the status of a pod sandbox.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn pod_status(&self, pod: &str) -> Result<PodSandboxStatus, Status> {
        let answer: PodSandboxStatusResponse = self.call("PodSandboxStatus", pod_id(pod)).await?;
        Ok(answer.status.unwrap_or_default())
    }

    /// Returns the pod sandboxes that match a filter.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn pods(&self, filter: PodSandboxFilter) -> Result<Vec<PodSandbox>, Status> {
        let request = ListPodSandboxRequest {
            filter: Some(filter),
        };
        let answer: ListPodSandboxResponse = self.call("ListPodSandbox", request).await?;
        Ok(answer.items)
    }

    /// Creates a container, and returns its id.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn create_container(
        &self,
        request: CreateContainerRequest,
    ) -> Result<String, Status> {
        let answer: ContainerId = self.call("CreateContainer", request).await?;
        Ok(answer.container_id)
    }

    /// Starts a container.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn start_container(&self, container: &str) -> Result<(), Status> {
        let Empty {} = self.call("StartContainer", container_id(container)).await?;
        Ok(())
    }

    /// Changes the weight of a container in the distribution of CPU time.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn update_container(&self, container: &str, cpu_shares: i64) -> Result<(), Status> {
        let request = UpdateContainerResourcesRequest {
            container_id: container.to_owned(),
            linux: Some(LinuxContainerResources { cpu_shares }),
        };
        let Empty {} = self.call("UpdateContainerResources", request).await?;
        Ok(())
    }

    /// Stops a container, and kills it if it has not ended after `grace`, in whole seconds.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn stop_container(&self, container: &str, grace: Duration) -> Result<(), Status> {
        let request = StopContainerRequest {
            container_id: container.to_owned(),
            timeout: i64::try_from(grace.as_secs()).unwrap_or(i64::MAX),
        };
        let Empty {} = self.call("StopContainer", request).await?;
        Ok(())
    }

    /// Removes a container.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn remove_container(&self, container: &str) -> Result<(), Status> {
        let Empty {} = self
            .call("RemoveContainer", container_id(container))
            .await?;
        Ok(())
    }

    /// Returns the containers that match a filter.
    ///
    /// # Errors
    ///
    /// See [`version`](Self::version).
    pub async fn containers(&self, filter: ContainerFilter) -> Result<Vec<Container>, Status> {
        let request = ListContainersRequest {
            filter: Some(filter),
        };
        let answer: ListContainersResponse = self.call("ListContainers", request).await?;
        Ok(answer.containers)
    }

    async fn call<Q, A>(&self, method: &str, message: Q) -> Result<A, Status>
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
            grpc.ready()
                .await
                .map_err(|error| Status::unavailable(error.to_string()))?;
            grpc.unary(request, path, ProstCodec::<Q, A>::default())
                .await
        };
        // A runtime may ignore the deadline of the request.
        let late = || Status::deadline_exceeded(format!("no answer within {:?}", self.timeout));
        let answer = tokio::time::timeout(self.timeout, call)
            .await
            .map_err(|_| late())??;
        Ok(answer.into_inner())
    }
}

fn pod_id(pod: &str) -> PodSandboxId {
    PodSandboxId {
        pod_sandbox_id: pod.to_owned(),
    }
}

fn container_id(container: &str) -> ContainerId {
    ContainerId {
        container_id: container.to_owned(),
    }
}
