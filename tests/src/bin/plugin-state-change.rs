//! A plugin on `nri` that handles only StateChange, and prints every event as a line of JSON.
#![forbid(unsafe_code)]
#![allow(deprecated, reason = "it is about the deprecated interface")]

use nri::prelude::*;
use nri::stub::Stub;
use nri_tests::arguments::Arguments;
use serde_json::json;

#[derive(NriPlugin)]
#[nri(name = "state-change", index = "10")]
struct Plugin;

impl StateChange for Plugin {
    async fn state_change(
        &self,
        _: &EventContext,
        event: Event,
        pod: PodSandbox,
        _: Option<Container>,
    ) -> nri::Result<()> {
        println!("{}", json!({"event": event.as_str_name(), "pod": pod.id}));
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> nri::Result<()> {
    let arguments = Arguments::parse().map_err(nri::Error::other)?;
    let stub = Stub::builder(Plugin).socket(arguments.socket);
    stub.name(arguments.name).index(arguments.index).run().await
}
