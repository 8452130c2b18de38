//! A server on loopback with one thread per connection, and a log of the requests.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::http::Request;

/// The requests so far.
#[derive(Debug, Default)]
pub(super) struct Log(Mutex<Vec<Request>>);

impl Log {
    /// Adds a request and returns the number of earlier ones of the same path.
    pub(super) fn add(&self, request: &Request) -> usize {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = log.iter().filter(|known| known.path == request.path).count();
        log.push(request.clone());
        earlier
    }
}

/// A server on loopback, until it is dropped. Connections that are open then end on their own.
pub struct Server {
    address: SocketAddr,
    log: Arc<Log>,
    is_stopped: Arc<AtomicBool>,
}

impl Server {
    /// Listens on a free port and passes every connection to `serve`, on a separate thread.
    ///
    /// # Panics
    ///
    /// Panics if no port is free.
    pub(super) fn listen(serve: impl Fn(TcpStream, &Log) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let (log, is_stopped) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let (kept, stopped) = (Arc::clone(&log), Arc::clone(&is_stopped));
        let serve = Arc::new(serve);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (serve, kept) = (Arc::clone(&serve), Arc::clone(&kept));
                thread::spawn(move || serve(stream, &kept));
            }
        });
        Self { address, log, is_stopped }
    }

    /// Returns the host and the port.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Returns all requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let log = self.log.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect(self.address);
    }
}
