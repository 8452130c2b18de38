//! A plugin that subscribes to all events, changes nothing, and records the requests that it
//! receives.

use std::io::Write;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use nri::api::SynchronizeRequest;
use nri::codec::Message as _;
use nri::wire::{Ended, Request, Service, Socket, Status};
use tokio::net::UnixStream;
use tokio::time::sleep;

use super::frame::{Closer, Party, Source};
use super::limits::{Options, Recorded};
use super::recorder::Recorder;
use crate::error::{Error, ErrorKind, Result};
use crate::peer;
use crate::tapped::Tapped;

/// The longest wait between attempts to reconnect.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The name that the observing plugin registers with.
const NAME: &str = "nri-recorder";

/// Connects to the runtime's socket as a plugin that subscribes to every event, changes nothing,
/// and records each request. Reconnects when the runtime restarts. Ends when `stop` completes.
///
/// The plugin has the name `nri-recorder` and this index, two digits. It receives requests after
/// plugins with lower indices have changed them.
///
/// ```no_run
/// use nri_conformance::record::{Options, create_file, observe};
///
/// # async fn example() -> Result<(), nri_conformance::record::Error> {
/// let file = create_file("session.nri".as_ref())?;
/// let stop = async { _ = tokio::signal::ctrl_c().await };
/// let socket = nri::stub::DEFAULT_SOCKET.as_ref();
/// observe(socket, "99", file, Options::default(), stop).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns [`ErrorKind::Connection`] if the runtime cannot be reached at first or refuses the
/// plugin, and [`ErrorKind::Io`] if the recording cannot be written.
///
/// # Panics
///
/// Panics outside of a tokio runtime with time and I/O enabled.
pub async fn observe(
    socket: &Path,
    index: &str,
    output: impl Write + Send + 'static,
    options: Options,
    stop: impl Future<Output = ()> + Send,
) -> Result<Recorded> {
    let first = connect(socket).await?;
    let recorder = Recorder::start(output, Source::Observer, options)?;
    let observed = {
        let mut stop = pin!(stop);
        observe_all(socket, first, index, &recorder, stop.as_mut()).await
    };
    let recorded = recorder.finish().await?;
    observed.map(|()| recorded)
}

/// Serves one connection after the other.
async fn observe_all(
    socket: &Path,
    first: Socket,
    index: &str,
    recorder: &Recorder,
    mut stop: Pin<&mut (impl Future<Output = ()> + Send)>,
) -> Result<()> {
    let (mut stream, mut again, mut wait) = (first, false, FIRST_WAIT);
    loop {
        let observer = Spectator::default();
        let tap = recorder.open();
        let tapped = Tapped::new(stream, Party::Runtime, |by, bytes| tap.data(by, bytes));
        let ended = peer::serve(tapped, NAME, index, &observer, stop.as_mut()).await;
        let synchronized = observer.synchronized.into_inner();
        let closed = "the runtime closed the connection";
        let lost = match ended {
            Ok(Ended::ByShutdown) => return Ok(()),
            Ok(Ended::ByPeer) if synchronized => None,
            Ok(Ended::ByPeer) => Some(format!("{closed} before it synchronized the plugin")),
            Err(reason) => Some(reason),
        };
        tap.closed(Closer::Runtime, lost.clone());
        let reason = lost.unwrap_or_else(|| closed.to_owned());
        if !synchronized && !again {
            return Err(refused(socket, &reason));
        }
        tracing::warn!("connecting again: {reason}");
        again = true;
        if synchronized {
            wait = FIRST_WAIT;
        }
        tokio::select! {
            () = stop.as_mut() => return Ok(()),
            connected = reconnect(socket, &mut wait) => stream = connected,
        }
    }
}

/// Connects to the socket of a runtime.
pub(super) async fn connect(socket: &Path) -> Result<Socket> {
    let connected = async { Socket::new(UnixStream::connect(socket).await?) };
    connected.await.map_err(|error| {
        let message = format!("cannot connect to {}: {error}", socket.display());
        Error::of(ErrorKind::Connection, message)
            .with_source(error)
            .with_help("check that the runtime runs with NRI enabled, and listens there")
    })
}

async fn reconnect(socket: &Path, wait: &mut Duration) -> Socket {
    loop {
        sleep(*wait).await;
        *wait = (*wait * 2).min(LONGEST_WAIT);
        match connect(socket).await {
            Ok(stream) => return stream,
            Err(error) => tracing::debug!("{error}"),
        }
    }
}

fn refused(socket: &Path, reason: &str) -> Error {
    let message = format!("cannot observe {}: {reason}", socket.display());
    Error::of(ErrorKind::Connection, message).with_help(
        "check name and index, that no plugin of this name and index is connected, and the log of the runtime",
    )
}

/// A plugin that subscribes to every event and does nothing.
#[derive(Default)]
struct Spectator {
    synchronized: AtomicBool,
}

impl Service for Spectator {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        if request.method != "Synchronize" {
            return Ok(Bytes::new());
        }
        let part = SynchronizeRequest::decode(request.payload).map_err(peer::malformed)?;
        if !part.more {
            self.synchronized.store(true, Ordering::Relaxed);
        }
        Ok(peer::synchronized(part.more))
    }
}
