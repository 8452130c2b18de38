use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name("logger"), required = "RunPodSandbox", protocol)]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
