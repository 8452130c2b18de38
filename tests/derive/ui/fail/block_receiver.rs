use nri::prelude::*;

struct Counter(u64);

#[nri::plugin(name = "counter", index = "10")]
impl Counter {
    async fn run_pod_sandbox(&mut self, _: PodSandbox) -> nri::Result<()> {
        self.0 += 1;
        Ok(())
    }

    async fn stop_pod_sandbox(_: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
