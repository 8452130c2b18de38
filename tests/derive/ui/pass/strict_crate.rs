//! The derive generates nothing that a strict crate would reject.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, unreachable_pub, rust_2018_idioms, nonstandard_style, future_incompatible)]

use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name = "strict", index = "00", required(RunPodSandbox), failure_policy(fail_request))]
struct Plugin;

impl RunPodSandbox for Plugin {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {
    assert_eq!(<Plugin as nri::plugin::Plugin>::EVENTS.bits(), 1);
}
