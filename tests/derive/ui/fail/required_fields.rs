use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(required_fields("adjust.CDI_devices", "adjust.env", "adjust.linux.memory_polcy"))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
