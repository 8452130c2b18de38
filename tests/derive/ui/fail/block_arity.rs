use nri::prelude::*;

struct Few;

#[nri::plugin(name = "few", index = "10")]
impl Few {
    async fn run_pod_sandbox(&self, _: PodSandbox, _: Container) -> nri::Result<()> {
        Ok(())
    }

    async fn create_container(&self, _: &EventContext, _: PodSandbox) -> nri::Result<Adjustment> {
        Ok(Adjustment::new())
    }

    async fn update_container(&self, _: PodSandbox, _: Container) -> nri::Result<Updates> {
        Ok(Updates::new())
    }

    async fn on_disconnect(&self) {}
}

fn main() {}
