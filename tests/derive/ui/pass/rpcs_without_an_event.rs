//! `blocking` also takes RPCs without an event.
use nri::plugin::Plugin;
use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(
    handles(RunPodSandbox, StopPodSandbox, Configure, Synchronize),
    required(RunPodSandbox, StopPodSandbox),
    blocking(Synchronize, Configure, RunPodSandbox),
    on_error(StopPodSandbox = "ignore")
)]
struct Blocking;

impl RunPodSandbox for Blocking {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl StopPodSandbox for Blocking {
    async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl Configure for Blocking {
    async fn configure(&self, _: &EventContext, _: Config) -> nri::Result<Subscription> {
        Ok(Subscription::Handled)
    }
}

impl Synchronize for Blocking {
    async fn synchronize(&self, _: &EventContext, _: Vec<PodSandbox>, _: Vec<Container>) -> nri::Result<Updates> {
        Ok(Updates::new())
    }
}

fn main() {
    let policies = Blocking::POLICIES;
    assert_eq!(policies.required.bits(), 0b11);
    assert_eq!(policies.blocking.bits(), 0b1);
    assert_eq!(policies.blocking_rpcs, ["Synchronize", "Configure"]);
    assert_eq!(policies.ignore_errors.bits(), 0b10);
}
