//! As a socket at which plugins connect by themselves.

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nri::wire::Socket;
use tokio::io::Interest;
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
    /// The socket that plugins connect to. It is created, and belongs to the user of the bridge
    /// alone.
    pub plugins: PathBuf,
}

/// Relays for every plugin that connects, each with a connection of its own to the runtime. A
/// plugin that connects while the runtime is down waits for it. Returns only with an error.
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
        match listener.accept().await {
            Ok((plugin, _)) => {
                let (socket, options) = (listening.runtime.clone(), options.clone());
                let state = state.clone();
                tokio::spawn(async move {
                    if let Some((runtime, plugin)) = connect(&socket, plugin).await {
                        relay(runtime, plugin, &options, &state).await;
                    }
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

/// Connects to the runtime for a plugin, and waits for it if it is down. Returns `None` if the
/// plugin leaves before, as plugins do whose registration takes too long: otherwise it would keep
/// its place, and the runtime would get a dead plugin.
async fn connect(socket: &Path, plugin: UnixStream) -> Option<(Socket, Socket)> {
    let runtime = tokio::select! {
        runtime = reach(socket) => runtime,
        // Wakes up when the plugin has closed its side, not when it has sent its registration.
        _ = plugin.ready(Interest::PRIORITY) => {
            tracing::info!("a plugin left while the runtime was down");
            return None;
        }
    };
    let plugin =
        Socket::new(plugin).inspect_err(|error| tracing::warn!("cannot serve a plugin: {error}"));
    Some((runtime, plugin.ok()?))
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

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn a_plugin_waits_for_the_runtime_until_it_leaves() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("nri.sock");
        let (plugin, ours) = registering().await;
        let (connected, ()) = tokio::join!(connect(&socket, ours), async {
            tokio::task::yield_now().await;
            drop(plugin);
        });
        assert!(connected.is_none());
    }

    #[tokio::test]
    async fn a_plugin_that_stays_is_connected_when_the_runtime_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("nri.sock");
        let (_plugin, ours) = registering().await;
        let (connected, _listener) = tokio::join!(connect(&socket, ours), async {
            tokio::task::yield_now().await;
            UnixListener::bind(&socket).expect("a socket")
        });
        assert!(connected.is_some());
    }

    /// Returns a plugin that has sent its registration, and our end of its connection.
    async fn registering() -> (UnixStream, UnixStream) {
        let (mut plugin, ours) = UnixStream::pair().expect("a pair");
        plugin.write_all(b"registration").await.expect("there is room");
        (plugin, ours)
    }
}
