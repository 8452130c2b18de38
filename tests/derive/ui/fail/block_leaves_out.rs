use nri::prelude::*;

struct Plugin;

#[nri::plugin(name = "outside", index = "10")]
impl Plugin {
    async fn run_pod_sandbox(&self, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopPodSandbox for Plugin {
    async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
