use nri::prelude::*;

struct Borrowing;

#[nri::plugin(name = "borrowing", index = "10")]
impl Borrowing {
    async fn run_pod_sandbox(&self, _: &PodSandbox) -> nri::Result<()> {
        Ok(())
    }

    async fn create_container(&self, _: PodSandbox, _: &Container) -> nri::Result<Adjustment> {
        Ok(Adjustment::new())
    }

    async fn on_disconnect(&self, _: nri::Error) {}
}

fn main() {}
