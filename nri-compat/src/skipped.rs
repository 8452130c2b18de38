//! Files and folders that could not be checked.

use std::fmt;
use std::io;
use std::time::Duration;

use serde::Serialize;

use crate::place::Place;

/// A file or folder that could not be checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "SkippedPlace")]
pub struct Skipped {
    /// The path.
    pub place: Place,
    /// The class of the reason, for machines.
    pub kind: SkipKind,
    /// The reason: one line, in lower case.
    pub reason: String,
}

/// A file or folder that could not be checked, with its location as text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SkippedPlace {
    /// The location, as in text reports.
    path: String,
    /// The location.
    place: Place,
    /// The class of the reason, for machines.
    kind: SkipKind,
    /// The reason: one line, in lower case.
    reason: String,
}

impl From<Skipped> for SkippedPlace {
    fn from(skipped: Skipped) -> Self {
        Self {
            path: skipped.place.to_string(),
            place: skipped.place,
            kind: skipped.kind,
            reason: skipped.reason,
        }
    }
}

/// The class of a reason for skipping something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SkipKind {
    /// It does not exist.
    NotFound,
    /// The user is not permitted to read it.
    Permission,
    /// It is neither a file nor a folder, but for example a socket or a device.
    SpecialFile,
    /// It is on a virtual file system such as `proc`.
    PseudoFilesystem,
    /// It exceeds the size limit.
    TooLarge,
    /// It exceeds another limit, such as the number of entries of an archive.
    Limit,
    /// Its compression is not supported.
    UnsupportedCompression,
    /// Its format is known but not supported.
    UnsupportedFormat,
    /// It is an archive within an archive.
    NestedArchive,
    /// It ends too early.
    Truncated,
    /// It contradicts its own format.
    Broken,
    /// A link leads out of the file system or archive under check, or is circular.
    Link,
    /// It changed or vanished while it was read.
    Changed,
    /// The reader of its format panicked, which is a bug of this tool.
    Defect,
    /// Another error occurred while reading it.
    #[default]
    Io,
}

impl SkipKind {
    /// Returns true if what was skipped may hold a plugin: it is there, but it could not be read,
    /// or not to its end.
    pub(crate) const fn may_hold_plugin(self) -> bool {
        let holds_none = matches!(
            self,
            Self::NotFound | Self::SpecialFile | Self::PseudoFilesystem | Self::Link
        );
        !holds_none
    }
}

impl Skipped {
    /// Creates an entry with this reason.
    pub fn new(place: impl Into<Place>, kind: SkipKind, reason: impl Into<String>) -> Self {
        Self { place: place.into(), kind, reason: reason.into() }
    }

    /// Creates an entry for something that cannot be read.
    pub fn unreadable(place: impl Into<Place>, why: Unreadable) -> Self {
        Self::new(place, why.kind, why.reason)
    }
}

/// The reason why something cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The class of the reason.
    pub kind: SkipKind,
    /// The reason: one line, in lower case.
    pub reason: String,
    /// The pause after which it may be readable, zero if it is unknown; `None` if it stays
    /// unreadable.
    pub(crate) retry_after: Option<Duration>,
}

impl Unreadable {
    /// Creates an error of this kind with its reason: one line, in lower case.
    pub fn new(kind: SkipKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), retry_after: None }
    }

    /// Adds the next step.
    pub(crate) fn with_help(mut self, help: impl AsRef<str>) -> Self {
        self.reason.push_str("; ");
        self.reason.push_str(help.as_ref());
        self
    }

    /// Returns the reason why data in some format cannot be read. Decoders and the `tar` crate
    /// report broken data as errors of several kinds, but not as those of the system.
    pub(crate) fn of_data(error: io::Error) -> Self {
        let is_of_system = error.raw_os_error().is_some();
        let mut why = Self::from(error);
        if why.kind == SkipKind::Io && !is_of_system {
            why.kind = SkipKind::Broken;
        }
        why
    }
}

impl From<&io::Error> for Unreadable {
    /// States the reason without the path.
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::new(SkipKind::NotFound, "no such file or folder"),
            io::ErrorKind::PermissionDenied => Self::new(SkipKind::Permission, "permission denied"),
            io::ErrorKind::UnexpectedEof => Self::new(SkipKind::Truncated, "cut short"),
            _ if error.raw_os_error() == Some(libc::ELOOP) => {
                Self::new(SkipKind::Link, "a circular link")
            }
            _ => Self::new(SkipKind::Io, error.to_string().to_lowercase()),
        }
    }
}

impl From<io::Error> for Unreadable {
    /// Extracts the reason that a reader of this crate put into the error.
    fn from(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(unreadable) => unreadable,
            Err(error) => Self::from(&error),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unreadable {}
