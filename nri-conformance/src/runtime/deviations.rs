//! The known deviations of released runtimes, as data: `deviations.toml`.
//!
//! A test that fails in one of these ways is reported as [`Outcome::Known`], with the link.

use std::sync::LazyLock;

use semver::{BuildMetadata, Prerelease, Version, VersionReq};
use serde::Deserialize;

use crate::result::{Outcome, Subject, TestResult};

/// A known deviation.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// The name that the runtime reports.
    pub name: String,
    /// The affected releases.
    pub versions: VersionReq,
    /// The id of the statement that is broken.
    pub statement: String,
    /// The names of the tests that show it.
    pub tests: Vec<String>,
    /// The deviation, in one or two sentences.
    pub text: String,
    /// A link to its report.
    pub link: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    deviation: Vec<Deviation>,
}

static DEVIATIONS: LazyLock<Vec<Deviation>> = LazyLock::new(|| {
    // Cannot fail: a test parses the file.
    let file: Result<File, _> = toml::from_str(TEXT);
    file.map(|file| file.deviation).unwrap_or_default()
});

const TEXT: &str = include_str!("../../deviations.toml");

/// Returns every known deviation.
pub fn all() -> &'static [Deviation] {
    &DEVIATIONS
}

/// Marks the known failures of a runtime.
pub(super) fn mark(subject: &Subject, results: &mut [TestResult]) {
    for result in results {
        let Some(deviation) = all().iter().find(|known| known.matches(subject, result)) else {
            continue;
        };
        if let Outcome::Fail(failure) = &result.outcome {
            result.outcome = Outcome::Known {
                failure: failure.clone(),
                link: deviation.link.clone(),
            };
        }
    }
}

impl Deviation {
    fn matches(&self, subject: &Subject, result: &TestResult) -> bool {
        let test = self.tests.iter().any(|name| name == result.test);
        self.statement == result.statement
            && test
            && self.name.eq_ignore_ascii_case(&subject.name)
            && release(&subject.version).is_some_and(|version| self.versions.matches(&version))
    }
}

/// Returns the release that a version such as `v2.4.2-k3s1` is based on.
fn release(version: &str) -> Option<Version> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let mut version = Version::parse(version).ok()?;
    version.pre = Prerelease::EMPTY;
    version.build = BuildMetadata::EMPTY;
    Some(version)
}

#[cfg(test)]
mod tests {
    use super::{File, TEXT, all, mark, release};
    use crate::contract;
    use crate::result::{Failure, Outcome, Subject, SubjectKind, TestResult};
    use crate::runtime::judge::TESTS;

    #[test]
    fn every_deviation_names_an_existing_statement_and_tests() {
        let file: File = toml::from_str(TEXT).expect("deviations.toml");
        assert_eq!(file.deviation, all());
        for known in all() {
            assert!(contract::get(&known.statement).is_some(), "{known:?}");
            assert!(known.link.starts_with("https://"), "{known:?}");
            assert!(!known.tests.is_empty(), "{known:?}");
            for name in &known.tests {
                let mut tests = TESTS.iter();
                assert!(
                    tests.any(|test| test.name == name && test.statement == known.statement),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn a_version_is_read_with_its_prefix_and_suffix() {
        for (text, expected) in [
            ("v2.4.2", Some("2.4.2")),
            ("2.2.9-k3s1", Some("2.2.9")),
            ("1.7.27+unknown", Some("1.7.27")),
            ("", None),
            ("main", None),
        ] {
            let found = release(text).map(|version| version.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_failure_is_known_only_for_the_affected_releases() {
        for (name, version, known) in [
            ("containerd", "v2.4.2", true),
            ("containerd", "v9.0.0", false),
            ("containerd", "", false),
            ("other", "v2.4.2", false),
        ] {
            let subject = Subject {
                kind: SubjectKind::Runtime,
                name: name.to_owned(),
                index: String::new(),
                version: version.to_owned(),
            };
            let mut results = [TestResult {
                statement: "E5",
                test: "stop-pod-reaches-later-plugins",
                revision: None,
                outcome: Outcome::Fail(Failure {
                    sent: String::new(),
                    got: String::new(),
                    expected: String::new(),
                }),
            }];
            mark(&subject, &mut results);
            let marked = matches!(results[0].outcome, Outcome::Known { .. });
            assert_eq!(marked, known, "{name} {version}");
        }
    }
}
