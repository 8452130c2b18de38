use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(handles(RunPodSandbox))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopPodSandbox for Plugin {
    async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl Connection for Plugin {}

fn main() {}
