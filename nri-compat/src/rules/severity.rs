//! The kinds of compatibility that a violation breaks, and its severity.

use serde::{Deserialize, Serialize};

use crate::names::names;

/// A kind of compatibility that a violation breaks: buf's four categories, `NRI` for rules of this protocol,
/// and `CHECK` for findings about plugins.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Worth knowing; nothing breaks.
    Note,
    /// Something breaks for some peers, or will break.
    Warning,
    /// Something breaks.
    Error,
}

names! {
    Category {
        File = "FILE",
        Package = "PACKAGE",
        WireJson = "WIRE_JSON",
        Wire = "WIRE",
        Nri = "NRI",
        Check = "CHECK",
    }
    Level {
        Note = "note",
        Warning = "warning",
        Error = "error",
    }
}

impl Category {
    /// Returns a phrase that describes what breaks.
    pub const fn about(self) -> &'static str {
        match self {
            Self::File => "generated source code breaks, compared per file",
            Self::Package => "generated source code breaks, compared per package",
            Self::WireJson => "the binary or the JSON encoding breaks",
            Self::Wire => "the binary encoding breaks",
            Self::Nri => "NRI plugins or runtimes break, although their encodings agree",
            Self::Check => "findings of `check` and `logs` about plugins",
        }
    }
}
