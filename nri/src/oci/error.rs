//! Why an adjustment cannot be applied to a spec.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::oci::Propagation;

pub(super) type BoxError = Box<dyn StdError + Send + Sync>;

/// Why an adjustment cannot be applied: the field, and what is wrong with it. The spec is as it was before.
#[derive(Debug)]
pub struct Error {
    field: String,
    kind: ErrorKind,
}

/// What is wrong with a field.
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
        /// The kind of name that is needed, with its article: `a device type`.
        expected: &'static str,
    },
    /// A number that the enum in the protocol does not have.
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
    /// The runtime has to resolve the name, and has set no callback for that.
    #[error("there is no callback that resolves {value:?}")]
    NoCallback {
        /// The name to be resolved.
        value: String,
        /// The method of [`Generator`](crate::oci::Generator) that sets the callback.
        method: &'static str,
    },
    /// A callback of the runtime failed, or does not allow this.
    #[error("{0}")]
    Refused(#[source] BoxError),
    /// The mount that the source of a mount is on cannot be found.
    #[error("cannot determine the propagation of {source_path:?}")]
    UnknownPropagation {
        /// The source of the mount.
        source_path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The source of a mount is on a mount that does not propagate as the options ask.
    #[error("{source_path:?} is on a mount that is {found}, for {option:?} it must be {accepted}")]
    WrongPropagation {
        /// The source of the mount.
        source_path: PathBuf,
        /// The option: `rshared` or `rslave`.
        option: &'static str,
        /// How the mount of the source propagates.
        found: Propagation,
        /// What would do: `shared`.
        accepted: &'static str,
    },
}

impl Error {
    pub(super) fn new(field: impl Into<String>, kind: ErrorKind) -> Self {
        Error {
            field: field.into(),
            kind,
        }
    }

    /// Returns the field of the adjustment, as the protocol names it: `linux.devices[2].type`.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns what is wrong with it.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns what to do about it.
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
                format!("set a callback with `Generator::{method}`; one that does nothing ignores the field")
            }
            ErrorKind::Refused(_) => "have the plugin ask for something that the runtime allows".into(),
            ErrorKind::UnknownPropagation { .. } => {
                "use a source that exists, as an absolute path, and have /proc mounted".into()
            }
            ErrorKind::WrongPropagation { .. } => {
                "make the mount shared on the host with `mount --make-rshared`, or leave the option out"
                    .into()
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

/// So that a runtime or a test may use `?` where it returns [`nri::Error`](crate::Error). The help is kept.
impl From<Error> for crate::Error {
    fn from(error: Error) -> Self {
        let help = error.help();
        crate::Error::other(error).with_help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_field_its_cause_and_its_help() {
        let refused = ErrorKind::Refused("no such device".into());
        let error = Error::new("cdi_devices", refused);
        assert_eq!(
            error.to_string(),
            "cannot apply cdi_devices: no such device"
        );
        let error = crate::Error::from(error);
        assert_eq!(
            error.help(),
            Some("have the plugin ask for something that the runtime allows")
        );
        assert_eq!(format!("{error:#}"), error.to_string(), "nothing twice");
    }
}
