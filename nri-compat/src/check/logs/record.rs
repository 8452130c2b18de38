//! The parts of a line: the record that a runtime wrote, and where and when the wrappers around it say it was written.

/// Where a line comes from. The innermost wrapper that says anything is right, as it is nearest to the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    /// Time stamp, as it stands in the line.
    pub(super) time: Option<String>,
    /// Host that the line comes from.
    pub(super) node: Option<String>,
}

impl Origin {
    /// Takes over a time stamp, if there is one.
    pub(super) fn set_time(&mut self, time: Option<impl Into<String>>) {
        self.time = time.map(Into::into).or_else(|| self.time.take());
    }

    /// Takes over the name of a host, if there is one.
    pub(super) fn set_node(&mut self, node: Option<impl Into<String>>) {
        let node = node.map(Into::into).filter(|node| !node.is_empty());
        self.node = node.or_else(|| self.node.take());
    }
}

/// The content of a line under one wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unwrapped {
    /// A line within the line.
    Line(String),
    /// A record of the runtime.
    Record(Record),
    /// Entries of `ctr deprecations list`: id, last occurrence.
    Deprecations(Vec<(String, Option<String>)>),
    /// The last occurrence of the entry whose id was on an earlier line.
    LastOccurrence(String),
}

/// A log record of a runtime, with the fields of interest.
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

impl Record {
    /// Returns a record that is nothing but a message.
    pub(super) fn of_text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }
}
