//! A runtime that is not asynchronous.

use std::sync::mpsc::{Sender, channel};

use nri::api::ContainerUpdate;
use nri::prelude::*;
use nri_adaptation::{Requested, RuntimeCallbacks, State};

use crate::peer::PATIENCE;
use crate::plugins::{builder, pod, shown};

/// A plugin that requests an update after each pod.
struct Asks;

#[nri::plugin(name = "asks", index = "10")]
impl Asks {
    async fn run_pod_sandbox(&self, cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        cx.update_later(ContainerUpdate::new(pod.id).cpu_shares(2));
        Ok(())
    }
}

/// A runtime that passes requests to another thread.
struct Passes(Sender<Requested>);

impl RuntimeCallbacks for Passes {
    async fn synchronize(&self, _: &mut State) -> nri::Result<()> {
        Ok(())
    }

    async fn update_containers(&self, requested: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        self.0.send(requested).map_err(nri::Error::other)?;
        Ok(Vec::new())
    }
}

#[test]
fn plugins_are_called_and_may_call_while_nobody_waits() {
    let (passed, requests) = channel();
    let plugins = builder().callbacks(Passes(passed)).start_blocking().unwrap();
    plugins.wait(plugins.builtin(Asks)).unwrap();
    let relayed = plugins.wait(plugins.run_pod_sandbox(&pod("p"))).unwrap();
    assert_eq!(shown(&relayed.outcomes), ["10-asks answered"]);
    let requested = requests.recv_timeout(PATIENCE).unwrap();
    assert_eq!(requested.updates, [ContainerUpdate::new("p").cpu_shares(2)]);
    plugins.stop();
}
