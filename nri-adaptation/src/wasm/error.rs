//! Errors of WebAssembly modules.

use std::fmt::Display;
use std::io;
use std::time::Duration;

/// The reason why a module cannot be loaded, or a call into it fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum ModuleError {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Read(#[source] io::Error),
    /// The module cannot be compiled or linked, breaks the calling convention, or trapped.
    #[error("{0}")]
    Failed(String),
    /// The module did not finish in time.
    #[error("not finished within {0:.1?}")]
    Time(Duration),
    /// No caller waits for the module any more.
    #[error("the call was given up")]
    Abandoned,
    /// The plugin returned an error. The module can still be called.
    #[error("{0}")]
    Plugin(String),
}

impl ModuleError {
    /// Returns the error for a function or memory that the module lacks, worded as in the
    /// reference.
    pub(super) fn not_exported(name: &str) -> Self {
        Self::Failed(format!("{name} is not exported"))
    }

    /// Returns the error for a function with other parameters or results than the calling
    /// convention demands.
    pub(super) fn signature(name: &str) -> Self {
        Self::Failed(format!("{name} has an invalid signature"))
    }

    /// Returns the error for bytes that are not in the memory of the module.
    pub(super) fn outside(what: &str, address: u32, length: u32) -> Self {
        Self::Failed(format!(
            "{what}: {length} bytes at {address:#x} are not in the memory of the module"
        ))
    }

    /// Returns true if the module cannot be called again.
    pub(super) fn is_fatal(&self) -> bool {
        !matches!(self, Self::Plugin(_))
    }

    /// Returns true if there is no answer for the runtime.
    pub(super) fn is_silence(&self) -> bool {
        matches!(self, Self::Time(_) | Self::Abandoned)
    }

    pub(super) fn failed(error: impl Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<wasmi::Error> for ModuleError {
    fn from(mut error: wasmi::Error) -> Self {
        match error.downcast_mut::<ModuleError>() {
            Some(own) => std::mem::replace(own, Self::Abandoned),
            None => Self::failed(error),
        }
    }
}

/// An error of a function that the module imports goes through the engine.
impl wasmi::errors::HostError for ModuleError {}

impl From<ModuleError> for wasmi::Error {
    fn from(error: ModuleError) -> Self {
        wasmi::Error::host(error)
    }
}
