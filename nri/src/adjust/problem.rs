//! The problems of an answer, as a typed error.

use std::fmt;

/// An answer that the runtime would reject, or with which the container would fail to start. Holds
/// every problem found.
///
/// ```
/// use nri::adjust::{Adjustment, ProblemKind};
///
/// let error = Adjustment::new().env("A=B", "1").check().unwrap_err();
/// assert_eq!(error.problems()[0].kind(), &ProblemKind::ForbiddenCharacter('='));
/// assert_eq!(error.to_string(), r#"env "A=B": name contains '='"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Self::sentence(.problems))]
pub struct Invalid {
    problems: Vec<Problem>,
}

impl Invalid {
    pub(super) fn of(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Invalid { problems }) }
    }

    /// Returns the problems, at least one, in the order of the fields of the message.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn sentence(problems: &[Problem]) -> String {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }
}

/// Lets a handler end with `adjustment.check()?`. The help is that of the first problem.
impl From<Invalid> for crate::Error {
    fn from(invalid: Invalid) -> Self {
        let help = invalid.problems.first().map_or("", Problem::help);
        crate::Error::new(format!("invalid answer: {invalid}")).with_help(help)
    }
}

/// A problem and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    field: &'static str,
    key: String,
    kind: ProblemKind,
}

impl Problem {
    pub(super) fn new(field: &'static str, key: &str, kind: ProblemKind) -> Self {
        Problem { field, key: key.to_owned(), kind }
    }

    /// Returns the field of the answer, named as in the protocol, such as `linux.devices`.
    pub fn field(&self) -> &'static str {
        self.field
    }

    /// Returns the entry of the field: its name, path or destination. Empty if the field has a
    /// single value.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the kind of problem.
    pub fn kind(&self) -> &ProblemKind {
        &self.kind
    }

    /// Returns how to fix the problem.
    pub fn help(&self) -> &'static str {
        self.kind.help()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() {
            write!(f, "{}: {}", self.field, self.kind)
        } else {
            write!(f, "{} {:?}: {}", self.field, self.key, self.kind)
        }
    }
}

/// The kinds of problems.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The name, path, destination or id is missing.
    #[error("name is empty")]
    Unnamed,
    /// A character that is not allowed in a name or value.
    #[error("name contains {0:?}")]
    ForbiddenCharacter(char),
    /// A NUL byte, which terminates a string in the kernel.
    #[error("value contains a NUL byte")]
    Nul,
    /// A path that is not absolute.
    #[error("path is not absolute")]
    NotAbsolute,
    /// The same key twice, which the runtime rejects as a conflict of the plugin with itself.
    #[error("set twice")]
    Duplicate,
    /// A removal that has a value, because the name itself starts with the marker `-`.
    #[error("starts with '-', which marks a removal, but has a value")]
    RemovalWithValue,
    /// Values that do not fit together, such as a soft limit above the hard limit.
    #[error("{fact}")]
    Inconsistent {
        /// The contradiction, in one sentence.
        fact: String,
        /// How to resolve it.
        help: &'static str,
    },
    /// A number outside the range that the kernel accepts.
    #[error("{value} is not in {min} to {max}")]
    OutOfRange {
        /// The given value.
        value: i64,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// A name or number that is not defined.
    #[error("{0} is not known")]
    Unknown(String),
    /// A list of CPUs or nodes that the kernel cannot parse.
    #[error("list {0:?} is malformed")]
    MalformedList(String),
    /// A CDI device that is not named `vendor/class=device`.
    #[error("name is not qualified")]
    Unqualified,
    /// A replacement of the command line without any arguments.
    #[error("command line is empty")]
    NoArgs,
}

impl ProblemKind {
    fn help(&self) -> &'static str {
        match self {
            Self::Unnamed => "give it a name",
            Self::ForbiddenCharacter(_) => "choose a name without it",
            Self::Nul => "remove the byte",
            Self::NotAbsolute => "start the path with '/'",
            Self::Duplicate => "set it once; `replace_…` is for what another plugin has set",
            Self::RemovalWithValue => "use a name without '-' in front, or `remove_…` to remove",
            Self::Inconsistent { help, .. } => help,
            Self::OutOfRange { .. } => "choose a value in that range",
            Self::Unknown(_) => "use one of the values that the protocol defines",
            Self::MalformedList(_) => "write numbers and ranges, separated by commas: 0-3,8",
            Self::Unqualified => "name it as vendor.com/class=device",
            Self::NoArgs => "give one argument at least",
        }
    }
}
