//! An HTTP server whose handler decides on each reply.

use std::io::BufReader;
use std::net::{Shutdown, TcpStream};

use super::http::{self, Reply, Request};
use super::listener::{Listener, Log};

/// A server on loopback, until it is dropped.
pub struct Server(Listener);

impl Server {
    /// Starts a server with this handler, which gets each request and the number of earlier ones of
    /// the same path.
    ///
    /// # Panics
    ///
    /// Panics if no port is free.
    #[must_use]
    pub fn start(handler: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self(Listener::start(move |stream, log| {
            connection(stream, log, &handler);
        }))
    }

    /// Returns the host and the port.
    #[must_use]
    pub fn host(&self) -> String {
        self.0.host()
    }

    /// Returns all requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.0.requests()
    }
}

fn connection(stream: TcpStream, log: &Log, handler: &dyn Fn(&Request, usize) -> Reply) {
    let _ = stream.set_read_timeout(Some(http::IDLE));
    let _ = stream.set_nodelay(true);
    let Ok(mut output) = stream.try_clone() else {
        return;
    };
    let mut input = BufReader::new(stream);
    while let Some(request) = http::read(&mut input) {
        let earlier = log.add(&request);
        match handler(&request, earlier).write(&mut output) {
            Ok(true) => {}
            Ok(false) | Err(_) => break,
        }
    }
    let _ = output.shutdown(Shutdown::Both);
}
