use nri::prelude::*;

struct Plugin<T>(T);

#[nri::plugin(handles(RunPodSandbox), bound(T: Clone), required(StopPodSandbox))]
impl<T> Plugin<T> {
    async fn run_pod_sandbox(&self, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
