//! The report of every adjacent pair of revisions, reviewed, and what is known of the history as a
//! whole.

use std::collections::BTreeSet;

use nri_compat::diff::{Input, compare};
use nri_compat::report::diff::{ChangeKind, DiffReport, ElementKind};
use nri_compat::report::finding::{Category, Level};
use nri_compat::report::template::{Format, render};
use nri_compat::report::{json, sarif};
use nri_schema::History;
use nri_schema::compile::Imports;

fn report(history: &History, from: &str, to: &str) -> DiffReport {
    let input = |spec| {
        Input::resolve(history, spec, &Imports::default())
            .unwrap_or_else(|error| panic!("{spec}: {error}"))
    };
    let report = compare(history, &input(from), &input(to), Category::File);
    DiffReport {
        // That of the tables changes with each release of a runtime.
        data_date: "2000-01-01".to_owned(),
        ..report
    }
}

fn adjacent(history: &History) -> impl Iterator<Item = (&str, &str)> {
    history.revisions().windows(2).map(|pair| (pair[0].name(), pair[1].name()))
}

#[test]
fn adjacent_revisions_are_as_reviewed() {
    let history = History::embedded().expect("the embedded tables fit together");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/diff");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (from, to) in adjacent(&history) {
            let report = report(&history, from, to);
            insta::assert_snapshot!(format!("{from}_{to}.text"), render(&report, Format::Text));
            insta::assert_snapshot!(format!("{from}_{to}.json"), json::render(&report));
        }
        let report = report(&history, "v0.11.0", "v0.12.0");
        insta::assert_snapshot!("v0.11.0_v0.12.0.markdown", render(&report, Format::Markdown));
        insta::assert_snapshot!("v0.11.0_v0.12.0.csv", render(&report, Format::Csv));
        insta::assert_snapshot!("v0.11.0_v0.12.0.github", render(&report, Format::Github));
        insta::assert_snapshot!("v0.11.0_v0.12.0.junit", render(&report, Format::Junit));
        insta::assert_snapshot!("v0.11.0_v0.12.0.sarif", sarif::diff(&report));
    });
}

/// Additive, but for the sentinel LAST: nothing goes, nothing else changes, nothing is an error.
#[test]
fn history_is_additive() {
    let history = History::embedded().expect("the embedded tables fit together");
    for (from, to) in adjacent(&history) {
        let report = report(&history, from, to);
        assert!(report.worst() < Some(Level::Error), "{from} to {to}");
        for change in &report.changes {
            let is_sentinel =
                change.what == ElementKind::EnumValue && change.element.ends_with(".Event.LAST");
            let expected = if is_sentinel { ChangeKind::Changed } else { ChangeKind::Added };
            assert_eq!(change.kind, expected, "{from} to {to}: {}", change.element);
        }
    }
}

fn added(report: &DiffReport, what: ElementKind) -> BTreeSet<&str> {
    let added = |change: &&nri_compat::report::diff::Change| {
        change.kind == ChangeKind::Added && change.what == what
    };
    report.changes.iter().filter(added).map(|change| change.element.as_str()).collect()
}

fn elements<'r>(report: &'r DiffReport, rule: &str) -> BTreeSet<&'r str> {
    let findings = report.findings.iter().filter(|finding| finding.rule == rule);
    findings.map(|finding| finding.element.as_str()).collect()
}

#[test]
fn nine_events_left_state_change_in_v0_12_0() {
    let history = History::embedded().expect("the embedded tables fit together");
    let report = report(&history, "v0.11.0", "v0.12.0");
    assert_eq!(added(&report, ElementKind::Rpc).len(), 9);
    assert_eq!(elements(&report, "NRI_EVENT_LEFT_STATE_CHANGE").len(), 9);
    assert_eq!(elements(&report, "NRI_RPC_ADDED_WITH_FALLBACK"), added(&report, ElementKind::Rpc));
    assert_eq!(report.deprecated.len(), 1);
    assert_eq!(report.deprecated[0].removal, "planned for containerd 2.7");
}

#[test]
fn fields_that_older_runtimes_skip_came_when_they_did() {
    let history = History::embedded().expect("the embedded tables fit together");
    let skipped = |from, to| {
        let report = report(&history, from, to);
        let elements = elements(&report, "NRI_FIELD_IGNORED_BY_OLDER_RUNTIME");
        elements.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let field = |name: &str| vec![format!("nri.pkg.api.v1alpha1.{name}")];
    assert_eq!(skipped("v0.11.0", "v0.12.0"), field("LinuxContainerAdjustment.memory_policy"));
    assert_eq!(skipped("v0.12.0", "v0.12.2"), Vec::<String>::new());
    assert_eq!(skipped("v0.12.2", "v0.12.4"), field("ConfigureResponse.failure_policy"));
    let image = report(&history, "v0.12.0", "v0.12.2");
    assert!(added(&image, ElementKind::Field).contains("nri.pkg.api.v1alpha1.Container.image"));
}

#[test]
fn identical_sides_give_nothing() {
    let history = History::embedded().expect("the embedded tables fit together");
    for revision in history.revisions() {
        let report = report(&history, revision.name(), revision.name());
        let found = (report.findings.len(), report.changes.len(), report.pairings.len());
        assert_eq!(found, (0, 0, 0), "{}", revision.name());
    }
}
