use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(handles(RunPodSandbox, RunPodSandBox))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
