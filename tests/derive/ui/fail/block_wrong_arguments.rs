use nri::prelude::*;

struct Plugin;

#[nri::plugin(name = "arguments", index = "10")]
impl Plugin {
    async fn run_pod_sandbox(&self, _: Container) -> nri::Result<()> {
        Ok(())
    }

    async fn create_container(&self, _: &EventContext, _: Container, _: PodSandbox) -> nri::Result<Adjustment> {
        Ok(Adjustment::new())
    }
}

fn main() {}
