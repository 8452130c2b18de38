use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(handles(RunPodSandbox), on_error(StopContainer = "ignore"))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
