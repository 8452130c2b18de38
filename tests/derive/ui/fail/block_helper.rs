use nri::prelude::*;

struct Plugin;

#[nri::plugin(name = "helper", index = "10")]
impl Plugin {
    async fn run_pod_sandbox(&self, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }

    fn zebra(&self) {}
}

fn main() {}
