use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(required(StopContainer))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
