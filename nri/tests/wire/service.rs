//! The service under test.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use nri::wire::{Caller, Code, Request, Service, Status};
use tokio::sync::Semaphore;

/// Answers according to the tests.
#[derive(Clone)]
pub(crate) struct Tester {
    caller: Caller,
    /// "Wait" takes a permit before it answers.
    pub(crate) gate: Arc<Semaphore>,
    /// How many requests were started, and how many futures are left.
    pub(crate) started: Arc<AtomicUsize>,
    pub(crate) alive: Arc<AtomicUsize>,
}

impl Tester {
    pub(crate) fn new(caller: Caller) -> Self {
        let gate = Arc::new(Semaphore::new(0));
        Self { caller, gate, started: Arc::default(), alive: Arc::default() }
    }

    pub(crate) fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }

    pub(crate) fn alive(&self) -> usize {
        self.alive.load(Ordering::SeqCst)
    }
}

struct Alive<'a>(&'a AtomicUsize);

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Service for Tester {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        self.started.fetch_add(1, Ordering::SeqCst);
        self.alive.fetch_add(1, Ordering::SeqCst);
        let _alive = Alive(&self.alive);
        let payload = request.payload;
        match request.method.as_str() {
            "Echo" => Ok(payload),
            "Wait" => {
                self.gate.acquire().await.expect("open").forget();
                Ok(payload)
            }
            "Big" => Ok(vec![b'b'; number(&payload)].into()),
            "Panic" => panic!("broken on purpose"),
            "Left" => {
                let left = request.deadline.map(|at| at - tokio::time::Instant::now());
                Ok(format!("{:?} {:?}", request.timeout, left).into())
            }
            "Back" => self
                .caller
                .call("peer.Service", "Back", payload, None)
                .await
                .map_err(|error| Status::new(Code::ABORTED, error.to_string())),
            other => Err(Status::unknown_method(&request.service, other)),
        }
    }
}

fn number(payload: &[u8]) -> usize {
    std::str::from_utf8(payload).expect("text").parse().expect("a number")
}
