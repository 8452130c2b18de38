//! The known deviations of released runtimes, as data: `deviations.toml`.
//!
//! A test that fails in one of these ways is reported as [`Outcome::Known`], with the link. A deviation applies to one test
//! and to one shape of what was seen; every other failure of the same test remains a failure.

use std::sync::LazyLock;

use semver::{BuildMetadata, Prerelease, Version, VersionReq};
use serde::Deserialize;

use super::judgement::{Judged, Shape};
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
    /// The name of the test that shows it.
    pub test: String,
    /// What the test sees: which event, how often, and after what.
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

/// Marks the known failures of a runtime.
pub(super) fn mark(subject: &Subject, judged: Vec<Judged>) -> Vec<TestResult> {
    let marked = judged.into_iter().map(|judged| mark_one(subject, judged));
    marked.collect()
}

fn mark_one(subject: &Subject, judged: Judged) -> TestResult {
    let known = all().iter().find(|known| known.matches(subject, &judged));
    let mut result = judged.result;
    if let (Outcome::Fail(failure), Some(deviation)) = (&result.outcome, known) {
        result.outcome = Outcome::Known {
            failure: failure.clone(),
            link: deviation.link.clone(),
        };
    }
    result
}

impl Deviation {
    fn matches(&self, subject: &Subject, judged: &Judged) -> bool {
        self.statement == judged.result.statement
            && self.test == judged.result.test
            && Some(self.seen) == judged.shape
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
    use super::{File, Shape, TEXT, all, mark, release};
    use crate::contract;
    use crate::result::{Failure, Outcome, Subject, SubjectKind, TestResult};
    use crate::runtime::event::Hook;
    use crate::runtime::judgement::{After, Cause, Judged};
    use crate::runtime::play;

    #[test]
    fn every_deviation_names_an_existing_statement_and_test() {
        let file: File = toml::from_str(TEXT).expect("deviations.toml");
        assert_eq!(file.deviation, all());
        for known in all() {
            assert!(contract::get(&known.statement).is_some(), "{known:?}");
            assert!(known.link.starts_with("https://"), "{known:?}");
            let test = (known.statement.as_str(), known.test.as_str());
            assert!(play::tests().contains(&test), "{known:?}");
        }
    }

    #[test]
    fn every_deviation_has_a_link_of_its_own() {
        let mut links: Vec<&str> = all().iter().map(|known| known.link.as_str()).collect();
        links.sort_unstable();
        links.dedup();
        assert_eq!(links.len(), all().len());
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

    const SEEN: Shape = Shape {
        event: Hook::STOP_POD,
        times: 0,
        after: After::Cause(Cause::PluginError),
    };

    fn is_known(name: &str, version: &str, test: &'static str, shape: Option<Shape>) -> bool {
        let subject = Subject {
            kind: SubjectKind::Runtime,
            name: name.to_owned(),
            index: String::new(),
            version: version.to_owned(),
        };
        let result = TestResult {
            statement: "E5",
            test,
            revision: None,
            outcome: Outcome::Fail(Failure {
                sent: String::new(),
                got: String::new(),
                expected: String::new(),
            }),
        };
        let results = mark(&subject, vec![Judged { result, shape }]);
        matches!(results[0].outcome, Outcome::Known { .. })
    }

    #[test]
    fn a_failure_is_known_only_for_the_affected_releases_and_in_exactly_its_shape() {
        let (stop, remove) = (
            "stop-pod-reaches-later-plugins",
            "remove-pod-reaches-later-plugins",
        );
        let nothing = Shape::caused(Hook::STOP_POD, 0, Cause::Nothing);
        let run = Shape::after(Hook::STOP_POD, 0, Hook::RUN_POD);
        let (twice, event) = (
            Shape { times: 2, ..SEEN },
            Shape {
                event: Hook::STOP,
                ..SEEN
            },
        );
        for (name, version, test, shape, known) in [
            ("containerd", "v2.4.2", stop, Some(SEEN), true),
            ("containerd", "v9.0.0", stop, Some(SEEN), false),
            ("containerd", "", stop, Some(SEEN), false),
            ("other", "v2.4.2", stop, Some(SEEN), false),
            ("containerd", "v2.4.2", remove, Some(SEEN), false),
            ("containerd", "v2.4.2", stop, Some(twice), false),
            ("containerd", "v2.4.2", stop, Some(event), false),
            ("containerd", "v2.4.2", stop, Some(nothing), false),
            ("containerd", "v2.4.2", stop, Some(run), false),
            ("containerd", "v2.4.2", stop, None, false),
        ] {
            let found = is_known(name, version, test, shape);
            assert_eq!(found, known, "{name} {version} {test} {shape:?}");
        }
    }
}
