//! The way to the runtime.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;

use super::inherit;
use crate::wire::Socket;
use crate::{Error, ErrorKind, Result};

/// Where runtimes listen for plugins unless configured otherwise.
pub const DEFAULT_SOCKET: &str = "/var/run/nri/nri.sock";

/// Read by external plugins: the path of the socket to connect to.
const PATH_VARIABLE: &str = "NRI_SOCKET";

/// Set by a runtime that launches a plugin, to the number of a connected socket.
const SOCKET_VARIABLE: &str = "NRI_PLUGIN_SOCKET";

/// Any stream of bytes in both directions.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Where the connection comes from.
pub(super) enum Endpoint {
    /// The runtime launched the plugin and passed a socket with this number, as text.
    Launched(String),
    /// A socket to connect to, as often as needed.
    Socket(PathBuf),
    /// A stream that the caller made.
    Given(Box<dyn Stream>),
    /// The connection could be used only once, and has been.
    Used,
}

impl Endpoint {
    /// Returns the socket that the environment names for external plugins, or the default one.
    pub(super) fn external() -> Self {
        let named = std::env::var_os(PATH_VARIABLE).filter(|path| !path.is_empty());
        Self::Socket(named.map_or_else(|| DEFAULT_SOCKET.into(), PathBuf::from))
    }

    /// Returns the socket that the runtime passed, if it launched this plugin.
    pub(super) fn launched() -> Option<Self> {
        std::env::var(SOCKET_VARIABLE).ok().map(Self::Launched)
    }

    /// Whether another connection can be made when the first is lost.
    pub(super) fn is_external(&self) -> bool {
        matches!(self, Self::Socket(_))
    }

    /// Connects. What can be used once is used then.
    pub(super) async fn open(&mut self) -> Result<Box<dyn Stream>> {
        if let Self::Socket(path) = self {
            return match UnixStream::connect(&*path).await {
                Ok(stream) => Ok(Box::new(Socket::new(stream)?)),
                Err(error) => Err(not_connected(path, error)),
            };
        }
        match std::mem::replace(self, Self::Used) {
            Self::Launched(number) => {
                let stream = inherit::take_over(&number)?;
                Ok(Box::new(Socket::new(UnixStream::from_std(stream)?)?))
            }
            Self::Given(stream) => Ok(stream),
            Self::Socket(_) | Self::Used => Err(Error::with_kind(
                ErrorKind::Connection,
                "the stream was used before",
            )),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Launched(number) => write!(f, "Launched({number})"),
            Self::Socket(path) => write!(f, "Socket({})", path.display()),
            Self::Given(_) => f.write_str("Given"),
            Self::Used => f.write_str("Used"),
        }
    }
}

fn not_connected(path: &Path, error: io::Error) -> Error {
    let help = match error.kind() {
        io::ErrorKind::NotFound => {
            "check that the runtime runs with NRI enabled, and listens there"
        }
        io::ErrorKind::PermissionDenied => {
            "run the plugin as the user of the runtime, usually root"
        }
        io::ErrorKind::ConnectionRefused => "the socket is left over: check that the runtime runs",
        _ => "check that this is the runtime's NRI socket",
    };
    Error::with_kind(
        ErrorKind::Connection,
        format!("cannot connect to {}", path.display()),
    )
    .with_help(help)
    .with_source(error)
}
