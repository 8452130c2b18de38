//! The terms of a check report, the same in every format, and values derived from a verdict.

use super::{CheckReport, Confidence, Outcome, Subject, SuppressedBy, Verdict};
use crate::names::names;
use crate::report::finding::Level;
use crate::sighting::{FileKind, Role};

names! {
    Outcome {
        Ok = "ok",
        Unknown = "unknown",
        Deprecated = "deprecated",
        Removed = "removed",
        Incompatible = "incompatible",
    }
    Confidence {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
    SuppressedBy {
        Baseline = "baseline",
        Policy = "policy",
    }
    Role {
        Plugin = "plugin",
        Runtime = "runtime",
        Library = "library",
        None = "none",
    }
    FileKind {
        GoBinary = "go_binary",
        RustBinary = "rust_binary",
        WasmModule = "wasm_module",
        OneShotConfig = "one_shot_config",
        GoMod = "go_mod",
        GoSum = "go_sum",
        GoVendor = "go_vendor",
        GoSource = "go_source",
        CargoLock = "cargo_lock",
        Log = "log",
        DeprecationList = "deprecation_list",
        Manifest = "manifest",
        Other = "other",
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
