use nri::prelude::*;

struct Plugin;

#[nri::plugin(name = "arguments", index = "10")]
impl Plugin {
    async fn run_pod_sandbox(&self, _: Container) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
