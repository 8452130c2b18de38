//! Answers the requests of the host, as the stub answers those of a runtime.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;

use crate::PluginId;
use crate::api::{ConfigureRequest, ConfigureResponse, Event, SynchronizeResponse};
use crate::codec::Message as _;
use crate::context::{CheckAnswers, Runtime, Tools};
use crate::plugin::{Body, Plugin, Subject, decode_encoded, resolve};
use crate::stub::{Assembly, Part, failed, subscription};
use crate::{Error, EventContext, Result};

/// The largest state that Synchronize may have. The memory of a module ends at 4 GiB, that of most
/// hosts earlier.
const MAX_SYNCHRONIZE: usize = 64 << 20;

/// A plugin, and what it knows about its host.
pub(super) struct Guest<P> {
    plugin: P,
    tools: Arc<Tools>,
    assembly: Mutex<Assembly>,
}

impl<P: Plugin> Guest<P> {
    /// Wraps a plugin. Name and index are those of its `#[nri(…)]`: the host does not pass those of
    /// the file.
    pub(super) fn new(plugin: P) -> Self {
        let identity = PluginId {
            name: P::NAME.unwrap_or("plugin").to_owned(),
            index: P::INDEX.unwrap_or("??").to_owned(),
        };
        Guest {
            plugin,
            tools: Arc::new(Tools::new(identity, CheckAnswers::default())),
            assembly: Mutex::default(),
        }
    }

    /// Answers a request.
    ///
    /// # Errors
    ///
    /// Returns an error if the RPC is unknown, the request cannot be decoded, or the handler fails.
    pub(super) fn answer(&self, rpc: &str, request: Vec<u8>) -> Result<Vec<u8>> {
        let request = Bytes::from(request);
        match rpc {
            "Configure" => self.configure(request),
            "Synchronize" => self.synchronize(request),
            _ => self.handle(rpc, request),
        }
    }

    fn configure(&self, request: Bytes) -> Result<Vec<u8>> {
        let decoded: ConfigureRequest = decode_encoded("Configure", &request)?;
        let runtime = Arc::new(Runtime::of(&decoded));
        self.tools.set_runtime(Arc::clone(&runtime));
        let answer = self.handle("Configure", request)?;
        let chosen = ConfigureResponse::decode(&*answer)?.events;
        let (response, warnings) = subscription::<P>(&runtime, chosen)?;
        for warning in warnings {
            tracing::warn!("{warning}");
        }
        Ok(response.encode_to_vec())
    }

    fn synchronize(&self, part: Bytes) -> Result<Vec<u8>> {
        let added = {
            let mut assembly = self.assembly.lock().unwrap_or_else(PoisonError::into_inner);
            assembly.add(part, MAX_SYNCHRONIZE)?
        };
        match added {
            Part::Whole(request) => self.handle("Synchronize", request),
            Part::More => {
                let more = SynchronizeResponse { more: true, ..SynchronizeResponse::default() };
                Ok(more.encode_to_vec())
            }
        }
    }

    fn handle(&self, rpc: &str, request: Bytes) -> Result<Vec<u8>> {
        let Some(route) = resolve::<P>(rpc, &request)? else {
            return Ok(Vec::new());
        };
        let event = route.event;
        let name = event.map_or(route.rpc.name, Event::name);
        let cx = EventContext::of_stub(Arc::clone(&self.tools));
        let mut subject = Subject::default();
        let handled = route
            .call(&self.plugin, &cx, Body::Encoded(request))
            .and_then(|call| {
                subject = call.subject;
                complete(call.reply)?
            })
            .and_then(|answer| self.tools.accept(route.rpc.name, &subject, answer));
        self.tools.count(event, handled.is_ok());
        let answer =
            handled.or_else(|error| failed::<P>(name, event, &subject, error))?.into_bytes();
        self.tools.warn_of_skipped(rpc, &answer);
        Ok(answer.into())
    }
}

/// Notes that the future asked to be polled again.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls a future until it completes, on the only thread there is.
///
/// # Errors
///
/// Returns an error if the future waits without having woken its task: nothing else could wake it.
fn complete<T>(future: impl Future<Output = T>) -> Result<T> {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut task = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
            return Ok(output);
        }
        if !woken.0.swap(false, Ordering::Relaxed) {
            let message =
                "the handler waits for something that cannot happen in a WebAssembly module";
            return Err(Error::new(message)
                .with_help("wait for nothing but other handlers' data, without timers"));
        }
    }
}

#[cfg(test)]
mod tests;
