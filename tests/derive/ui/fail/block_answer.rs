use nri::prelude::*;

struct Late;

#[nri::plugin(name = "late", index = "10")]
impl Late {
    async fn post_start_container(&self, _: PodSandbox, _: Container) -> nri::Result<Adjustment> {
        Ok(Adjustment::new())
    }

    async fn run_pod_sandbox(&self, _: PodSandbox) -> nri::Result<Updates> {
        Ok(Updates::new())
    }

    async fn stop_container(&self, _: PodSandbox, _: Container) -> nri::Result<Adjustment> {
        Ok(Adjustment::new())
    }

    async fn stop_pod_sandbox(&self, _: PodSandbox) {}
}

fn main() {}
