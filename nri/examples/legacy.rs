//! A plugin as it was written for runtimes before NRI v0.12.0: one handler, of StateChange, for nine events.
//!
//! It runs under newer runtimes as well: their dedicated calls are funnelled into the one handler. Without the `allow`
//! below, the compiler warns and names the handlers to write instead; the same warning is logged at the start.
#![allow(deprecated)]

mod common;

use common::Flags;
use nri::prelude::*;
use tracing::{Level, info};

const ABOUT: &str =
    "An NRI plugin of the old kind, which handles the deprecated StateChange and nothing else.";

#[derive(NriPlugin)]
#[nri(name = "legacy", index = "10")]
struct Legacy;

impl StateChange for Legacy {
    async fn state_change(
        &self,
        _: &Context,
        event: Event,
        pod: PodSandbox,
        container: Option<Container>,
    ) -> nri::Result<()> {
        let subject = match container {
            Some(container) => container.full_name(&pod),
            None => pod.full_name(),
        };
        info!("{} {subject}", event.as_str_name());
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> nri::Result<()> {
    let Some(flags) = Flags::parse(ABOUT, "", |_, _| Ok(false))? else {
        return Ok(());
    };
    common::log(Level::INFO);
    flags.stub(Legacy).run().await
}
