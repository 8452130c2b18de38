use nri::prelude::*;

struct Plain;

#[nri::plugin(name = "plain", index = "10")]
impl Plain {
    fn create_container(&self, _: PodSandbox, _: Container) -> nri::Result<Adjustment> {
        Ok(Adjustment::new())
    }

    fn on_connect(&self) {}
}

fn main() {}
