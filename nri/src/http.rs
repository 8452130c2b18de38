//! Health, readiness and metrics over HTTP, for probes and Prometheus. Needs the feature `http`.
//!
//! | path | status | body |
//! | --- | --- | --- |
//! | `/healthz` | 200 while the plugin's tokio runtime makes progress | `ok` |
//! | `/readyz` | 200 while events are handled, else 503 | the [status](crate::stub::Status), such as `disconnected for 2.3s` |
//! | `/metrics` | 200 | the [counters](crate::stub::Metrics::open_metrics) in the OpenMetrics text format |
//!
//! ```no_run
//! use nri::prelude::*;
//! use nri::http::Endpoint;
//! use nri::stub::Stub;
//!
//! # #[derive(NriPlugin)]
//! # #[nri(name = "pod-logger", index = "10")]
//! # struct PodLogger;
//! # impl RunPodSandbox for PodLogger {
//! #     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
//! # }
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> nri::Result<()> {
//!     let stub = Stub::builder(PodLogger).build()?;
//!     let endpoint = Endpoint::bind("127.0.0.1:9090").await?;
//!     tokio::spawn(endpoint.serve(stub.status(), stub.metrics()));
//!     stub.run().await
//! }
//! ```
//!
//! The responder implements only the HTTP/1.1 that this needs: `GET` and `HEAD`, one request per
//! connection, no bodies. An HTTP library would add a dozen crates, and more code
//! than a small plugin has. The responder holds at most [`MAX_CONNECTIONS`] connections, reads at
//! most [`MAX_REQUEST`] bytes from each, and closes those that take longer than [`TIMEOUT`]. There
//! is no authentication: bind it to an address that only the node or its monitoring can reach.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::stub::{Metrics, OPEN_METRICS_CONTENT_TYPE, StatusWatch};
use crate::{Result, ResultExt};

/// The maximum number of open connections; more wait in the queue of the kernel.
pub const MAX_CONNECTIONS: usize = 16;

/// The maximum size of a request in bytes.
pub const MAX_REQUEST: usize = 8 << 10;

/// The maximum duration of a connection.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// The pause after a connection could not be accepted, for example for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

const PLAIN: &str = "text/plain; charset=utf-8";

/// A listening socket for `/healthz`, `/readyz` and `/metrics`.
#[derive(Debug)]
pub struct Endpoint(TcpListener);

/// The answers of `/readyz` and `/metrics`.
#[derive(Clone)]
pub struct Health {
    status: Arc<dyn Fn() -> (bool, String) + Send + Sync>,
    metrics: Arc<dyn Fn() -> String + Send + Sync>,
}

impl Health {
    /// Creates the answers of a program: `status` returns true while it is ready, with a line about
    /// its state, and `metrics` its metrics in the OpenMetrics text format.
    pub fn new(
        status: impl Fn() -> (bool, String) + Send + Sync + 'static,
        metrics: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        Health { status: Arc::new(status), metrics: Arc::new(metrics) }
    }

    fn of_stub(watch: StatusWatch, metrics: Metrics) -> Self {
        let status = move || {
            let state = watch.get();
            (state.is_serving(), state.to_string())
        };
        Health::new(status, move || metrics.open_metrics())
    }
}

impl std::fmt::Debug for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Health").finish_non_exhaustive()
    }
}

/// A response without the common headers.
struct Response {
    status: &'static str,
    content_type: &'static str,
    body: String,
}

impl Endpoint {
    /// Listens on an address such as `127.0.0.1:9090`.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is invalid or in use.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O enabled.
    pub async fn bind(address: impl ToSocketAddrs) -> Result<Self> {
        let listener = TcpListener::bind(address).await;
        listener.map(Endpoint).context("cannot listen for HTTP requests")
    }

    /// Returns the address that the endpoint listens on, with the port that the system chose for
    /// port 0.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not report the address.
    pub fn local_addr(&self) -> Result<SocketAddr> {
        Ok(self.0.local_addr()?)
    }

    /// Answers requests until the future is dropped or its task is aborted.
    pub async fn serve(self, status: StatusWatch, metrics: Metrics) {
        self.serve_with(Health::of_stub(status, metrics)).await;
    }

