//! The CRI service of the runtime.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use nri_conformance::runtime::cri::messages as cri;
use prost::Message;

use crate::grpc::{Answer, Service};
use crate::sim::{Pod, Reply, Sim};

impl Sim {
    fn pods(&self) -> Vec<cri::PodSandbox> {
        let world = self.world();
        world
            .pods
            .iter()
            .filter(|(_, pod)| pod.listed)
            .map(|(id, pod)| cri::PodSandbox {
                id: id.clone(),
                metadata: pod.config.metadata.clone(),
                state: state(pod).into(),
            })
            .collect()
    }

    fn status(&self, id: &str) -> Reply<cri::PodSandboxStatus> {
        let world = self.world();
        let pod = world
            .pods
            .get(id)
            .filter(|pod| pod.listed && pod.known)
            .ok_or_else(|| format!("no pod {id}"))?;
        Ok(cri::PodSandboxStatus { state: state(pod).into() })
    }

    fn containers(&self, filter: cri::ContainerFilter) -> Vec<cri::Container> {
        if !filter.pod_sandbox_id.is_empty() {
            self.looked.notify_waiters();
        }
        let world = self.world();
        world
            .containers
            .values()
            .filter(|container| {
                let event = &container.event;
                filter.pod_sandbox_id.is_empty() || filter.pod_sandbox_id == event.pod_sandbox_id
            })
            .map(|container| cri::Container {
                id: container.event.id.clone(),
                pod_sandbox_id: container.event.pod_sandbox_id.clone(),
                state: container.state.into(),
            })
            .collect()
    }

    async fn answer(self: Arc<Self>, method: &str, request: Bytes) -> Reply<Vec<u8>> {
        let id_in = |message| Ok::<_, String>(read::<cri::Id>(message)?.id);
        match method {
            "Version" => Ok(cri::VersionResponse {
                runtime_name: "simulation".to_owned(),
                runtime_version: "1.0.0".to_owned(),
            }
            .encode_to_vec()),
            "RuntimeConfig" => Ok(cri::Only {
                message: Some(cri::LinuxRuntimeConfiguration {
                    cgroup_driver: cri::CgroupDriver::Cgroupfs.into(),
                }),
            }
            .encode_to_vec()),
            "RunPodSandbox" => {
                let config = read::<cri::Only<_>>(request)?.message;
                let id = self.run_pod(config.unwrap_or_default()).await?;
                Ok(cri::Id { id }.encode_to_vec())
            }
            "StopPodSandbox" => empty(self.stop_pod(id_in(request)?).await),
            "RemovePodSandbox" => empty(self.remove_pod(id_in(request)?).await),
            "PodSandboxStatus" => {
                Ok(cri::Only { message: Some(self.status(&id_in(request)?)?) }.encode_to_vec())
            }
            "ListPodSandbox" => Ok(cri::List { items: self.pods() }.encode_to_vec()),
            "CreateContainer" => {
                let id = self.create(read(request)?).await?;
                Ok(cri::Id { id }.encode_to_vec())
            }
            "StartContainer" => empty(self.start_container(&id_in(request)?).await),
            "UpdateContainerResources" => {
                let request = read::<cri::UpdateContainerResourcesRequest>(request)?;
                empty(self.update(&request.container_id).await)
            }
            "StopContainer" => {
                let request = read::<cri::StopContainerRequest>(request)?;
                empty(self.stop(&request.container_id).await)
            }
            "RemoveContainer" => empty(self.remove(&id_in(request)?).await),
            "ListContainers" => {
                let filter = read::<cri::Only<_>>(request)?.message;
                let containers = self.containers(filter.unwrap_or_default());
                Ok(cri::List { items: containers }.encode_to_vec())
            }
            other => Err(format!("unknown method {other}")),
        }
    }
}

impl Service for Sim {
    fn call(
        self: Arc<Self>,
        method: String,
        request: Bytes,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        // An unknown error, as returned by runtimes for internal failures.
        Box::pin(async move { self.answer(&method, request).await.map_err(|error| (2, error)) })
    }
}

fn state(pod: &Pod) -> cri::PodSandboxState {
    if pod.ready { cri::PodSandboxState::Ready } else { cri::PodSandboxState::NotReady }
}

fn read<M: Message + Default>(request: Bytes) -> Reply<M> {
    M::decode(request).map_err(|error| error.to_string())
}

fn empty(reply: Reply) -> Reply<Vec<u8>> {
    reply.map(|()| Vec::new())
}
