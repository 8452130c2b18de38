//! A running handler.

use std::fmt;
use std::pin::Pin;
use std::task::{Context as Task, Poll};

use crate::codec::Message;
use pin_project_lite::pin_project;

use super::{Body, Subscription};
use crate::adjust::{Adjustment, Invalid, Updates, Verdict};
use crate::api::{Container, PodSandbox};
use crate::{Error, EventContext, Result};

/// The future answer, or the error of the handler.
pub type Reply<'a> = Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>>;

/// The answer of a handler.
#[derive(Default)]
pub struct Answer {
    /// The encoded or unencoded response message.
    pub response: Body,
    /// The problems that the runtime would reject it for; `None` if there are none, or answers are
    /// not checked.
    pub invalid: Option<Invalid>,
}

/// A request that was decoded and passed to its handler.
pub struct Call<'a> {
    /// The subject of the request, for logs.
    pub subject: Subject,
    /// The answer to come. A handler starts when this is first polled.
    pub reply: Reply<'a>,
}

impl<'a> Call<'a> {
    /// Creates a call to a handler whose answer is checked and converted to the response `R`.
    pub fn new<F, A, R>(
        cx: &EventContext,
        subject: Subject,
        handler: F,
        respond: fn(A) -> R,
    ) -> Self
    where
        F: Future<Output = Result<A>> + Send + 'a,
        A: Checked + 'a,
        R: Message + Send + 'static,
    {
        Call {
            subject,
            reply: Box::pin(Answered {
                handler,
                is_checked: cx.checks_answers(),
                in_process: cx.is_in_process(),
                respond,
            }),
        }
    }
}

/// The type that a handler returns, which is checked before it is sent.
pub trait Checked {
    /// Checks for problems that the runtime would reject.
    ///
    /// # Errors
    ///
    /// Returns [`Invalid`] with every problem found.
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

impl Checked for Adjustment {
    fn check(&self) -> Result<(), Invalid> {
        self.check()
    }
}

impl Checked for Updates {
    fn check(&self) -> Result<(), Invalid> {
        self.check()
    }
}

impl Checked for () {}
impl Checked for Subscription {}
impl Checked for Verdict {}

pin_project! {
    /// A handler, and the function that converts its answer to the response. Written by hand
    /// because an async block around the handler would hold the request twice: several kilobytes,
    /// allocated for every event.
    struct Answered<F, A, R> {
        #[pin]
        handler: F,
        is_checked: bool,
        in_process: bool,
        respond: fn(A) -> R,
    }
}

impl<F: Future<Output = Result<A>>, A: Checked, R: Message + Send + 'static> Future
    for Answered<F, A, R>
{
    type Output = Result<Answer>;

    fn poll(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let (is_checked, in_process) = (*this.is_checked, *this.in_process);
        let respond = this.respond;
        this.handler
            .poll(task)
            .map_ok(|answer| Answer {
                invalid: if is_checked { answer.check().err() } else { None },
                response: Body::of_response(respond(answer), in_process),
            })
            .map_err(Error::of_handler)
    }
}

/// The pod and the container that a request is about, for logs; empty if it is about neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Namespace and name of the pod, such as `kube-system/dns-1`.
    pub pod: String,
    /// Name of the container.
    pub container: String,
}

impl Subject {
    /// Returns the subject of a request with this pod and container. Not inlined into the function
    /// of each RPC.
    #[inline(never)]
    pub fn new(pod: Option<&PodSandbox>, container: Option<&Container>) -> Self {
        Subject {
            pod: pod.map(|pod| [&*pod.namespace, &*pod.name].join("/")).unwrap_or_default(),
            container: container.map(|container| container.name.clone()).unwrap_or_default(),
        }
    }

    /// Returns the pod, if the request is about one.
    pub fn pod(&self) -> Option<&str> {
        Some(&*self.pod).filter(|pod| !pod.is_empty())
    }

    /// Returns the container, if the request is about one.
    pub fn container(&self) -> Option<&str> {
        Some(&*self.container).filter(|container| !container.is_empty())
    }
}

/// Formats the subject for use within a sentence: ` for pod kube-system/dns-1`, or nothing.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pod(), self.container()) {
            (None, None) => Ok(()),
            (None, Some(container)) => write!(f, " for container {container}"),
            (Some(pod), None) => write!(f, " for pod {pod}"),
            (Some(pod), Some(container)) => write!(f, " for container {container} of pod {pod}"),
        }
    }
}
