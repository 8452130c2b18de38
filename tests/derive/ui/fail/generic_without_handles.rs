use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name = "logger")]
struct Plugin<T, const N: usize>([T; N]);

impl<T: Send + Sync + 'static, const N: usize> RunPodSandbox for Plugin<T, N> {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
