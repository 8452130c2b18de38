use nri::prelude::*;

struct Plugin;

#[nri::plugin(name = "typo", index = "10")]
impl Plugin {
    async fn run_pod_sandox(&self, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }

    const LIMIT: usize = 1;
}

fn main() {}
