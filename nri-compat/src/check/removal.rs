//! The expected dates of planned removals.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::Date;
use nri_schema::history::{History, Runtime, Since};

use crate::report::check::{PlannedRemoval, Subject};

/// The time between two minor releases in months. Kubernetes has three per year, and
/// [containerd](https://github.com/containerd/containerd/releases/tag/v2.3.0) (since 2.3) and
/// [CRI-O](https://github.com/cri-o/cri-o#compatibility-matrix-cri-o--kubernetes) follow it.
const MONTHS_PER_MINOR: u64 = 4;

/// The maximum distance of a planned release from the newest one, in minor releases.
const MAX_MINORS: u64 = 100;

/// Returns the planned removals that the verdicts name and whose dates can be estimated, by name.
pub(super) fn planned(subjects: &[Subject], history: &History) -> Vec<PlannedRemoval> {
    let verdicts = subjects.iter().flat_map(|subject| &subject.verdicts);
    let named: BTreeSet<&String> =
        verdicts.filter_map(|verdict| verdict.planned_removal.as_ref()).collect();
    let removals = history.deprecations().iter().map(|deprecation| &deprecation.removal.when);
    let estimated = |when: &&String| {
        let since = removals.clone().find(|since| since.words().as_ref() == Some(*when))?;
        Some(PlannedRemoval {
            when: (*when).clone(),
            expected: expected(since, history)?.to_string(),
        })
    };
    named.iter().filter_map(estimated).collect()
}

/// Returns the date of the first of these releases of runtimes, as far as it can be estimated.
fn expected(since: &Since, history: &History) -> Option<Date> {
    let runtimes = history.runtimes();
    let date = |(id, series): &(String, String)| {
        let runtime = runtimes.iter().find(|runtime| runtime.id == *id)?;
        release_date(runtime, series)
    };
    since.runtimes.iter().filter_map(date).min()
}

/// Returns the date of the first release of a series: from the table, or estimated from the newest
/// minor release of the same major version.
fn release_date(runtime: &Runtime, series: &str) -> Option<Date> {
    let mut parts = series.split('.').map(str::parse::<u64>);
    let (major, minor) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let mut firsts = runtime.releases.iter().filter(|release| {
        (release.version.major, release.version.patch) == (major, 0)
            && release.version.pre.is_empty()
    });
    if let Some(known) = firsts.clone().find(|known| known.version.minor == minor) {
        return known.date.parse().ok();
    }
    let newest = firsts.next_back()?;
    let minors = minor.checked_sub(newest.version.minor)?.min(MAX_MINORS);
    let date: Date = newest.date.parse().ok()?;
    let months = i64::try_from(minors * MONTHS_PER_MINOR).ok()?;
    date.checked_add(months.months()).ok()
}

#[cfg(test)]
mod tests {
    use nri_schema::history::RuntimeRelease;

    use super::*;

    #[test]
    fn known_releases_have_their_date_and_later_ones_an_estimate() {
        let history = crate::data::history().unwrap();
        let mut runtime = history.runtimes()[0].clone();
        let releases = "1.7.0 2023-03-10, 2.3.0 2026-04-30, 2.4.0 2026-09-16, 2.4.1 2026-10-01";
        let known = releases.split(", ").map(|release| {
            let (version, date) = release.split_once(' ').unwrap();
            RuntimeRelease {
                version: version.parse().unwrap(),
                name: format!("v{version}"),
                nri: "v0.12.0".into(),
                date: date.into(),
            }
        });
        runtime.releases = known.collect();
        for (series, expected) in [
            ("2.3", "2026-04-30"),
            ("2.3.4", "2026-04-30"),
            ("2.5", "2027-01-16"),
            ("2.7", "2027-09-16"),
            ("1.9", "2023-11-10"),
        ] {
            let date = release_date(&runtime, series).map(|date| date.to_string());
            assert_eq!(date.as_deref(), Some(expected), "{series}");
        }
        // Before the first known release, of an unknown major version, or malformed.
        for series in ["2.2", "3.0", "2", "", "2.x"] {
            assert_eq!(release_date(&runtime, series), None, "{series}");
        }
        let far = release_date(&runtime, "2.18446744073709551615");
        assert!(far.is_some(), "the distance is limited");
    }

    #[test]
    fn only_removals_of_verdicts_are_listed() {
        let history = crate::data::history().unwrap();
        assert_eq!(planned(&[], history), []);
        let mut subject = Subject::default();
        for when in ["containerd 2.7", "containerd 2.7", "something else"] {
            subject.verdicts.push(crate::report::check::Verdict {
                planned_removal: Some(when.into()),
                ..Default::default()
            });
        }
        let removals = planned(&[subject], history);
        let found: Vec<&str> = removals.iter().map(|one| one.when.as_str()).collect();
        assert_eq!(found, ["containerd 2.7"]);
    }
}
