//! One problem: the fact, the place, the remedy.

use std::fmt;
use std::ops::Range;

use super::{ErrorKind, Excerpt};

/// One thing that is wrong. `Display` is the fact; `Debug` adds place, offending text and help.
pub struct Problem {
    kind: ErrorKind,
    fact: String,
    file: Option<String>,
    excerpt: Option<Box<Excerpt>>,
    help: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Problem {
    /// Creates a problem. `fact` is one sentence in lower case, without a full stop.
    pub fn new(kind: ErrorKind, fact: impl Into<String>) -> Self {
        Problem {
            kind,
            fact: fact.into(),
            file: None,
            excerpt: None,
            help: None,
            source: None,
        }
    }

    /// Names the file that the problem is in.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Shows the bytes `span` of `text` as the place of the problem.
    pub fn at(mut self, text: &str, span: Range<usize>) -> Self {
        self.excerpt = Some(Box::new(Excerpt::new(text, span)));
        self
    }

    /// Says how to fix the problem.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Keeps the error that caused the problem.
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The file it is in, as the schema or the user names it.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The offending text and its place.
    pub fn excerpt(&self) -> Option<&Excerpt> {
        self.excerpt.as_deref()
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Whether both say the same about the same place.
    pub(crate) fn repeats(&self, other: &Problem) -> bool {
        let span = |problem: &Problem| problem.excerpt().map(Excerpt::span);
        self.fact == other.fact && self.file == other.file && span(self) == span(other)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fact)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        match (&self.file, &self.excerpt) {
            (Some(file), Some(excerpt)) => write!(f, "\n{}", excerpt.under(file))?,
            (Some(file), None) => write!(f, "\n  --> {file}")?,
            (None, _) => {}
        }
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn std::error::Error + 'static))
    }
}
