//! The terms of a check report, the same in every format, and values derived from a verdict.

use super::{CheckReport, Confidence, Outcome, Subject, Suppression, Verdict};
use crate::report::finding::Level;
use crate::sighting::{FileKind, Role};

impl Outcome {
    /// All outcomes, from good to bad.
    pub const ALL: [Self; 5] = [
        Self::Ok,
        Self::Unknown,
        Self::Deprecated,
        Self::Removed,
        Self::Incompatible,
    ];

    /// Returns the name used in every format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unknown => "unknown",
            Self::Deprecated => "deprecated",
            Self::Removed => "removed",
            Self::Incompatible => "incompatible",
        }
    }
}

impl Confidence {
    /// Returns the name used in every format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Suppression {
    /// Returns the source of the suppression: `baseline` or `policy`.
    pub const fn by(&self) -> &'static str {
        if self.by_baseline {
            "baseline"
        } else {
            "policy"
        }
    }
}

impl Role {
    /// Returns the name used in every format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plugin => "plugin",
            Self::Runtime => "runtime",
            Self::Library => "library",
            Self::None => "none",
        }
    }
}

impl FileKind {
    /// All kinds, in declaration order.
    pub const ALL: [Self; 13] = [
        Self::GoBinary,
        Self::RustBinary,
        Self::WasmModule,
        Self::OneShotConfig,
        Self::GoMod,
        Self::GoSum,
        Self::GoVendor,
        Self::GoSource,
        Self::CargoLock,
        Self::Log,
        Self::DeprecationList,
        Self::Manifest,
        Self::Other,
    ];

    /// Returns the name used in every format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GoBinary => "go_binary",
            Self::RustBinary => "rust_binary",
            Self::WasmModule => "wasm_module",
            Self::OneShotConfig => "one_shot_config",
            Self::GoMod => "go_mod",
            Self::GoSum => "go_sum",
            Self::GoVendor => "go_vendor",
            Self::GoSource => "go_source",
            Self::CargoLock => "cargo_lock",
            Self::Log => "log",
            Self::DeprecationList => "deprecation_list",
            Self::Manifest => "manifest",
            Self::Other => "other",
        }
    }
}

impl Verdict {
    /// Returns the level that the policy sets, or else the level of the outcome: an error if the
    /// plugin breaks, a warning if it will break, and a note otherwise.
    pub fn level(&self) -> Level {
        self.level.unwrap_or(match self.outcome {
            Outcome::Ok | Outcome::Unknown => Level::Note,
            Outcome::Deprecated => Level::Warning,
            Outcome::Removed | Outcome::Incompatible => Level::Error,
        })
    }
}

impl Subject {
    /// Returns the index and name in the form that runtimes use (`10-logger`), the name alone, or the
    /// last part of the path.
    pub fn label(&self) -> String {
        match (&self.index, &self.name) {
            (Some(index), Some(name)) => format!("{index}-{name}"),
            (None, Some(name)) => name.clone(),
            (_, None) => self.place.name().to_owned(),
        }
    }
}

impl CheckReport {
    /// Returns every verdict with its subject, in the order of the report.
    pub fn verdicts(&self) -> impl Iterator<Item = (&Subject, &Verdict)> {
        self.subjects.iter().flat_map(|subject| {
            let verdicts = subject.verdicts.iter();
            verdicts.map(move |verdict| (subject, verdict))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;

    #[test]
    fn labels_are_the_names_that_runtimes_use() {
        let mut subject = Subject {
            place: Place::from("image.tar").entry("/opt/nri/plugins/10-logger"),
            ..Subject::default()
        };
        assert_eq!(subject.label(), "10-logger");
        subject.place = Place::from("/opt/10-logger").run_by(&[12, 15]);
        assert_eq!(subject.label(), "10-logger");
        subject.name = Some("logger".into());
        assert_eq!(subject.label(), "logger");
        subject.index = Some("05".into());
        assert_eq!(subject.label(), "05-logger");
    }

    #[test]
    fn the_policy_overrides_levels() {
        let mut verdict = Verdict {
            outcome: Outcome::Removed,
            ..Verdict::default()
        };
        assert_eq!(verdict.level(), Level::Error);
        verdict.level = Some(Level::Note);
        assert_eq!(verdict.level(), Level::Note);
    }
}
