//! Requests, and a way to answer them without a runtime: the handlers of these tests never wait.
#![allow(dead_code, reason = "each test binary uses a part")]

use bytes::Bytes;
use nri::EventContext;
use nri::api::{PodSandbox, RunPodSandboxRequest};
use nri::codec::Message;
use nri::plugin::{Plugin, dispatch};
use std::pin::pin;
use std::task::{Poll, Waker};

/// Answers one request.
pub(crate) fn answer<P: Plugin>(plugin: &P, method: &str, payload: &[u8]) -> nri::Result<Vec<u8>> {
    let cx = EventContext::default();
    let mut dispatched = pin!(dispatch(plugin, &cx, method, Bytes::copy_from_slice(payload)));
    match dispatched.as_mut().poll(&mut std::task::Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("no handler of these tests waits"),
    }
}

/// Returns a pod of this name.
pub(crate) fn pod(name: &str) -> PodSandbox {
    PodSandbox { name: name.to_owned(), namespace: "default".to_owned(), ..PodSandbox::default() }
}

/// Returns a request that carries a pod in field 1, as all requests about pods and containers do.
pub(crate) fn pod_request(name: &str) -> Vec<u8> {
    RunPodSandboxRequest { pod: Some(pod(name)) }.encode_to_vec()
}
