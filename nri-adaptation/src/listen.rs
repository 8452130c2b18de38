//! The socket that external plugins connect to.

use std::io;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use nri::wire::Socket;
use nri::{Error, ErrorKind, Result};

use super::core::Core;
use super::session::{Origin, attach};

/// Connections that may be registering at once. Further ones wait in the socket's backlog.
const MAX_REGISTERING: usize = 256;

/// The pause after a failed accept, for example for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// A socket that is listened on. The file is removed when this is dropped.
#[derive(Debug)]
pub(super) struct PluginSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl Drop for PluginSocket {
    fn drop(&mut self) {
        // Another process may have removed it.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl PluginSocket {
    /// Listens on a path. Creates directories, and replaces the file of a socket that no process
    /// listens on.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if the path is in use or cannot be listened on.
    pub(super) fn bind(path: &Path) -> Result<Self> {
        let failed = |error: io::Error| {
            let message = format!("failed to create socket {}: {error}", path.display());
            Error::with_kind(ErrorKind::Config, message).with_source(error)
        };
        if StdUnixStream::connect(path).is_ok() {
            let message = format!("failed to create socket {}: in use", path.display());
            let help = "end the runtime that listens there, or use another path";
            return Err(Error::with_kind(ErrorKind::Config, message).with_help(help));
        }
        if let Some(directory) = path.parent() {
            create_private(directory).map_err(failed)?;
        }
        remove_stale(path).map_err(failed)?;
        let listener = UnixListener::bind(path).map_err(failed)?;
        Ok(PluginSocket { listener, path: path.to_owned() })
    }

    /// Accepts connections of plugins until the adaptation stops.
    pub(super) async fn serve(self, core: Arc<Core>) {
        let registering = Arc::new(Semaphore::new(MAX_REGISTERING));
        loop {
            let Ok(permit) = Arc::clone(&registering).acquire_owned().await else {
                break;
            };
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let core = Arc::clone(&core);
                    tokio::spawn(async move {
                        admit(&core, stream).await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    tracing::warn!("failed to accept a plugin: {error}");
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

async fn admit(core: &Arc<Core>, stream: UnixStream) {
    match Socket::new(stream) {
        // Errors are logged where they occur.
        Ok(socket) => {
            drop(attach(core, socket, Origin::new("external", None, String::new())).await)
        }
        Err(error) => tracing::error!("failed to start external plugin: {error}"),
    }
}

fn create_private(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(directory)
}

/// Removes a socket file. Other files stay, and make listening fail.
fn remove_stale(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt as _;
    match path.symlink_metadata() {
        Ok(file) if file.file_type().is_socket() => std::fs::remove_file(path),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
