//! The fields that NRI added to a request after its first release.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use super::EventContext;
use crate::codec::Message;

/// A request without the fields that are arguments of its handler; empty for a request without
/// other fields.
#[derive(Clone, Debug, Default)]
pub(super) struct LaterFields(OnceLock<Arc<dyn Any + Send + Sync>>);

impl EventContext {
    /// Returns the fields of the request that are not arguments of the handler: those that NRI
    /// added after the first release with the event. The arguments themselves are empty in it.
    /// Returns `None` if the request has no such fields, which is true of all requests of NRI
    /// v0.12, or if it is of another type.
    ///
    /// A new release of NRI changes no handler, so that a plugin compiles and works as before. It
    /// gets what is new from here.
    ///
    /// ```
    /// use nri::api::UpdateContainerRequest;
    /// use nri::prelude::*;
    ///
    /// let cx = EventContext::default();
    /// assert!(cx.later_fields::<UpdateContainerRequest>().is_none());
    /// let cx = cx.with_later_fields(UpdateContainerRequest::default());
    /// assert!(cx.later_fields::<UpdateContainerRequest>().is_some());
    /// ```
    pub fn later_fields<R: Message + 'static>(&self) -> Option<&R> {
        self.later.0.get()?.downcast_ref()
    }

    /// Sets the fields of the request that are not arguments of the handler, for unit tests.
    #[must_use]
    pub fn with_later_fields<R: Message + Send + Sync + 'static>(mut self, request: R) -> Self {
        self.later = LaterFields::default();
        self.keep(request);
        self
    }

    /// Keeps the fields of a request that are not arguments of its handler. A context has one
    /// request.
    pub(crate) fn keep<R: Message + Send + Sync + 'static>(&self, request: R) {
        let is_first = self.later.0.set(Arc::new(request)).is_ok();
        debug_assert!(is_first, "a context has one request");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{CreateContainerRequest, UpdateContainerRequest};

    #[test]
    fn later_fields_are_those_of_this_request() {
        let request = || UpdateContainerRequest {
            linux_resources: Some(Default::default()),
            ..UpdateContainerRequest::default()
        };
        let cx = EventContext::default();
        cx.keep(request());
        assert_eq!(cx.later_fields(), Some(&request()));
        assert_eq!(cx.clone().later_fields(), Some(&request()));
        assert_eq!(cx.later_fields::<CreateContainerRequest>(), None);
    }

    #[test]
    fn a_unit_test_replaces_them() {
        let cx = EventContext::default()
            .with_later_fields(UpdateContainerRequest::default())
            .with_later_fields(CreateContainerRequest::default());
        assert!(cx.later_fields::<UpdateContainerRequest>().is_none());
        assert!(cx.later_fields::<CreateContainerRequest>().is_some());
    }
}
