use nri::prelude::*;

struct Plugin;

#[nri::plugin(name = "trait", index = "10")]
impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
