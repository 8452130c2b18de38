//! Errors of WebAssembly modules.

use std::io;
use std::time::Duration;

use nri::wire::MAX_MESSAGE;

/// The reason why a module cannot be loaded, or a call into it fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum ModuleError {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Read(#[source] io::Error),
    /// The file is too large.
    #[error("at least {size} bytes, at most {max} are loaded")]
    TooLarge {
        /// Bytes read.
        size: usize,
        /// The limit.
        max: usize,
    },
    /// The release that the adaptation behaves as has no such plugins.
    #[error("NRI {release} has no WebAssembly plugins, which came with {since}")]
    Revision {
        /// The release of NRI that was configured.
        release: String,
        /// The first release that has them.
        since: &'static str,
    },
    /// A function is missing, worded as in the reference.
    #[error("{0} is not exported")]
    NotExported(String),
    /// A function has other parameters or results than the calling convention demands.
    #[error("{0} has an invalid signature")]
    Signature(String),
    /// The module follows another version of the calling convention, worded as in the reference.
    #[error("API version mismatch, host: {host}, plugin: {plugin}")]
    Version {
        /// The version of this crate.
        host: u64,
        /// The version of the module.
        plugin: u64,
    },
    /// The module does not compile or link, or it trapped.
    #[error("{0}")]
    Engine(String),
    /// The module named bytes that are not in its memory.
    #[error("{what}: {length} bytes at {address:#x} are not in the memory of the module")]
    OutOfMemory {
        /// The use of the bytes.
        what: &'static str,
        /// The address of the first byte in the memory of the module.
        address: u32,
        /// The number of bytes.
        length: u32,
    },
    /// An answer is too large to be sent on.
    #[error("an answer of {0} bytes, at most {MAX_MESSAGE} are read")]
    LongAnswer(u32),
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
    /// Returns true if the module cannot be called again.
    pub(super) fn is_fatal(&self) -> bool {
        !matches!(self, Self::Plugin(_))
    }

    /// Returns true if there is no answer for the runtime.
    pub(super) fn is_silence(&self) -> bool {
        matches!(self, Self::Time(_) | Self::Abandoned)
    }
}

impl From<wasmi::Error> for ModuleError {
    fn from(mut error: wasmi::Error) -> Self {
        match error.downcast_mut::<HostError>() {
            Some(host) => std::mem::replace(&mut host.0, Self::Abandoned),
            None => Self::Engine(error.to_string()),
        }
    }
}

/// An error of a function that the module imports, on its way through the engine.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct HostError(ModuleError);

impl wasmi::errors::HostError for HostError {}

impl From<ModuleError> for wasmi::Error {
    fn from(error: ModuleError) -> Self {
        wasmi::Error::host(HostError(error))
    }
}
