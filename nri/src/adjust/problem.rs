//! Problems of an adjustment, as a typed error.

use std::fmt;

/// An answer that the runtime, or the container's start, would fail on: every problem found.
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
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Invalid { problems })
        }
    }

    /// The problems, one at least, in the order of the message's fields.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn sentence(problems: &[Problem]) -> String {
        problems
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    }
}

/// So that a handler may end with `adjustment.check()?`. The help is that of the first problem.
impl From<Invalid> for crate::Error {
    fn from(invalid: Invalid) -> Self {
        let help = invalid.problems.first().map_or("", Problem::help);
        crate::Error::new(format!("invalid answer: {invalid}")).with_help(help)
    }
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    field: &'static str,
    key: String,
    kind: ProblemKind,
}

impl Problem {
    pub(super) fn new(field: &'static str, key: &str, kind: ProblemKind) -> Self {
        Problem {
            field,
            key: key.to_owned(),
            kind,
        }
    }

    /// The field of the answer, as the protocol names it: `linux.devices`.
    pub fn field(&self) -> &'static str {
        self.field
    }

    /// Which entry of the field: its name, path or destination; empty where the field has a single value.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The kind of problem.
    pub fn kind(&self) -> &ProblemKind {
        &self.kind
    }

    /// The way out.
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
    /// Name, path, destination or id is missing.
    #[error("name is empty")]
    Unnamed,
    /// A character that cannot be in a name or value.
    #[error("name contains {0:?}")]
    ForbiddenCharacter(char),
    /// A NUL byte, which ends a string for the kernel.
    #[error("value contains a NUL byte")]
    Nul,
    /// A path that has to start at the root and does not.
    #[error("path is not absolute")]
    NotAbsolute,
    /// The same key twice, which the runtime refuses as a conflict of the plugin with itself.
    #[error("set twice")]
    Duplicate,
    /// A removal that carries a value: the name itself starts with the marker `-`.
    #[error("starts with '-', which marks a removal, but has a value")]
    RemovalWithValue,
    /// A soft limit that is higher than the hard one.
    #[error("soft limit {soft} is higher than hard limit {hard}")]
    SoftAboveHard {
        /// The limit that applies.
        soft: u64,
        /// How far it may be raised.
        hard: u64,
    },
    /// A number outside of what the kernel takes.
    #[error("{value} is not in {min} to {max}")]
    OutOfRange {
        /// The value given.
        value: i64,
        /// The least that is taken.
        min: i64,
        /// The most that is taken.
        max: i64,
    },
    /// A name or number that is not one of those defined.
    #[error("{0} is not known")]
    Unknown(String),
    /// A list of CPUs or nodes that the kernel cannot read.
    #[error("list {0:?} is malformed")]
    MalformedList(String),
    /// A CDI device that is not named `vendor/class=device`.
    #[error("name is not qualified")]
    Unqualified,
    /// Run time, deadline and period that do not come in that order.
    #[error(
        "runtime {runtime}, deadline {deadline} and period {period} are not in ascending order"
    )]
    DeadlineOrder {
        /// Run time in nanoseconds.
        runtime: u64,
        /// Deadline in nanoseconds.
        deadline: u64,
        /// Period in nanoseconds.
        period: u64,
    },
    /// A memory policy that needs nodes and has none.
    #[error("mode needs nodes")]
    NodesMissing,
    /// A memory policy that takes no nodes and has some.
    #[error("mode takes no nodes")]
    NodesGiven,
    /// Two flags of which only one may be set.
    #[error("{0} and {1} exclude each other")]
    Exclusive(&'static str, &'static str),
    /// A command line to be replaced by nothing.
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
            Self::SoftAboveHard { .. } => "lower the soft limit or raise the hard one",
            Self::OutOfRange { .. } => "choose a value in that range",
            Self::Unknown(_) => "use one of the values that the protocol defines",
            Self::MalformedList(_) => "write numbers and ranges, separated by commas: 0-3,8",
            Self::Unqualified => "name it as vendor.com/class=device",
            Self::DeadlineOrder { .. } => {
                "let runtime be at most the deadline, and the deadline at most the period"
            }
            Self::NodesMissing => "list the nodes",
            Self::NodesGiven => "leave the nodes out, or choose a mode that takes them",
            Self::Exclusive(..) => "set one of them",
            Self::NoArgs => "give one argument at least",
        }
    }
}
