//! A minimal gRPC server for unary calls over HTTP/2, without the library of the client under test.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use h2::RecvStream;
use h2::server::{SendResponse, handshake};
use http::{HeaderMap, Request, Response};
use tokio::net::{UnixListener, UnixStream};

/// The encoded answer to a call, or the status code and message of an error.
pub(crate) type Answer = Result<Vec<u8>, (u16, String)>;

/// A service that maps the name of a method and an encoded request to the answer.
pub(crate) trait Service: Send + Sync + 'static {
    fn call(
        self: Arc<Self>,
        method: String,
        request: Bytes,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send>>;
}

/// Serves connections to a socket until the task is aborted.
pub(crate) fn listen<S: Service>(socket: &Path, service: Arc<S>) -> tokio::task::JoinHandle<()> {
    let listener = UnixListener::bind(socket).expect("a socket");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, Arc::clone(&service)));
        }
    })
}

async fn connection<S: Service>(stream: UnixStream, service: Arc<S>) {
    let Ok(mut connection) = handshake(stream).await else {
        return;
    };
    while let Some(Ok((request, respond))) = connection.accept().await {
        tokio::spawn(exchange(request, respond, Arc::clone(&service)));
    }
}

async fn exchange<S: Service>(
    request: Request<RecvStream>,
    respond: SendResponse<Bytes>,
    service: Arc<S>,
) {
    let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
    let mut body = request.into_body();
    let mut received = BytesMut::new();
    while let Some(Ok(chunk)) = body.data().await {
        let _ = body.flow_control().release_capacity(chunk.len());
        received.put(chunk);
    }
    // A byte for compression, and four for the length, precede the message.
    let message = received.freeze().slice(5..);
    // The caller may be gone.
    let _ = reply(respond, service.call(method, message).await);
}

fn reply(mut respond: SendResponse<Bytes>, answer: Answer) -> Result<(), h2::Error> {
    let head = Response::builder().header("content-type", "application/grpc");
    let mut stream = respond.send_response(head.body(()).expect("a response"), false)?;
    let (code, text) = match answer {
        Err(error) => error,
        Ok(message) => {
            let mut framed = BytesMut::new();
            framed.put_u8(0);
            framed.put_u32(u32::try_from(message.len()).expect("a short message"));
            framed.put_slice(&message);
            stream.send_data(framed.freeze(), false)?;
            (0, String::new())
        }
    };
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", code.into());
    trailers.insert("grpc-message", text.parse().expect("plain text"));
    stream.send_trailers(trailers)
}
