use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(failure_policy(fail_requests, keep_connected))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
