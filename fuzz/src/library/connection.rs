//! A connection that is served any bytes ends with them, and writes nothing but well-formed
//! answers.

use bytes::Bytes;
use nri::__private::wire::{Demux, Kind};
use nri::wire::{Channels, Connection, Limits, Request, Service, Status};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

struct Echo;

impl Service for Echo {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        match request.method.len() {
            1 => Err(Status::unknown_method(&request.service, &request.method)),
            _ => Ok(request.payload),
        }
    }
}

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("runtime");
    runtime.block_on(serve(bytes));
}

async fn serve(bytes: &[u8]) {
    let (ours, theirs) = tokio::io::duplex(4096);
    let (connection, _caller) = Connection::new(ours, Channels::PLUGIN, Limits::default());
    let (mut from, mut to) = tokio::io::split(theirs);
    let send = async {
        // Refused when the connection has ended by an error.
        let _ = to.write_all(bytes).await;
        let _ = to.shutdown().await;
    };
    let receive = async {
        let mut answers = Vec::new();
        from.read_to_end(&mut answers).await.map(|_| answers)
    };
    let ((), ended, answers) = tokio::join!(send, connection.serve(&Echo), receive);
    let mut demux = Demux::new(Channels::PLUGIN.ids());
    demux.extend(&answers.expect("readable"));
    while let Some(message) = demux.next_message().expect("well-formed") {
        assert_eq!(
            (message.connection, message.header.kind),
            (Channels::PLUGIN.serve, Kind::Response)
        );
    }
    if ended.is_ok() {
        demux.check_end().expect("complete");
    }
}
