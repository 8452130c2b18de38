//! The hooks of a plugin when the connection is lost and made again.

use nri::plugin::{Change, Plugin};
use nri::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as TaskContext, Poll, Waker};

#[derive(Default, NriPlugin)]
struct HookLog {
    connected: AtomicBool,
}

impl RunPodSandbox for HookLog {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl Connection for HookLog {
    async fn on_reconnect(&self, _: &EventContext) {
        self.connected.store(true, Ordering::Relaxed);
    }
}

#[derive(NriPlugin)]
struct NotTold;

impl RunPodSandbox for NotTold {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

#[derive(NriPlugin)]
#[nri(handles(RunPodSandbox, Connection))]
struct Generic<const N: usize>;

impl<const N: usize> RunPodSandbox for Generic<N> {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

impl<const N: usize> Connection for Generic<N> {}

#[test]
fn hooks_are_found_where_there_are_any() {
    assert!(HookLog::CONNECTION.is_some() && Generic::<1>::CONNECTION.is_some());
    assert!(NotTold::CONNECTION.is_none());
}

#[test]
fn hooks_call_the_plugin() {
    let (plugin, cx, lost) =
        (HookLog::default(), EventContext::default(), nri::Error::new("closed"));
    let hook = HookLog::CONNECTION.expect("there is a hook");
    let mut task = TaskContext::from_waker(Waker::noop());
    for (change, connected) in [(Change::Disconnected(&lost), false), (Change::Reconnected, true)] {
        let mut running = hook(&plugin, &cx, change);
        assert_eq!(running.as_mut().poll(&mut task), Poll::Ready(()));
        assert_eq!(plugin.connected.load(Ordering::Relaxed), connected);
    }
}
