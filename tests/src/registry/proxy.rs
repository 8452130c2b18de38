//! An HTTP proxy that connects every host to one server.

use std::io::{self, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use super::http::{self, Request};

/// A proxy on loopback, until it is dropped.
pub struct Proxy {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Request>>>,
    is_stopped: Arc<AtomicBool>,
}

impl Proxy {
    /// Starts a proxy that answers CONNECT with this status. If it is 200, every host leads to
    /// `server`.
    ///
    /// # Panics
    ///
    /// Panics if no port is free.
    #[must_use]
    pub fn start(server: &str, status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let log = Arc::new(Mutex::new(Vec::new()));
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (kept, stopped, server) =
            (Arc::clone(&log), Arc::clone(&is_stopped), server.to_owned());
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (log, server) = (Arc::clone(&kept), server.clone());
                thread::spawn(move || connection(client, &log, &server, status));
            }
        });
        Self {
            address,
            log,
            is_stopped,
        }
    }

    /// Returns the host and the port.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Returns all requests so far.
    ///
    /// # Panics
    ///
    /// Panics if a thread panicked.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.log.lock().expect("no thread panicked").clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
    }
}

fn connection(
    client: TcpStream,
    log: &Mutex<Vec<Request>>,
    server: &str,
    status: u16,
) -> Option<()> {
    client.set_read_timeout(Some(http::IDLE)).ok()?;
    let mut input = io::BufReader::new(client.try_clone().ok()?);
    let request = http::read(&mut input)?;
    let is_connect = request.method == "CONNECT";
    log.lock().expect("no thread panicked").push(request);
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
