//! An HTTP proxy that connects every host to one server.

use std::io::{self, Write as _};
use std::net::{Shutdown, TcpStream};
use std::thread;

use super::http;
use super::server::{Log, Server};

impl Server {
    /// Starts a proxy that answers CONNECT with this status. If it is 200, every host leads to
    /// `server`.
    ///
    /// # Panics
    ///
    /// Panics if no port is free.
    #[must_use]
    pub fn proxy(server: &str, status: u16) -> Self {
        let server = server.to_owned();
        Self::listen(move |client, log| {
            let _ = connection(client, log, &server, status);
        })
    }
}

fn connection(client: TcpStream, log: &Log, server: &str, status: u16) -> Option<()> {
    client.set_read_timeout(Some(http::IDLE)).ok()?;
    let mut input = io::BufReader::new(client.try_clone().ok()?);
    let request = http::read(&mut input)?;
    log.add(&request);
    let is_connect = request.method == "CONNECT";
    let status = if is_connect { status } else { 405 };
    let mut output = client.try_clone().ok()?;
    write!(output, "HTTP/1.1 {status} Reply\r\n\r\n").ok()?;
    if status != 200 {
        return client.shutdown(Shutdown::Both).ok();
    }
    let server = TcpStream::connect(server).ok()?;
    let to = (client, server.try_clone().ok()?);
    let back = thread::spawn(move || pass(&server, &output));
    pass(&to.0, &to.1);
    back.join().ok()
}

/// Copies all bytes, then closes the connection in this direction.
fn pass(mut from: &TcpStream, mut to: &TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
