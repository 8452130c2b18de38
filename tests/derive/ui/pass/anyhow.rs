//! The errors of anyhow without the feature `anyhow`, and its `EventContext` beside that of nri.

use anyhow::Context as _;
use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name = "reader", index = "10")]
struct Reader;

impl RunPodSandbox for Reader {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        let list = std::fs::read("/list").context("cannot read the list");
        list.map(drop).map_err(nri::Error::other)
    }
}

fn main() {}
