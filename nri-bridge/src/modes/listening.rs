//! As a socket at which plugins connect by themselves.

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nri::wire::Socket;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::reach;
use crate::error::{Error, ErrorKind};
use crate::relay::{Options, relay};
use crate::state::State;

/// The maximum number of plugins at once; more wait in the queue of the kernel.
const MAX_PLUGINS: usize = 64;

/// The pause after a connection could not be accepted, for example for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// The sockets of both sides.
#[derive(Clone, Debug)]
pub struct Listening {
    /// The socket of the runtime.
    pub runtime: PathBuf,
    /// The socket that plugins connect to. It is created, and belongs to the user of the bridge alone.
    pub plugins: PathBuf,
}

/// Relays for every plugin that connects, each with a connection of its own to the runtime. A plugin that connects while the
/// runtime is down waits for it. Returns only with an error.
///
/// # Errors
///
/// Returns an error if the socket cannot be created.
pub async fn listen(listening: &Listening, options: &Options, state: &State) -> Result<(), Error> {
    let listener = bind(&listening.plugins)?;
    let places = Arc::new(Semaphore::new(MAX_PLUGINS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return Ok(());
        };
        match accept(&listener).await {
            Ok(plugin) => {
                let (socket, options) = (listening.runtime.clone(), options.clone());
                let state = state.clone();
                tokio::spawn(async move {
                    let runtime = reach(&socket).await;
                    relay(runtime, plugin, &options, &state).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!("cannot accept a connection of a plugin: {error}");
                sleep(PAUSE).await;
            }
        }
    }
}

async fn accept(listener: &UnixListener) -> std::io::Result<Socket> {
    let (stream, _): (UnixStream, _) = listener.accept().await?;
    Socket::new(stream)
}

/// Creates the socket, in place of one that an earlier process has left behind.
fn bind(path: &Path) -> Result<UnixListener, Error> {
    let failed = |error| {
        let failed = Error::of_path(ErrorKind::Io, "cannot listen at", path, error);
        failed.with_help(
            "name a path in a folder that exists and is writable, where no other file is",
        )
    };
    if fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket()) {
        fs::remove_file(path).map_err(failed)?;
    }
    let listener = UnixListener::bind(path).map_err(failed)?;
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}
