#![deny(warnings)]
use nri::prelude::*;

#[derive(NriPlugin)]
struct Plugin;

impl StateChange for Plugin {
    async fn state_change(&self, _: &EventContext, _: Event, _: PodSandbox, _: Option<Container>) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {}
