//! One request and its handler: polled in place or run aside, watched, counted, answered in time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context as TaskContext, Poll};

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::{Span, field};

use super::deadline::Moments;
use super::metrics::End;
use super::shared::Shared;
use super::watchdog::Watchdog;
use super::{aside, panic};
use crate::api::Event;
use crate::plugin::{Plugin, Reply, Route, Subject, resolve};
use crate::{Context, Error, ErrorKind, Result};

impl<P: Plugin> Shared<P> {
    /// Answers a request by the handler that takes it; empty where there is none.
    ///
    /// # Errors
    ///
    /// What the runtime is to be told: of an unknown RPC, an unreadable request, a handler that failed or was too slow.
    pub(super) async fn answer(
        &self,
        method: &str,
        payload: &Bytes,
        moments: Moments,
    ) -> Result<Bytes> {
        let Some(route) = resolve::<P>(method, payload)? else {
            return Ok(Bytes::new());
        };
        let name = route
            .event()
            .map_or(route.rpc().name, |event| event.as_str_name());
        let request = Request {
            name,
            event: route.event(),
            moments,
        };
        let cx = Context::of_request(moments.deadline(), Arc::clone(&self.tools));
        let blocks = |event| P::POLICIES.blocking.contains(event);
        let answer = match route.event().is_some_and(blocks) {
            true => self.aside(request, route, cx, payload.clone()).await?,
            false => self.in_place(request, route, &cx, payload).await?,
        };
        self.warn_of_skipped(method, &answer);
        Ok(answer)
    }

    async fn in_place(
        &self,
        request: Request,
        route: Route<P>,
        cx: &Context,
        payload: &[u8],
    ) -> Result<Bytes> {
        let call = route.call(&self.plugin, cx, payload)?;
        let subject = call.subject;
        let span = tracing::info_span!(
            "event",
            event = request.name,
            pod = subject.pod,
            container = subject.container
        );
        let (name, watchdog) = (request.name, &self.watchdog);
        let mut work = InPlace {
            name,
            watchdog,
            subject,
            span,
            reply: call.reply,
        };
        let outcome = request
            .moments
            .keep(&mut work, |work| request.warn(Some(&work.subject)))
            .await;
        let InPlace { subject, span, .. } = work;
        span.in_scope(|| self.conclude(&request, &subject, outcome))
    }

    async fn aside(
        &self,
        request: Request,
        route: Route<P>,
        cx: Context,
        payload: Bytes,
    ) -> Result<Bytes> {
        let span = tracing::info_span!(
            "event",
            event = request.name,
            pod = field::Empty,
            container = field::Empty
        );
        let subject = Arc::new(OnceLock::new());
        let (plugin, runtime) = (Arc::clone(&self.plugin), Handle::current());
        let (tell, named) = (Arc::clone(&subject), span.clone());
        let work = async move {
            let call = route.call(&plugin, &cx, &payload)?;
            named
                .record("pod", &call.subject.pod)
                .record("container", &call.subject.container);
            let _ = tell.set(call.subject);
            call.reply.await
        };
        let running = span.in_scope(|| aside::run(move || runtime.block_on(work)));
        let outcome = match running {
            Err(error) => Some(Err(error)),
            Ok(receiver) => {
                request
                    .moments
                    .keep(Aside(receiver), |_| request.warn(subject.get()))
                    .await
            }
        };
        let none = Subject::default();
        span.in_scope(|| self.conclude(&request, subject.get().unwrap_or(&none), outcome))
    }

    fn conclude(
        &self,
        request: &Request,
        subject: &Subject,
        outcome: Option<Result<Vec<u8>>>,
    ) -> Result<Bytes> {
        let (end, answer) = match outcome {
            Some(Ok(answer)) => (End::Answered, Ok(answer.into())),
            Some(Err(error)) => (End::Failed, request.failed::<P>(subject, error)),
            None => (End::TimedOut, request.timed_out::<P>(subject)),
        };
        let event = request.event.unwrap_or(Event::Unknown);
        self.tools
            .metrics
            .count(event, end, request.moments.start.elapsed());
        answer
    }
}

/// What is to be known of a request while its handler works.
struct Request {
    name: &'static str,
    event: Option<Event>,
    moments: Moments,
}

impl Request {
    fn is_in(&self, mask: crate::api::EventMask) -> bool {
        self.event.is_some_and(|event| mask.contains(event))
    }

    fn warn(&self, subject: Option<&Subject>) {
        let (name, elapsed, allowed) = (
            self.name,
            self.moments.start.elapsed(),
            self.moments.allowed,
        );
        let pod = subject.map(|subject| &*subject.pod);
        let container = subject.map(|subject| &*subject.container);
        tracing::warn!(
            event = name,
            pod,
            container,
            ?elapsed,
            "the handler of {name} has used {elapsed:.1?} of the {allowed:?} that the runtime waits"
        );
    }

    fn failed<P: Plugin>(&self, subject: &Subject, error: Error) -> Result<Bytes> {
        let ignored = error.kind() != ErrorKind::Malformed && self.is_in(P::POLICIES.ignore_errors);
        let told = if ignored {
            "; the runtime is not told, as on_error says"
        } else {
            ""
        };
        let (name, pod, container) = (self.name, &*subject.pod, &*subject.container);
        tracing::warn!(
            event = name,
            pod,
            container,
            help = error.help(),
            "the handler of {name} failed: {error}{told}"
        );
        if ignored {
            Ok(Bytes::new())
        } else {
            Err(error)
        }
    }

    fn timed_out<P: Plugin>(&self, subject: &Subject) -> Result<Bytes> {
        let ok = self.is_in(P::POLICIES.ok_on_timeout);
        let told = if ok {
            "success, as on_timeout says"
        } else {
            "an error"
        };
        let (name, allowed, elapsed) = (
            self.name,
            self.moments.allowed,
            self.moments.start.elapsed(),
        );
        let (pod, container) = (&*subject.pod, &*subject.container);
        tracing::error!(
            event = name,
            pod,
            container,
            ?elapsed,
            "the handler of {name} timed out: the runtime, which waits {allowed:?}, is told {told}"
        );
        if ok {
            return Ok(Bytes::new());
        }
        let message =
            format!("the handler of {name} timed out for {subject}: not done after {elapsed:.1?}");
        Err(Error::with_kind(ErrorKind::Timeout, message))
    }
}

/// A handler polled by the task of the connection.
struct InPlace<'a> {
    name: &'static str,
    watchdog: &'a Watchdog,
    subject: Subject,
    span: Span,
    reply: Reply<'a>,
}

impl Future for InPlace<'_> {
    type Output = Result<Vec<u8>>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let InPlace {
            name,
            watchdog,
            subject,
            span,
            reply,
        } = self.get_mut();
        let _entered = span.enter();
        let poll = || catch_unwind(AssertUnwindSafe(|| reply.as_mut().poll(cx)));
        let polled = watchdog.during(name, subject, poll);
        polled.unwrap_or_else(|payload| Poll::Ready(Err(panic::error(&*payload))))
    }
}

/// A handler on a thread of its own.
struct Aside(oneshot::Receiver<Result<Result<Vec<u8>>>>);

impl Future for Aside {
    type Output = Result<Vec<u8>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let gone = || Err(Error::new("the thread of the handler is gone"));
        Pin::new(&mut self.0)
            .poll(cx)
            .map(|done| done.unwrap_or_else(|_| gone()).and_then(|result| result))
    }
}
