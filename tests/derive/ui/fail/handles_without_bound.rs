use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(handles(RunPodSandbox))]
struct Plugin<B>(B);

impl<B: Clone + Send + Sync + 'static> RunPodSandbox for Plugin<B> {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
