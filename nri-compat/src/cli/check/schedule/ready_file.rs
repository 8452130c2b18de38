//! The file that reports readiness.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::error::{Error, ErrorKind};

/// A file that exists while repeated checks run and have written a report.
#[derive(Clone, Debug)]
pub(super) struct ReadyFile(PathBuf);

impl ReadyFile {
    /// Removes the file of an earlier process, which a restarted container of a pod still has.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be removed.
    pub(super) fn new(path: PathBuf) -> Result<Self, Error> {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let message = format!("cannot remove {}: {error}", path.display());
                Err(Error::new(ErrorKind::Output, message))
            }
            Ok(()) | Err(_) => Ok(Self(path)),
        }
    }

    /// Creates the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub(super) fn create(&self) -> Result<(), Error> {
        fs::write(&self.0, "").map_err(|error| {
            let message = format!("cannot write {}: {error}", self.0.display());
            Error::new(ErrorKind::Output, message)
                .with_help("name a file in a folder that exists and is writable")
        })
    }

    /// Removes the file if it exists. The process ends, so there is nobody to report a failure to.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.0);
    }
}
