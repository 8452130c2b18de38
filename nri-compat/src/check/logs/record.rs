//! The parts of a line: the record of the runtime, and its origin according to the wrappers.

/// The origin of a line. The innermost wrapper takes precedence, because it is closest to the
/// runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    /// The time stamp, as in the line.
    pub(super) time: Option<String>,
    /// The host.
    pub(super) node: Option<String>,
    /// The number and the text of the line.
    pub(super) line: Option<(u64, String)>,
    /// Fields of a record beside its message, from the objects around it.
    pub(super) beside: Beside,
}

/// Fields of a record that a collector keeps beside the message, as labels or attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Beside {
    /// `plugin`
    pub(super) plugin: Option<String>,
    /// `deprecated`
    pub(super) deprecated: Option<String>,
    /// `details`
    pub(super) details: Option<String>,
}

impl Origin {
    /// Sets the time stamp, if there is one.
    pub(super) fn set_time(&mut self, time: Option<impl Into<String>>) {
        self.time = time.map(Into::into).or_else(|| self.time.take());
    }

    /// Sets the name of the host, if there is one.
    pub(super) fn set_node(&mut self, node: Option<impl Into<String>>) {
        let node = node.map(Into::into).filter(|node| !node.is_empty());
        self.node = node.or_else(|| self.node.take());
    }
}

/// The content of a line inside one wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unwrapped {
    /// A nested line.
    Line(String),
    /// A record of the runtime.
    Record(Record),
    /// Entries of `ctr deprecations list`: id, last occurrence.
    Deprecations(Vec<(String, Option<String>)>),
    /// The last occurrence of the entry whose id was on an earlier line.
    LastOccurrence(String),
}

/// A log record of a runtime, with the relevant fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// `msg`
    pub(super) text: String,
    /// `plugin`
    pub(super) plugin: Option<String>,
    /// `deprecated`
    pub(super) deprecated: Option<String>,
    /// `details`
    pub(super) details: Option<String>,
}

impl Beside {
    /// Sets the fields that `other` has.
    pub(super) fn set(&mut self, other: Self) {
        self.plugin = other.plugin.or_else(|| self.plugin.take());
        self.deprecated = other.deprecated.or_else(|| self.deprecated.take());
        self.details = other.details.or_else(|| self.details.take());
    }
}

impl Record {
    /// Returns a record with only a message.
    pub(super) fn of_text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// Returns a record with the fields that a collector keeps beside the message.
    pub(super) fn with(text: &str, beside: &Beside) -> Self {
        let Beside {
            plugin,
            deprecated,
            details,
        } = beside.clone();
        Self {
            text: text.to_owned(),
            plugin,
            deprecated,
            details,
        }
    }
}
