//! An image registry in the process of a test, which serves images and misbehaves on request.

pub mod clients;
mod http;
mod images;
mod proxy;
mod real;
mod replying;
mod server;

pub use http::{Reply, Request};
pub use images::{Image, Images, bzip2, digest, gzip, layer, plugin, xz, zstd};
pub use real::{Demands, RealRegistry};
pub use server::Server;

use std::sync::Arc;

/// A registry on loopback, until it is dropped.
pub struct Registry {
    server: Server,
}

impl Registry {
    /// Serves these images faithfully.
    ///
    /// # Panics
    ///
    /// Panics if no port is free.
    #[must_use]
    pub fn faithful(images: Images) -> Self {
        Self::with(images, |_, _| None)
    }

    /// Serves these images, unless the function returns another reply. Its arguments are the
    /// request and the number of earlier requests of the same path.
    ///
    /// # Panics
    ///
    /// Panics if no port is free.
    #[must_use]
    pub fn with(
        images: Images,
        fault: impl Fn(&Request, usize) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        let images = Arc::new(images);
        let server = Server::start(move |request, earlier| {
            fault(request, earlier).unwrap_or_else(|| images.answer(request))
        });
        Self { server }
    }

    /// Returns the host and the port.
    #[must_use]
    pub fn host(&self) -> String {
        self.server.host()
    }

    /// Returns the reference of an image in this registry.
    #[must_use]
    pub fn reference(&self, name: &str) -> String {
        format!("docker://{}/{name}", self.host())
    }

    /// Returns all requests so far, except those that only ask for the protocol.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.server.requests().into_iter().filter(|request| request.path != "/v2/").collect()
    }

    /// Returns the number of requests whose path contains this text.
    #[must_use]
    pub fn count(&self, part: &str) -> usize {
        self.requests().iter().filter(|request| request.path.contains(part)).count()
    }
}
