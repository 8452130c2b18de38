//! A problem: the fact, the location, the remedy.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::{ErrorKind, Excerpt};

/// A problem. `Display` shows the fact; `Debug` adds location, offending text and help.
pub struct Problem {
    kind: ErrorKind,
    fact: String,
    file: Option<String>,
    excerpt: Option<Box<Excerpt>>,
    /// Line and column, if the text is not available.
    position: Option<(u32, u32)>,
    help: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Problem {
    /// Creates a problem. `fact` is one sentence in lower case, without a full stop.
    pub fn new(kind: ErrorKind, fact: impl Into<String>) -> Self {
        Problem {
            kind,
            fact: one_line(fact.into()),
            file: None,
            excerpt: None,
            position: None,
            help: None,
            source: None,
        }
    }

    /// Replaces the fact.
    pub fn with_fact(mut self, fact: impl Into<String>) -> Self {
        self.fact = one_line(fact.into());
        self
    }

    /// Adds the name of the file of the problem.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(one_line(file.into()));
        self
    }

    /// Sets the bytes `span` of `text` as the location of the problem.
    pub fn at(mut self, text: &str, span: Range<usize>) -> Self {
        self.excerpt = Some(Box::new(Excerpt::new(text, span)));
        self
    }

    /// Adds line and column, both from 1, for a problem whose text is not available.
    pub fn at_position(mut self, line: u32, column: u32) -> Self {
        self.position = Some((line, column));
        self
    }

    /// Adds the line at the known position, if `text` returns the text of the file.
    pub fn with_text<'t>(self, text: impl Fn(&str) -> Option<&'t str>) -> Self {
        let (Some((line, column)), Some(text)) =
            (self.position, self.file.as_deref().and_then(text))
        else {
            return self;
        };
        let start: usize =
            text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
        let rest = &text[start..];
        let end = rest.find('\n').unwrap_or(rest.len());
        let first = (column.saturating_sub(1) as usize).min(end);
        self.at(text, start + first..start + end)
    }

    /// Names the file by its path, if `path` returns one.
    pub fn with_path<'p>(self, path: impl Fn(&str) -> Option<&'p Path>) -> Self {
        match self.file.as_deref().and_then(path) {
            Some(path) => self.in_file(path.display().to_string()),
            None => self,
        }
    }

    /// Adds how to fix the problem.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the error that caused the problem.
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the category of the problem.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the file, as named by the schema or the user.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// Returns the offending text and its location.
    pub fn excerpt(&self) -> Option<&Excerpt> {
        self.excerpt.as_deref()
    }

    /// The line, counted from 1.
    pub fn line(&self) -> Option<usize> {
        let excerpt = self.excerpt().map(Excerpt::line);
        excerpt.or(self.position.map(|(line, _)| line as usize))
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> Option<usize> {
        let excerpt = self.excerpt().map(Excerpt::column);
        excerpt.or(self.position.map(|(_, column)| column as usize))
    }

    /// Returns how to fix the error, if known.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns true if both have the same fact and location.
    pub(crate) fn repeats(&self, other: &Problem) -> bool {
        let span = |problem: &Problem| problem.excerpt().map(Excerpt::span);
        self.fact == other.fact && self.file == other.file && span(self) == span(other)
    }
}

/// Escapes control characters: names in a fact come from files and paths, and must neither break a
/// line nor control a terminal.
fn one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
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
            (Some(file), None) => match self.position {
                Some((line, column)) => write!(f, "\n  --> {file}:{line}:{column}")?,
                None => write!(f, "\n  --> {file}")?,
            },
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
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
