#![deny(warnings)]
use nri::prelude::*;

#[derive(NriPlugin)]
#[allow(deprecated)]
struct Plugin;

impl StateChange for Plugin {
    async fn state_change(&self, _: &EventContext, _: Event, _: PodSandbox, _: Option<Container>) -> nri::Result<()> {
        Ok(())
    }
}

mod crate_wide {
    #![allow(deprecated)]
    use nri::prelude::*;

    #[derive(NriPlugin)]
    #[nri(handles(StateChange))]
    pub struct Plugin;

    impl StateChange for Plugin {
        async fn state_change(&self, _: &EventContext, _: Event, _: PodSandbox, _: Option<Container>) -> nri::Result<()> {
            Ok(())
        }
    }
}

fn main() {
    use nri::plugin::Plugin as _;
    assert_eq!(Plugin::EVENTS, crate_wide::Plugin::EVENTS);
}
