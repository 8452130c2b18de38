use nri::prelude::*;

#[derive(NriPlugin)]
union Plugin {
    one: u32,
    other: f32,
}

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
