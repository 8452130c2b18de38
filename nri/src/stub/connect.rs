//! Connects to the runtime.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::{io::DuplexStream, sync::mpsc};

use super::inherit;
use crate::wire::Socket;
use crate::{Error, ErrorKind, Result};

/// The default path of the socket on which runtimes listen for plugins.
pub const DEFAULT_SOCKET: &str = "/var/run/nri/nri.sock";

/// The environment variable with the path of the socket that external plugins connect to.
const PATH_VARIABLE: &str = "NRI_SOCKET";

/// The environment variable with the number of a connected socket, set by a runtime that launches a
/// plugin.
const SOCKET_VARIABLE: &str = "NRI_PLUGIN_SOCKET";

/// Takes over the socket that the runtime passed to this process, which it launched as a plugin;
/// `None` if no runtime launched it.
///
/// For programs that speak the protocol through [`wire`](crate::wire). A [`Stub`](super::Stub)
/// takes it over by itself.
///
/// # Errors
///
/// Returns [`ErrorKind::Config`](crate::ErrorKind::Config) if `NRI_PLUGIN_SOCKET` is not the number
/// of an open, connected Unix socket, or if the socket was taken over before.
///
/// # Panics
///
/// Panics outside of a tokio runtime with I/O enabled.
pub fn launched_socket() -> Result<Option<Socket>> {
    let Ok(number) = std::env::var(SOCKET_VARIABLE) else {
        return Ok(None);
    };
    take_over(&number).map(Some)
}

fn take_over(number: &str) -> Result<Socket> {
    let stream = inherit::take_over(number)?;
    Ok(Socket::new(UnixStream::from_std(stream)?)?)
}

/// Connects to a runtime that listens for plugins, once.
///
/// For programs that speak the protocol through [`wire`](crate::wire). A [`Stub`](super::Stub)
/// connects by itself, as often as needed.
///
/// # Errors
///
/// Returns [`ErrorKind::Connection`](crate::ErrorKind::Connection) with what to check.
///
/// # Panics
///
/// Panics outside of a tokio runtime with I/O enabled.
pub async fn connect(path: &Path) -> Result<Socket> {
    match UnixStream::connect(path).await {
        Ok(stream) => Ok(Socket::new(stream)?),
        Err(error) => Err(not_connected(path, error)),
    }
}

/// Any stream of bytes in both directions.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Connects to a runtime, each time that it is called.
pub(super) type Dialer =
    Box<dyn FnMut() -> Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>> + Send>;

/// Returns a dialer from a function that returns streams of one type.
pub(super) fn dialer<S, F>(mut dial: impl FnMut() -> F + Send + 'static) -> Dialer
where
    S: Stream + 'static,
    F: Future<Output = io::Result<S>> + Send + 'static,
{
    Box::new(move || {
        let dialed = dial();
        Box::pin(async { dialed.await.map(|stream| Box::new(stream) as Box<dyn Stream>) })
    })
}

/// The origin of the connection.
pub(super) enum Endpoint {
    /// The runtime launched the plugin and passed a socket with this number, as text; `None` once
    /// it is used.
    Launched(Option<String>),
    /// A socket to connect to, as often as needed.
    Socket(PathBuf),
    /// A stream passed by the caller; `None` once it is used.
    Given(Option<Box<dyn Stream>>),
    /// Streams that the caller opens, as often as needed.
    Dialed(Dialer),
    /// Connections that a test hands over one after the other.
    Handed(mpsc::UnboundedReceiver<DuplexStream>),
}

impl Endpoint {
    /// Returns the socket in the environment variable for external plugins, or the default socket.
    pub(super) fn external() -> Self {
        let named = std::env::var_os(PATH_VARIABLE).filter(|path| !path.is_empty());
        Self::Socket(named.map_or_else(|| DEFAULT_SOCKET.into(), PathBuf::from))
    }

    /// Returns the socket that the runtime passed, if it launched this plugin.
    pub(super) fn launched() -> Option<Self> {
        std::env::var(SOCKET_VARIABLE).ok().map(|number| Self::Launched(Some(number)))
    }

    /// Returns true if another connection can be made when the first one is lost.
    pub(super) fn is_external(&self) -> bool {
        match self {
            Self::Socket(_) | Self::Dialed(_) | Self::Handed(_) => true,
            Self::Launched(_) | Self::Given(_) => false,
        }
    }

    /// Connects. An endpoint that can be used only once is marked as used.
    pub(super) async fn open(&mut self) -> Result<Box<dyn Stream>> {
        match self {
            Self::Socket(path) => Ok(Box::new(connect(path).await?)),
            Self::Handed(connections) => match connections.recv().await {
                Some(stream) => Ok(Box::new(stream)),
                None => Err(used()),
            },
            Self::Launched(number) => Ok(Box::new(take_over(&number.take().ok_or_else(used)?)?)),
            Self::Given(stream) => stream.take().ok_or_else(used),
            Self::Dialed(dial) => dial().await.map_err(|error| {
                let message = "cannot connect to the runtime";
                Error::with_kind(ErrorKind::Connection, message).with_source(error)
            }),
        }
    }
}

fn used() -> Error {
    Error::with_kind(ErrorKind::Connection, "the stream was used before")
}

fn not_connected(path: &Path, error: io::Error) -> Error {
    let help = match error.kind() {
        io::ErrorKind::NotFound => {
            "check that the runtime runs with NRI enabled, and listens there"
        }
        io::ErrorKind::PermissionDenied => {
            "run the plugin as the user of the runtime, usually root"
        }
        io::ErrorKind::ConnectionRefused => {
            "the socket is stale: check that the runtime is running"
        }
        _ => "check that this is the runtime's NRI socket",
    };
    Error::with_kind(ErrorKind::Connection, format!("cannot connect to {}", path.display()))
        .with_help(help)
        .with_source(error)
}
