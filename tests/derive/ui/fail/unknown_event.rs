use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(required(RUN_POD_SANDBOKS))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
