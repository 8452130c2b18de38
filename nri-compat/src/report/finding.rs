//! A finding of a rule about a pair of schemas.

use std::fmt;

use super::fingerprint::fingerprint_of;

/// What breaks when a rule is violated: buf's four categories, `NRI` for rules of this protocol,
/// and `CHECK` for findings about plugins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Generated source code breaks, per file.
    #[default]
    File,
    /// Generated source code breaks, per package.
    Package,
    /// The binary or the JSON encoding breaks.
    WireJson,
    /// The binary encoding breaks.
    Wire,
    /// Plugins or runtimes break although their encodings agree.
    Nri,
    /// A plugin breaks, or will break.
    Check,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; nothing breaks.
    Note,
    /// Something breaks for some peers, or will break.
    Warning,
    /// Something breaks.
    Error,
}

/// The location of a declaration. Line and column are counted from 1, as in buf.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file: its path from the working folder, or its name in the schema if it was not read from disk.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// The location; `None` if the file of the element exists on neither side.
    pub location: Option<Location>,
    /// Permanent id of the rule, for example `FIELD_NO_DELETE`.
    pub rule: &'static str,
    /// The full name of the element.
    pub element: String,
    /// Its number among the findings of this rule about this element, counted from 0.
    pub nth: usize,
    /// The fact, in lower case, without remedy.
    pub message: String,
    /// The severity, after any override.
    pub level: Level,
    /// The id of the rule whose finding explains this one, if it is not a real break.
    pub explained_by: Option<&'static str>,
}

impl Finding {
    /// Returns 32 hexadecimal digits that identify the finding, regardless of its wording, level
    /// and location: derived from its rule, its element, and its number among the findings of that
    /// rule about that element.
    pub fn fingerprint(&self) -> String {
        fingerprint_of(&[self.rule, &self.element, &self.nth.to_string()])
    }
}

impl Category {
    /// All categories, in the order in which rules are listed.
    pub const ALL: [Self; 6] = [
        Self::File,
        Self::Package,
        Self::WireJson,
        Self::Wire,
        Self::Nri,
        Self::Check,
    ];

    /// Returns a sentence on what breaks.
    pub const fn about(self) -> &'static str {
        match self {
            Self::File => "generated source code breaks, compared file by file",
            Self::Package => "generated source code breaks, compared package by package",
            Self::WireJson => "the binary or the JSON encoding breaks",
            Self::Wire => "the binary encoding breaks",
            Self::Nri => "NRI plugins or runtimes break, although their encodings agree",
            Self::Check => "findings of `check` and `logs` about plugins",
        }
    }

    /// Returns the name used on the command line, in rule files and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "FILE",
            Self::Package => "PACKAGE",
            Self::WireJson => "WIRE_JSON",
            Self::Wire => "WIRE",
            Self::Nri => "NRI",
            Self::Check => "CHECK",
        }
    }
}

impl Level {
    /// Returns the name used on the command line, in rule files and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
