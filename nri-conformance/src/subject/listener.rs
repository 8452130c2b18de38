//! A socket that plugins connect to.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nri::wire::Socket;
use tempfile::TempDir;
use tokio::net::UnixListener;

use crate::error::{Error, Result};

use super::Stream;

/// A listening Unix socket. Its file is removed when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Listener(Arc<Bound>);

#[derive(Debug)]
struct Bound {
    listener: UnixListener,
    path: PathBuf,
    _folder: Option<TempDir>,
}

impl Listener {
    /// Listens on a path.
    ///
    /// # Errors
    ///
    /// Returns an error if the socket cannot be created, for example because the file exists.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O enabled.
    pub fn bind(path: impl Into<PathBuf>) -> Result<Self> {
        Self::bound(path.into(), None)
    }

    /// Listens in a temporary folder.
    pub(super) fn temporary() -> Result<Self> {
        let folder = tempfile::tempdir()
            .map_err(|error| Error::io("create a folder in", &std::env::temp_dir(), error))?;
        Self::bound(folder.path().join("nri.sock"), Some(folder))
    }

    fn bound(path: PathBuf, folder: Option<TempDir>) -> Result<Self> {
        let listener = UnixListener::bind(&path).map_err(|error| {
            let in_use = error.kind() == io::ErrorKind::AddrInUse;
            let error = Error::io("listen on", &path, error);
            if in_use {
                error.with_help("remove the file if no runtime listens there, or give another path")
            } else {
                error
            }
        })?;
        Ok(Listener(Arc::new(Bound { listener, path, _folder: folder })))
    }

    /// Returns the path of the socket.
    pub(super) fn path(&self) -> &Path {
        &self.0.path
    }

    /// Waits for the next plugin to connect.
    pub(crate) async fn accept(&self) -> io::Result<Box<dyn Stream>> {
        let (stream, _) = self.0.listener.accept().await?;
        Ok(Box::new(Socket::new(stream)?))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // A plugin may already have removed it.
        let _ = std::fs::remove_file(&self.path);
    }
}
