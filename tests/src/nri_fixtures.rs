//! The fixtures in `fixtures/nri`, and the findings of every rule of the catalogue, buf's and
//! NRI's, on them.

use std::path::{Path, PathBuf};

use nri_compat::diff::{Input, findings};
use nri_compat::error::Error;
use nri_compat::report::finding::Finding;
use nri_compat::runtime_release::RuntimeRelease;
use nri_schema::History;
use nri_schema::compile::Imports;

use crate::fixtures::names;

/// A fixture: a folder with the name of a rule.
#[derive(Clone, Debug)]
pub struct RuleFixture {
    /// The id of the rule that it tests.
    pub rule: String,
    folder: PathBuf,
}

impl RuleFixture {
    /// Runs every rule on it, regardless of categories.
    ///
    /// # Errors
    ///
    /// Returns an error if a proto does not compile.
    pub fn findings(&self, history: &History) -> Result<Vec<Finding>, Error> {
        let from = self.input(history, "previous")?;
        let to = self.input(history, "current")?;
        Ok(findings(history, &from, &to, &[]))
    }

    /// Runs every rule with `side` (`previous`, `current`) on both ends.
    ///
    /// # Errors
    ///
    /// Returns an error if a proto does not compile.
    pub fn findings_of_one(&self, history: &History, side: &str) -> Result<Vec<Finding>, Error> {
        let (from, to) = (self.input(history, side)?, self.input(history, side)?);
        Ok(findings(history, &from, &to, &[]))
    }

    fn input(&self, history: &History, side: &str) -> Result<Input, Error> {
        let mut input = Input::resolve(
            history,
            &self.folder.join(side).to_string_lossy(),
            &Imports::default(),
        )?;
        input.target = self.target();
        Ok(input)
    }

    /// Returns the runtime release that `shipped_by.txt` names, for rules that depend on one:
    /// `containerd 2.7.0`.
    fn target(&self) -> Option<RuntimeRelease> {
        let text = std::fs::read_to_string(self.folder.join("shipped_by.txt")).ok()?;
        let (runtime, version) = text.trim().split_once(' ').expect("runtime and version");
        let version = version.parse().expect("a version of three parts");
        Some(RuntimeRelease { runtime: runtime.to_owned(), version })
    }
}

/// Returns every fixture below `tests/fixtures/KIND`, by name.
///
/// # Panics
///
/// Panics if the folder cannot be read.
pub fn all(kind: &str) -> Vec<RuleFixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(kind);
    let fixture = |rule: String| RuleFixture { folder: root.join(&rule), rule };
    names(&root).into_iter().map(fixture).collect()
}

/// Findings as reviewed text: level, rule, place, element, message.
pub fn listing(findings: &[Finding]) -> String {
    findings.iter().map(item).collect()
}

/// Returns the text of a finding.
fn item(finding: &Finding) -> String {
    let Finding { level, rule, location, element, message, .. } = finding;
    let place = match location {
        Some(at) => format!("{}:{}:{}", at.file, at.line, at.column),
        None => "-".to_owned(),
    };
    format!("{level} {rule} {place} {element}\n    {message}\n")
}
