//! A generic type that lists all its handlers is accepted. One handler has a bound that the type
//! does not have.

use nri::plugin::Plugin;
use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(handles(RunPodSandbox, Connection))]
struct Listed<B>(B);

impl<B: Send + Sync + 'static> RunPodSandbox for Listed<B> {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl<B: Send + Sync + 'static> Connection for Listed<B> {}

impl<B: Copy + Send + Sync + 'static> StopPodSandbox for Listed<B> {
    async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

fn main() {
    let _ = Listed::<String>::TABLE;
    assert_eq!(Listed::<u8>::EVENTS, EventMask::EMPTY.with(Event::RunPodSandbox));
}
