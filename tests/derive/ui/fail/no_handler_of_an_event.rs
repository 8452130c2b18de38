use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name = "logger", index = "10")]
struct Plugin;

impl Synchronize for Plugin {
    async fn synchronize(&self, _: &EventContext, _: Vec<PodSandbox>, _: Vec<Container>) -> nri::Result<Updates> {
        Ok(Updates::default())
    }
}

fn main() {}
