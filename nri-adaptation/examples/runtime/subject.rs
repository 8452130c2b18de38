//! The pods and containers of a measurement.

use nri::api::{Container, PodSandbox};

use crate::event::Request;
use crate::flags::Bench;
use crate::scenario::NodeState;

/// Returns the pods, and two containers of each, that plugins get in Synchronize.
pub(crate) fn state(bench: &Bench) -> NodeState {
    NodeState {
        pods: (0..bench.pods).map(|nth| pod(bench, nth)).collect(),
        containers: (0..2 * bench.pods).map(|nth| container(bench, nth, nth / 2)).collect(),
    }
}

/// Returns a request about each of the pods, or about one if there are none.
pub(crate) fn requests(bench: &Bench) -> Vec<Request> {
    let pods = 0..bench.pods.min(bench.count).max(1);
    let requests = pods.map(|nth| Request {
        event: bench.event,
        pod: pod(bench, nth),
        container: container(bench, 2 * nth, nth),
        ..Request::default()
    });
    requests.collect()
}

fn pod(bench: &Bench, nth: u32) -> PodSandbox {
    PodSandbox {
        id: format!("pod-{nth}"),
        name: format!("web-{nth}"),
        namespace: "default".to_owned(),
        labels: pairs(bench),
        annotations: pairs(bench),
        ..PodSandbox::default()
    }
}

fn container(bench: &Bench, nth: u32, pod: u32) -> Container {
    Container {
        id: format!("container-{nth}"),
        pod_sandbox_id: format!("pod-{pod}"),
        name: "app".to_owned(),
        labels: pairs(bench),
        annotations: pairs(bench),
        ..Container::default()
    }
}

fn pairs<M: FromIterator<(String, String)>>(bench: &Bench) -> M {
    let pairs = (0..bench.labels).map(|n| (format!("example.com/label-{n}"), format!("value {n}")));
    pairs.collect()
}
