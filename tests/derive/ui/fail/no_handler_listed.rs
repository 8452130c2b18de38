use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(handles(Synchronize))]
struct Plugin;

impl Synchronize for Plugin {
    async fn synchronize(&self, _: &EventContext, _: Vec<PodSandbox>, _: Vec<Container>) -> nri::Result<Updates> {
        Ok(Updates::default())
    }
}

fn main() {}
