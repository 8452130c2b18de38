//! Runs the handler of one request: in place or on its own thread, with a watchdog, counters and a
//! deadline.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context as TaskContext, Poll};

use bytes::Bytes;
use tokio::runtime::Handle;
use tracing::{Span, field};

use super::check::failed;
use super::deadline::Moments;
use super::shared::Shared;
use super::watchdog::Watchdog;
use super::{aside, panic};
use crate::api::Event;
use crate::context::metrics::End;
use crate::context::update::within_handler;
use crate::plugin::{Answer, Body, Plugin, Reply, Route, Subject, resolve};
use crate::{Error, ErrorKind, EventContext, Result};

impl<P: Plugin> Shared<P> {
    /// Answers an encoded request with its handler, or with an empty message if there is none.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`respond`](Self::respond).
    pub(super) async fn answer(
        &self,
        method: &str,
        payload: Bytes,
        moments: Moments,
    ) -> Result<Bytes> {
        if let Some(record) = &self.settings.record {
            record(method, &payload)?;
        }
        let response = self.respond(method, Body::Encoded(payload), moments);
        let answer = response.await?.into_bytes();
        self.tools.warn_of_skipped(method, &answer);
        Ok(answer)
    }

    /// Answers a request with its handler, or with an empty message if there is none. The response
    /// is encoded if the request is.
    ///
    /// # Errors
    ///
    /// Returns an error if the RPC is unknown, the request cannot be decoded, or the handler fails
    /// or times out.
    pub(super) async fn respond(&self, method: &str, body: Body, moments: Moments) -> Result<Body> {
        let (payload, in_process): (&[u8], bool) = match &body {
            Body::Encoded(payload) => (payload, false),
            #[cfg(feature = "in-process")]
            // Only StateChange has to be looked into to find its handler, and that is always
            // encoded.
            Body::Message(_) => (&[], true),
        };
        let Some(route) = resolve::<P>(method, payload)? else {
            return Ok(Body::default());
        };
        let name = route.event.map_or(route.rpc.name, Event::name);
        let request = Request { name, rpc: route.rpc.name, event: route.event, moments };
        let cx = EventContext::of_request(moments.deadline(), Arc::clone(&self.tools), in_process);
        if P::POLICIES.blocks(route.rpc.name, route.event) {
            self.aside(request, route, cx, body).await
        } else {
            self.in_place(request, route, &cx, body).await
        }
    }

    async fn in_place(
        &self,
        request: Request,
        route: Route<P>,
        cx: &EventContext,
        body: Body,
    ) -> Result<Body> {
        let call = route.call(&self.plugin, cx, body)?;
        let subject = call.subject;
        let span = tracing::info_span!(
            "event",
            event = request.name,
            pod = subject.pod(),
            container = subject.container()
        );
        let watchdog = &self.watchdog;
        let mut work = InPlace {
            names: (request.name, route.rpc.name),
            watchdog,
            subject,
            span,
            reply: call.reply,
        };
        let outcome =
            request.moments.keep(&mut work, |work| request.warn(Some(&work.subject))).await;
        work.span.in_scope(|| self.conclude(&request, &work.subject, outcome))
    }

    async fn aside(
        &self,
        request: Request,
        route: Route<P>,
        cx: EventContext,
        body: Body,
    ) -> Result<Body> {
        let span = tracing::info_span!(
            "event",
            event = request.name,
            pod = field::Empty,
            container = field::Empty
        );
        let subject = Arc::new(OnceLock::new());
        let (plugin, runtime) = (Arc::clone(&self.plugin), Handle::current());
        let (subject_slot, handler_span) = (Arc::clone(&subject), span.clone());
        let work = async move {
            let call = route.call(&plugin, &cx, body)?;
            handler_span
                .record("pod", call.subject.pod())
                .record("container", call.subject.container());
            let _ = subject_slot.set(call.subject);
            call.reply.await
        };
        let name = request.name;
        let blocking = move || within_handler(name, || runtime.block_on(work));
        let running = span.in_scope(|| aside::run(blocking));
        let outcome = match running {
            Err(error) => Some(Err(error)),
            Ok(receiver) => {
                let gone = |_| Err(Error::new("the thread of the handler is gone"));
                let answered = pin!(async { receiver.await.unwrap_or_else(gone)? });
                let warn = |_: &_| request.warn(subject.get());
                request.moments.keep(answered, warn).await
            }
        };
        let none = Subject::default();
        span.in_scope(|| self.conclude(&request, subject.get().unwrap_or(&none), outcome))
    }

