//! A plugin on `nri` that handles every event and prints each as a line of JSON.
#![forbid(unsafe_code)]

use nri::api::ValidateContainerAdjustmentRequest;
use nri::prelude::*;
use nri::stub::Stub;
use nri_tests::arguments::Arguments;
use serde_json::json;

#[derive(NriPlugin)]
#[nri(name = "current", index = "10")]
struct Plugin;

fn print(event: &str) {
    println!("{}", json!({"event": event}));
}

macro_rules! print_events {
    ($($trait:ident::$method:ident($($argument:ty),*) -> $answer:ty,)*) => {$(
        impl $trait for Plugin {
            async fn $method(&self, _: &EventContext $(, _: $argument)*) -> nri::Result<$answer> {
                print(stringify!($trait));
                Ok(Default::default())
            }
        }
    )*};
}

print_events! {
    RunPodSandbox::run_pod_sandbox(PodSandbox) -> (),
    UpdatePodSandbox::update_pod_sandbox(PodSandbox, LinuxResources, LinuxResources) -> (),
    PostUpdatePodSandbox::post_update_pod_sandbox(PodSandbox) -> (),
    StopPodSandbox::stop_pod_sandbox(PodSandbox) -> (),
    RemovePodSandbox::remove_pod_sandbox(PodSandbox) -> (),
    CreateContainer::create_container(PodSandbox, Container) -> Adjustment,
    PostCreateContainer::post_create_container(PodSandbox, Container) -> (),
    StartContainer::start_container(PodSandbox, Container) -> (),
    PostStartContainer::post_start_container(PodSandbox, Container) -> (),
    UpdateContainer::update_container(PodSandbox, Container, LinuxResources) -> Updates,
    PostUpdateContainer::post_update_container(PodSandbox, Container) -> (),
    StopContainer::stop_container(PodSandbox, Container) -> Updates,
    RemoveContainer::remove_container(PodSandbox, Container) -> (),
}

impl ValidateContainerAdjustment for Plugin {
    async fn validate_container_adjustment(
        &self,
        _: &EventContext,
        _: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        print("ValidateContainerAdjustment");
        Ok(Verdict::Accept)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> nri::Result<()> {
    let arguments = Arguments::parse().map_err(nri::Error::other)?;
    let stub = Stub::builder(Plugin).socket(arguments.socket);
    stub.name(arguments.name).index(arguments.index).run().await
}
