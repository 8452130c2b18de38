//! A plugin to start from: copy it, delete the handlers that you do not need, write the others.

mod common;

use common::Flags;
use nri::prelude::*;
use nri::store::PodStore;
use tracing::{Level, info};

const ABOUT: &str = "An NRI plugin to start from: knows the pods of its node, and changes nothing.";

#[derive(Default, NriPlugin)]
#[nri(name = "template", index = "10")]
struct Template {
    store: PodStore,
}

/// Tells what there is when the plugin comes, and after each time that it was away.
impl Synchronize for Template {
    async fn synchronize(
        &self,
        _: &Context,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        let report = self.store.synchronize(&pods, &containers);
        let (new, vanished) = (report.pods.new.len(), report.pods.vanished.len());
        info!(
            new,
            vanished,
            "{} pods, {} containers",
            pods.len(),
            containers.len()
        );
        Ok(Updates::new())
    }
}

impl RunPodSandbox for Template {
    async fn run_pod_sandbox(&self, _: &Context, pod: PodSandbox) -> nri::Result<()> {
        self.store.observe(Event::RunPodSandbox, &pod, None);
        info!("{} runs", pod.full_name());
        Ok(())
    }
}

/// The answer changes the container before it is created.
impl CreateContainer for Template {
    async fn create_container(
        &self,
        _: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        self.store
            .observe(Event::CreateContainer, &pod, Some(&container));
        info!("{} is created", container.full_name(&pod));
        Ok(Adjustment::new())
    }
}

/// The answer changes other containers.
impl StopContainer for Template {
    async fn stop_container(
        &self,
        _: &Context,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Updates> {
        self.store
            .observe(Event::StopContainer, &pod, Some(&container));
        info!("{} stopped", container.full_name(&pod));
        Ok(Updates::new())
    }
}

/// The store forgets what is removed.
impl RemovePodSandbox for Template {
    async fn remove_pod_sandbox(&self, _: &Context, pod: PodSandbox) -> nri::Result<()> {
        self.store.observe(Event::RemovePodSandbox, &pod, None);
        info!("{} is removed", pod.full_name());
        Ok(())
    }
}

impl Connection for Template {
    async fn on_disconnect(&self, _: &Context, reason: &nri::Error) {
        info!("the runtime is gone: {reason}");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> nri::Result<()> {
    let Some(flags) = Flags::parse(ABOUT, "", |_, _| Ok(false))? else {
        return Ok(());
    };
    common::log(Level::INFO);
    flags.stub(Template::default()).run().await
}
