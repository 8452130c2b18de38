//! An HTTP server whose handler decides on each reply.

use std::io::BufReader;
use std::net::{Shutdown, TcpStream};

use super::http::{self, Reply, Request};
use super::server::{Log, Server};

impl Server {
    /// Starts a server with this handler, which gets each request and the number of earlier ones of
    /// the same path.
    ///
    /// # Panics
    ///
    /// Panics if no port is free.
    #[must_use]
    pub fn start(handler: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(move |stream, log| connection(stream, log, &handler))
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
