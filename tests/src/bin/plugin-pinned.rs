//! A plugin on bindings of NRI v0.11.0 that subscribes to all events of its protocol and prints
//! each as a line of JSON.
#![forbid(unsafe_code)]

use nri_tests::arguments::Arguments;
use nri_tests::pinned;
use nri_tests_bindings::containerd_2_2 as api;
use serde_json::json;
use tokio::net::UnixStream;

struct Plugin;

impl Plugin {
    fn print(event: &str, pod: Option<api::PodSandbox>) {
        println!("{}", json!({"event": event, "pod": pod.unwrap_or_default().id}));
    }
}

impl api::Plugin for Plugin {
    async fn configure(
        &self,
        _: api::ConfigureRequest,
    ) -> Result<api::ConfigureResponse, api::Status> {
        let events = api::EventMask::ALL.bits();
        Ok(api::ConfigureResponse { events })
    }

    async fn synchronize(
        &self,
        request: api::SynchronizeRequest,
    ) -> Result<api::SynchronizeResponse, api::Status> {
        let more = request.more;
        Ok(api::SynchronizeResponse { more, ..Default::default() })
    }

    async fn create_container(
        &self,
        request: api::CreateContainerRequest,
    ) -> Result<api::CreateContainerResponse, api::Status> {
        Self::print("CreateContainer", request.pod);
        Ok(api::CreateContainerResponse::default())
    }

    async fn update_container(
        &self,
        request: api::UpdateContainerRequest,
    ) -> Result<api::UpdateContainerResponse, api::Status> {
        Self::print("UpdateContainer", request.pod);
        Ok(api::UpdateContainerResponse::default())
    }

    async fn stop_container(
        &self,
        request: api::StopContainerRequest,
    ) -> Result<api::StopContainerResponse, api::Status> {
        Self::print("StopContainer", request.pod);
        Ok(api::StopContainerResponse::default())
    }

    async fn update_pod_sandbox(
        &self,
        request: api::UpdatePodSandboxRequest,
    ) -> Result<api::UpdatePodSandboxResponse, api::Status> {
        Self::print("UpdatePodSandbox", request.pod);
        Ok(api::UpdatePodSandboxResponse::default())
    }

    async fn validate_container_adjustment(
        &self,
        request: api::ValidateContainerAdjustmentRequest,
    ) -> Result<api::ValidateContainerAdjustmentResponse, api::Status> {
        Self::print("ValidateContainerAdjustment", request.pod);
        Ok(api::ValidateContainerAdjustmentResponse::default())
    }

    async fn state_change(
        &self,
        request: api::StateChangeEvent,
    ) -> Result<api::Empty, api::Status> {
        Self::print(request.event().as_str_name(), request.pod);
        Ok(api::Empty::default())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let Arguments { socket, name, index } = Arguments::parse()?;
    let stream = UnixStream::connect(socket).await?;
    pinned::serve(Plugin, stream, name, index).await
}
