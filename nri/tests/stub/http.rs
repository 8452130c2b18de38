//! `/healthz`, `/readyz` and `/metrics` over real sockets.

use std::net::SocketAddr;

use nri::http::{Endpoint, MAX_REQUEST};
use nri::prelude::*;
use nri::stub::Stub;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[derive(NriPlugin)]
#[nri(name = "probed", index = "10")]
struct Probed;

impl RunPodSandbox for Probed {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        Ok(())
    }
}

/// Returns an endpoint of a stub that is not connected.
async fn endpoint() -> SocketAddr {
    let stub = Stub::builder(Probed).build().unwrap();
    let endpoint = Endpoint::bind("127.0.0.1:0").await.unwrap();
    let address = endpoint.local_addr().unwrap();
    let (status, metrics) = (stub.status(), stub.metrics());
    tokio::spawn(endpoint.serve(status, metrics));
    address
}

/// Everything that comes back until the connection is closed.
async fn send(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn get(address: SocketAddr, path: &str) -> String {
    send(address, format!("GET {path} HTTP/1.1\r\nHost: node\r\n\r\n").as_bytes()).await
}

#[tokio::test]
async fn each_path_answers() {
    let address = endpoint().await;
    let health = get(address, "/healthz").await;
    assert!(
        health.starts_with("HTTP/1.1 200 OK\r\n") && health.ends_with("\r\n\r\nok\n"),
        "{health}"
    );
    let ready = get(address, "/readyz").await;
    assert!(
        ready.starts_with("HTTP/1.1 503 ") && ready.ends_with("\r\n\r\nconnecting\n"),
        "{ready}"
    );
    let metrics = get(address, "/metrics?x=y").await;
    assert!(
        metrics.contains("application/openmetrics-text") && metrics.ends_with("# EOF\n"),
        "{metrics}"
    );
    assert!(get(address, "/").await.starts_with("HTTP/1.1 404 "));
}

#[tokio::test]
async fn head_has_the_headers_and_no_body() {
    let address = endpoint().await;
    let answer = send(address, b"HEAD /healthz HTTP/1.1\r\n\r\n").await;
    assert!(answer.contains("Content-Length: 3\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
}

#[tokio::test]
async fn what_is_no_such_request_is_refused() {
    let address = endpoint().await;
    assert!(send(address, b"POST /healthz HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 405 "));
    assert!(send(address, b"\x16\x03\x01 tls\r\n\r\n").await.starts_with("HTTP/1.1 400 "));
    let large = vec![b'a'; MAX_REQUEST];
    assert!(send(address, &large).await.starts_with("HTTP/1.1 431 "));
}