    fn conclude(
        &self,
        request: &Request,
        subject: &Subject,
        outcome: Option<Result<Answer>>,
    ) -> Result<Body> {
        let accept = |answer| self.tools.accept(request.rpc, subject, answer);
        let outcome = outcome.map(|result| result.and_then(accept));
        let (end, answer) = match outcome {
            Some(Ok(answer)) => (End::Answered, Ok(answer)),
            Some(Err(error)) => {
                (End::Failed, failed::<P>(request.name, request.event, subject, error))
            }
            None => {
                let waited = self.tools.link.has_unanswered();
                (End::TimedOut, request.timed_out::<P>(subject, waited))
            }
        };
        let event = request.event.unwrap_or(Event::Unknown);
        self.tools.metrics.count(event, end, request.moments.start.elapsed());
        answer
    }
}

/// A request whose handler is running.
struct Request {
    name: &'static str,
    rpc: &'static str,
    event: Option<Event>,
    moments: Moments,
}

impl Request {
    fn warn(&self, subject: Option<&Subject>) {
        let (name, allowed) = (self.name, self.moments.allowed);
        let elapsed = self.moments.start.elapsed();
        tracing::warn!(
            event = name,
            pod = subject.and_then(Subject::pod),
            container = subject.and_then(Subject::container),
            "the handler of {name} has used {elapsed:.1?} of the {allowed:.1?} before the runtime's timeout"
        );
    }

    /// `has_unanswered` is true if an update was waiting for the runtime, perhaps on behalf of the
    /// handler.
    fn timed_out<P: Plugin>(&self, subject: &Subject, has_unanswered: bool) -> Result<Body> {
        let may_pass = |event| P::POLICIES.ok_on_timeout.contains(event);
        let ok = self.event.is_some_and(may_pass);
        let answered = if ok { "success, as set by `on_timeout`" } else { "an error" };
        let (name, allowed) = (self.name, self.moments.allowed);
        let elapsed = self.moments.start.elapsed();
        let waiting = if has_unanswered { UPDATE_WAITING } else { "" };
        tracing::error!(
            event = name,
            pod = subject.pod(),
            container = subject.container(),
            "the handler of {name} timed out after {elapsed:.1?}; answered with {answered}, before the runtime's timeout \
             of {allowed:.1?}{waiting}"
        );
        if ok {
            return Ok(Body::default());
        }
        let message = format!(
            "the handler of {name} timed out{subject}: not done after {elapsed:.1?}{waiting}"
        );
        Err(Error::with_kind(ErrorKind::Timeout, message))
    }
}

/// Added to the error of a handler that timed out while an update was waiting.
const UPDATE_WAITING: &str = "; an update of containers was waiting for the runtime, which takes updates only after the \
     event, so a handler must not wait for one";

/// A handler polled by the task of the connection.
struct InPlace<'a> {
    /// The event and the handler trait.
    names: (&'static str, &'static str),
    watchdog: &'a Watchdog,
    subject: Subject,
    span: Span,
    reply: Reply<'a>,
}

impl Future for InPlace<'_> {
    type Output = Result<Answer>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let InPlace { names, watchdog, subject, span, reply } = self.get_mut();
        let _entered = span.enter();
        let poll = || within_handler(names.0, || reply.as_mut().poll(cx));
        let polled = watchdog.during(*names, subject, || catch_unwind(AssertUnwindSafe(poll)));
        polled.unwrap_or_else(|payload| Poll::Ready(Err(panic::error(&*payload))))
    }
}
