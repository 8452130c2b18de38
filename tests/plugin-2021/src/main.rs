//! A plugin of edition 2021 that renames the nri crate. The test searches its executable for the
//! manifest.
#![forbid(unsafe_code)]
#![deny(warnings)]

use renamed::manifest;
use renamed::plugin::{resolve, Plugin};
use renamed::prelude::*;

/// Gets its name and index from the environment.
#[derive(NriPlugin)]
#[nri(crate = renamed, name = "edition-2021", index = "42", protocol = "0.11")]
struct Plain;

impl RunPodSandbox for Plain {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> renamed::Result<()> {
        Ok(())
    }
}

/// The same with a path of its own, on a generic type, with a deprecated handler.
#[derive(NriPlugin)]
#[nri(crate = "crate::inner::nri", handles(StateChange))]
#[allow(deprecated)]
struct Generic<T>(T);

impl<T: Send + Sync + 'static> StateChange for Generic<T> {
    async fn state_change(
        &self,
        _: &EventContext,
        _: Event,
        _: PodSandbox,
        _: Option<Container>,
    ) -> renamed::Result<()> {
        let Generic(_) = self;
        Ok(())
    }
}

mod inner {
    pub(crate) use renamed as nri;
}

/// Uses the manifests as the stub does, and exits with 1 if the derive did not do its work.
fn main() -> renamed::Result<()> {
    let _ = (Plain, Generic(0_u8));
    let used = manifest::embed::<Plain>().len() + manifest::embed::<Generic<u8>>().len();
    let routes = [
        resolve::<Plain>("RunPodSandbox", &[])?.is_some(),
        resolve::<Generic<u8>>("RunPodSandbox", &[])?.is_some(),
    ];
    if routes != [true, true] || used == 0 || Plain::EVENTS.bits() != 1 {
        return Err(renamed::Error::new("the derive did not find the handlers"));
    }
    Ok(())
}
