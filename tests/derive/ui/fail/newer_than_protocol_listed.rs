use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(protocol = "v0.9.0", handles(UpdatePodSandbox))]
struct Plugin;

impl UpdatePodSandbox for Plugin {
    async fn update_pod_sandbox(
        &self,
        _: &EventContext,
        _: PodSandbox,
        _: LinuxResources,
        _: LinuxResources,
    ) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
