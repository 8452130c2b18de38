//! Forwards bytes between a plugin and the runtime, and records them after forwarding.

use std::io;
use std::sync::OnceLock;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};

use super::frame::{Closer, Party};
use super::recorder::Tap;

/// The maximum number of bytes that are read at once.
const BUFFER_BYTES: usize = 64 << 10;

/// Forwards until both ends have closed their sides, one end is lost, or `stop` completes. Records which end closed the
/// connection; without a tap, it only forwards.
///
/// One task serves both directions, so that an answer is never recorded before its request.
pub(super) async fn tunnel<P, R>(
    plugin: P,
    runtime: R,
    tap: Option<Tap>,
    stop: impl Future<Output = ()>,
) where
    P: AsyncRead + AsyncWrite,
    R: AsyncRead + AsyncWrite,
{
    let (from_plugin, to_plugin) = split(plugin);
    let (from_runtime, to_runtime) = split(runtime);
    let (tap, first) = (tap.as_ref(), OnceLock::new());
    let outcome = tokio::select! {
        outcome = async { tokio::try_join!(
            pipe(Party::Runtime, from_runtime, to_plugin, tap, &first),
            pipe(Party::Plugin, from_plugin, to_runtime, tap, &first),
        ) } => Some(outcome),
        () = stop => None,
    };
    let Some(tap) = tap else { return };
    match outcome {
        None => tap.closed(Closer::Recorder, None),
        Some(Ok(_)) => tap.closed(first.get().map_or(Closer::Recorder, closer), None),
        Some(Err((by, error))) => tap.closed(closer(&by), Some(error.to_string())),
    }
}

/// Moves bytes in one direction until the sender closes its side. An error names the end that was lost, and `first`
/// becomes the end that closed its side first.
async fn pipe(
    by: Party,
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    tap: Option<&Tap>,
    first: &OnceLock<Party>,
) -> Result<(), (Party, io::Error)> {
    let receiver_lost = |error| (by.peer(), error);
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let count = from.read(&mut buffer).await.map_err(|error| (by, error))?;
        if count == 0 {
            break;
        }
        let bytes = &buffer[..count];
        to.write_all(bytes).await.map_err(receiver_lost)?;
        to.flush().await.map_err(receiver_lost)?;
        if let Some(tap) = tap {
            tap.data(by, bytes);
        }
    }
    first.get_or_init(|| by);
    let ended = to.shutdown().await;
    ended.or_else(ignore_gone).map_err(receiver_lost)
}

/// Ignores the error of a socket whose peer is already gone.
fn ignore_gone(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotConnected {
        return Ok(());
    }
    Err(error)
}

fn closer(party: &Party) -> Closer {
    match party {
        Party::Runtime => Closer::Runtime,
        Party::Plugin => Closer::Plugin,
    }
}
