//! The known deviations of released runtimes, as data: `deviations.toml`.
//!
//! A test that fails in one of these ways is reported as [`Outcome::Known`], with the link. A
//! deviation applies to one test and to one shape of what was seen; every other failure of the same
//! test remains a failure.

use std::sync::LazyLock;

use semver::{BuildMetadata, Prerelease, Version, VersionReq};
use serde::Deserialize;

use super::judgement::{Ended, Shape, Stop, Test};
use crate::result::{Failure, Outcome, Report, Subject, TestResult};

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
    /// The name of the test that shows it.
    pub test: String,
    /// The observation of the test: which event, how often, and after which other one.
    pub(crate) seen: Shape,
    /// The deviation, in one or two sentences.
    pub text: String,
    /// A link to an explanation of exactly this deviation.
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

/// Returns the report about a runtime, from the end of each test.
pub(super) fn report(subject: Subject, judged: Vec<(&Test, Ended)>) -> Report {
    let results = judged.into_iter().map(|(test, ended)| result(&subject, test, ended)).collect();
    Report { subject, results }
}

/// Returns the result of a test. The failure of an ambiguous statement is a skip, because it never
/// fails a run.
fn result(subject: &Subject, test: &Test, ended: Ended) -> TestResult {
    let outcome = match ended {
        Ok(()) => Outcome::Pass,
        Err(Stop::Skip(reason)) => Outcome::Skip(reason),
        Err(Stop::Fail(got, shape)) => {
            let failure = Failure::new(test.sent, got, test.expected);
            let known = all().iter().find(|known| known.matches(subject, test, shape));
            match known {
                _ if !test.is_firm() => {
                    Outcome::Skip(format!("the statement is ambiguous; observed: {failure}"))
                }
                Some(known) => Outcome::Known { failure, link: known.link.clone() },
                None => Outcome::Fail(failure),
            }
        }
    };
    TestResult { statement: test.statement, test: test.name, revision: None, outcome }
}

impl Deviation {
    fn matches(&self, subject: &Subject, test: &Test, shape: Option<Shape>) -> bool {
        self.statement == test.statement
            && self.test == test.name
            && Some(self.seen) == shape
            && self.applies_to(subject)
    }

    /// Returns true if a runtime is one of the affected releases.
    pub fn applies_to(&self, subject: &Subject) -> bool {
        self.name.eq_ignore_ascii_case(&subject.name)
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
    use std::collections::BTreeSet;

    use super::{File, TEXT, all, release, result};
    use crate::result::{Outcome, Subject};
    use crate::runtime::event::Hook;
    use crate::runtime::judgement::{After, Shape, Stop, Test};
    use crate::runtime::play;

    #[test]
    fn every_deviation_names_an_existing_test_and_has_its_own_link() {
        let file: File = toml::from_str(TEXT).expect("deviations.toml");
        assert_eq!(file.deviation, all());
        let mut links = BTreeSet::new();
        for known in all() {
            let test = (known.statement.as_str(), known.test.as_str());
            assert!(play::tests().contains(&test), "{known:?}");
            assert!(known.link.starts_with("https://"), "{known:?}");
            assert!(links.insert(&known.link), "{known:?}");
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
    fn a_failure_is_known_only_for_the_affected_releases_and_in_exactly_its_shape() {
        let is_known = |name: &str, version: &str, test: &'static str, shape| {
            let subject = Subject::runtime(name.to_owned(), version.to_owned());
            let test = Test { statement: "E5", name: test, sent: "", expected: "" };
            let failed = Err(Stop::Fail(String::new(), shape));
            let outcome = result(&subject, &test, failed).outcome;
            matches!(outcome, Outcome::Known { .. })
        };
        let seen = Some(Shape::new(Hook::STOP_POD, 0, After::PluginError));
        let stop = "stop-pod-reaches-later-plugins";
        assert!(is_known("containerd", "v2.4.2", stop, seen));
        for (name, version) in [("containerd", "v9.0.0"), ("containerd", ""), ("other", "v2.4.2")] {
            assert!(!is_known(name, version, stop, seen), "{name} {version}");
        }
        let remove = "remove-pod-reaches-later-plugins";
        assert!(!is_known("containerd", "v2.4.2", remove, seen));
        for shape in [
            None,
            Some(Shape::new(Hook::STOP_POD, 2, After::PluginError)),
            Some(Shape::new(Hook::STOP, 0, After::PluginError)),
            Some(Shape::new(Hook::STOP_POD, 0, After::Nothing)),
            Some(Shape::new(Hook::STOP_POD, 0, Hook::RUN_POD)),
        ] {
            let is_known = is_known("containerd", "v2.4.2", stop, shape);
            assert!(!is_known, "{shape:?}");
        }
    }
}
