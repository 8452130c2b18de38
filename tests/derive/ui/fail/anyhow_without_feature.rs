//! The errors of anyhow need the feature `anyhow` of nri, or `map_err(nri::Error::other)`.

use anyhow::Context as _;
use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name = "reader", index = "10")]
struct Reader;

impl RunPodSandbox for Reader {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        std::fs::read("/list").context("cannot read the list")?;
        Ok(())
    }
}

fn main() {}
