//! A socket that plugins connect to instead of the runtime's.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use std::{fs, io};

use nri::wire::Socket;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::error::{Error, ErrorKind, Result};
use crate::record::frame::{Closer, Party, Source};
use crate::record::limits::{MAX_PLUGINS, Options, Recorded};
use crate::record::observe::connect;
use crate::record::recorder::{Recorder, Tap};
use crate::subject::{Listener, Stream};

/// The pause after a failed accept, which usually means a lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// A socket that plugins connect to instead of the runtime's, so that their answers are recorded as
/// well.
///
/// Each connection is forwarded to the runtime unchanged, in both directions. Bytes are recorded
/// after they have been forwarded, and are decoded and written on a separate thread, so that a slow
/// disk delays no event.
///
/// ```no_run
/// use nri_conformance::record::{Options, Proxy, create_file};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let proxy = Proxy::bind("/run/nri-proxy/nri.sock", "/var/run/nri/nri.sock")?;
/// let file = create_file("session.nri".as_ref())?;
/// let stop = async { _ = tokio::signal::ctrl_c().await };
/// let recorded = proxy.record(file, Options::default(), stop).await?;
/// println!("{} frames of {} connections", recorded.frames, recorded.connections);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Proxy {
    listener: Listener,
    runtime: PathBuf,
}

impl Proxy {
    /// Listens on a path. A socket file on which no process listens is replaced. Only the owner may
    /// connect.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Connection`] if the path is in use, or if listening on it fails.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O enabled.
    pub fn bind(listen: impl AsRef<Path>, runtime: impl AsRef<Path>) -> Result<Self> {
        let path = listen.as_ref();
        if StdUnixStream::connect(path).is_ok() {
            let message = format!("cannot listen on {}: in use", path.display());
            return Err(Error::of(ErrorKind::Connection, message)
                .with_help("give the proxy another path, to which plugins connect"));
        }
        let listener = listen_on(path).map_err(|error| error.with_kind(ErrorKind::Connection))?;
        Ok(Proxy { listener, runtime: runtime.as_ref().to_owned() })
    }

    /// Forwards and records until `stop` completes. Connections are closed then.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`] if the recording cannot be written. Forwarding goes on until
    /// `stop` completes in that case, and the error is logged when it occurs.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time and I/O enabled.
    pub async fn record(
        self,
        output: impl Write + Send + 'static,
        options: Options,
        stop: impl Future<Output = ()>,
    ) -> Result<Recorded> {
        let recorder = Recorder::start(output, Source::Proxy, options)?;
        let mut tunnels = JoinSet::new();
        tokio::select! {
            () = stop => {}
            () = self.accept_all(&recorder, &mut tunnels) => {}
        }
        drop(self);
        tunnels.shutdown().await;
        recorder.finish().await
    }

    async fn accept_all(&self, recorder: &Recorder, tunnels: &mut JoinSet<()>) {
        loop {
            while tunnels.try_join_next().is_some() {}
            if tunnels.len() >= MAX_PLUGINS {
                tunnels.join_next().await;
            }
            let plugin = match self.listener.accept().await {
                Ok(plugin) => plugin,
                Err(error) => {
                    tracing::warn!("cannot accept a plugin: {error}");
                    sleep(PAUSE).await;
                    continue;
                }
            };
            match connect(&self.runtime).await {
                Ok(runtime) => _ = tunnels.spawn(tunnel(plugin, runtime, recorder.open())),
                // The plugin gets a closed connection, as it would without the proxy, and tries
                // again.
                Err(error) => tracing::warn!("a plugin is turned away: {error}"),
            }
        }
    }
}

/// Listens on a path, and replaces a socket file on which no process listens any more.
fn listen_on(path: &Path) -> Result<Listener> {
    let file = path.symlink_metadata();
    if file.is_ok_and(|file| file.file_type().is_socket()) {
        fs::remove_file(path).map_err(|error| Error::io("replace", path, error))?;
    }
    let listener = Listener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))
        .map_err(|error| Error::io("restrict", path, error))?;
    Ok(listener)
}

/// The maximum number of bytes that are read at once.
const BUFFER_BYTES: usize = 64 << 10;

/// Forwards until both ends have closed their sides or one end is lost. Records which end closed
/// the connection.
///
/// One task serves both directions, so that an answer is never recorded before its request.
async fn tunnel(plugin: Box<dyn Stream>, runtime: Socket, tap: Tap) {
    let (from_plugin, to_plugin) = split(plugin);
    let (from_runtime, to_runtime) = split(runtime);
    let first = OnceLock::new();
    let outcome = tokio::try_join!(
        pipe(Party::Runtime, from_runtime, to_plugin, &tap, &first),
        pipe(Party::Plugin, from_plugin, to_runtime, &tap, &first),
    );
    match outcome {
        Ok(_) => tap.closed(first.get().map_or(Closer::Recorder, closer), None),
        Err((by, error)) => tap.closed(closer(&by), Some(error.to_string())),
    }
}

/// Moves bytes in one direction until the sender closes its side. An error names the end that was
/// lost, and `first` becomes the end that closed its side first.
async fn pipe(
    by: Party,
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    tap: &Tap,
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
        tap.data(by, bytes);
    }
    first.get_or_init(|| by);
    match to.shutdown().await {
        // The receiver is already gone.
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        ended => ended.map_err(receiver_lost),
    }
}

fn closer(party: &Party) -> Closer {
    match party {
        Party::Runtime => Closer::Runtime,
        Party::Plugin => Closer::Plugin,
    }
}