    /// Answers requests about a program that is not a plugin of this crate, until the future is
    /// dropped or its task is aborted.
    pub async fn serve_with(self, health: Health) {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                return;
            };
            match self.0.accept().await {
                Ok((stream, _)) => {
                    let health = health.clone();
                    tokio::spawn(async move {
                        // A slow or disconnected client gets no answer.
                        let _ = timeout(TIMEOUT, answer(stream, &health)).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    tracing::warn!("cannot accept an HTTP connection: {error}");
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

async fn answer(mut stream: TcpStream, health: &Health) -> std::io::Result<()> {
    let mut received = Vec::new();
    let (response, is_head) = loop {
        if let Some((method, path)) = parse(&received) {
            break (respond(method, path, health), method == "HEAD");
        }
        if received.len() >= MAX_REQUEST {
            break (
                Response::plain("431 Request Header Fields Too Large", "request too large"),
                false,
            );
        }
        let mut limited = (&mut stream).take((MAX_REQUEST - received.len()) as u64);
        if limited.read_buf(&mut received).await? == 0 {
            return Ok(());
        }
    };
    stream.write_all(response.render(is_head).as_bytes()).await?;
    stream.shutdown().await
}

fn respond(method: &str, path: &str, health: &Health) -> Response {
    match (method, path) {
        ("", _) => Response::plain("400 Bad Request", "not an HTTP/1 request"),
        ("GET" | "HEAD", "/healthz") => Response::plain("200 OK", "ok"),
        ("GET" | "HEAD", "/readyz") => {
            let (is_ready, status) = (health.status)();
            let code = if is_ready { "200 OK" } else { "503 Service Unavailable" };
            Response::plain(code, &status)
        }
        ("GET" | "HEAD", "/metrics") => Response {
            status: "200 OK",
            content_type: OPEN_METRICS_CONTENT_TYPE,
            body: (health.metrics)(),
        },
        ("GET" | "HEAD", _) => {
            Response::plain("404 Not Found", "there are /healthz, /readyz and /metrics")
        }
        _ => Response::plain("405 Method Not Allowed", "use GET or HEAD"),
    }
}

impl Response {
    fn plain(status: &'static str, text: &str) -> Self {
        Response { status, content_type: PLAIN, body: format!("{text}\n") }
    }

    /// Returns the bytes to send. The answer to HEAD has the same headers as that to GET, but no
    /// body.
    fn render(&self, is_head: bool) -> String {
        let Response { status, content_type, body } = self;
        let length = body.len();
        let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
        let headers = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n{allow}Connection: close\r\n\r\n"
        );
        if is_head { headers } else { headers + body }
    }
}

/// Returns the method of a request and its path without the query; the other headers do not matter
/// here. Both are empty if the first line is not an HTTP/1 request line. Returns `None` until the
/// headers have arrived completely.
fn parse(received: &[u8]) -> Option<(&str, &str)> {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(received.get(..end)?).unwrap_or_default();
    let line = head.split("\r\n").next().unwrap_or_default();
    Some(request_line(line).unwrap_or_default())
}

fn request_line(line: &str) -> Option<(&str, &str)> {
    let (method, rest) = line.split_once(' ')?;
    let (target, version) = rest.split_once(' ')?;
    if version.contains(' ') || !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return None;
    }
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    Some((method, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_parsed_once_its_headers_are_complete() {
        let request = b"GET /metrics?name=x HTTP/1.1\r\nHost: a\r\n\r\n";
        for cut in 0..request.len() {
            assert_eq!(parse(&request[..cut]), None, "{cut}");
        }
        assert_eq!(parse(request), Some(("GET", "/metrics")));
    }

    #[test]
    fn everything_else_is_malformed_or_another_method() {
        for (line, method) in [
            ("HEAD / HTTP/1.0", "HEAD"),
            ("POST /healthz HTTP/1.1", "POST"),
            ("GET / HTTP/2", ""),
            ("GET  / HTTP/1.1", ""),
            ("GET http://a/ HTTP/1.1", ""),
            ("GET / HTTP/1.1 x", ""),
            ("GET /", ""),
            ("", ""),
        ] {
            let request = format!("{line}\r\n\r\n");
            assert_eq!(parse(request.as_bytes()).unwrap().0, method, "{line}");
        }
        assert_eq!(parse(b"\xff\r\n\r\n"), Some(("", "")));
    }
}
