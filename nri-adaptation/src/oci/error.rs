//! The reasons why an adjustment cannot be applied to a spec.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::PathBuf;

pub(super) type BoxError = Box<dyn StdError + Send + Sync>;

/// An adjustment that cannot be applied: the field, and the reason. The spec is
/// unchanged.
#[derive(Debug)]
pub struct Error {
    field: String,
    kind: ErrorKind,
}

/// The reason why a field cannot be applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The name of an environment variable is missing.
    #[error("name is empty")]
    Unnamed,
    /// A name that the runtime specification does not define.
    #[error("{value:?} is not {expected}")]
    UnknownName {
        /// The name given.
        value: String,
        /// The expected kind of name, with its article: `a device type`.
        expected: &'static str,
    },
    /// A number that is not a value of the protocol's enum.
    #[error("{0} is not known")]
    UnknownNumber(i32),
    /// A number that is too low or too high for the runtime specification.
    #[error("{value} is not in {min} to {max}")]
    OutOfRange {
        /// The value given.
        value: i64,
        /// The lowest value possible.
        min: i64,
        /// The highest value possible.
        max: i64,
    },
    /// A name that the runtime has to resolve, but for which it has set no callback.
    #[error("no callback is set to resolve {value:?}")]
    NoCallback {
        /// The name to be resolved.
        value: String,
        /// The method of [`Generator`](crate::oci::Generator) that sets the callback.
        method: &'static str,
    },
    /// An error that a callback of the runtime returned.
    #[error("{0}")]
    Refused(#[source] BoxError),
    /// The mount that contains the source cannot be determined.
    #[error("cannot determine the propagation of {source_path:?}")]
    UnknownPropagation {
        /// The source of the mount.
        source_path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The source is on a mount that does not propagate as the options require.
    #[error("{source_path:?} is on a {found} mount, but {option:?} requires a {accepted} one")]
    WrongPropagation {
        /// The source of the mount.
        source_path: PathBuf,
        /// The option: `rshared` or `rslave`.
        option: &'static str,
        /// The propagation of the mount that contains the source.
        found: Propagation,
        /// The accepted propagation: `shared`.
        accepted: &'static str,
    },
}

impl Error {
    pub(super) fn new(field: impl Into<String>, kind: ErrorKind) -> Self {
        Error { field: field.into(), kind }
    }

    /// Returns the field of the adjustment, with the names of the protocol:
    /// `linux.devices[2].type`.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the reason.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns how to fix it.
    pub fn help(&self) -> String {
        match &self.kind {
            ErrorKind::Unnamed => "give the variable a name".into(),
            ErrorKind::UnknownName { .. } => {
                "use a name that the OCI runtime specification defines".into()
            }
            ErrorKind::UnknownNumber(_) => {
                "use one of the values that the protocol defines, or a newer release of this crate"
                    .into()
            }
            ErrorKind::OutOfRange { .. } => "choose a value in that range".into(),
            ErrorKind::NoCallback { method, .. } => {
                format!("set one with `Generator::{method}`")
            }
            ErrorKind::Refused(_) => {
                "change the plugin so that it asks for something that the runtime allows".into()
            }
            ErrorKind::UnknownPropagation { .. } => {
                "use an absolute path as the source, and make sure that /proc is mounted".into()
            }
            ErrorKind::WrongPropagation { .. } => {
                "run `mount --make-rshared` on the mount, or remove the option".into()
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot apply {}: {}", self.field, self.kind)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.kind.source()
    }
}

/// Allows `?` in functions that return [`nri::Error`]. The help is kept.
impl From<Error> for nri::Error {
    fn from(error: Error) -> Self {
        let help = error.help();
        nri::Error::other(error).with_help(help)
    }
}

/// The propagation of a mount: see `mount_namespaces(7)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// Mounts below it are not propagated.
    Private,
    /// Mounts below it are propagated to its peers and from them.
    Shared,
    /// Mounts below its master are propagated to it, but not the other way round.
    Slave,
}

impl fmt::Display for Propagation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Propagation::Private => "private",
            Propagation::Shared => "shared",
            Propagation::Slave => "slave",
        })
    }
}
