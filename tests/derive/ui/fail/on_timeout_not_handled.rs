use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(on_timeout(StopContainer = "ok"))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
