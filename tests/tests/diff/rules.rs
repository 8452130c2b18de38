//! The rules on the fixtures: every rule runs on every one of them, and what it finds is a reviewed
//! snapshot.
//!
//! `NRI_WRITE_SNAPSHOTS=1` writes the snapshots and the table of rules, to be reviewed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nri_compat::report::finding::Finding;
use nri_compat::{diff, rules};
use nri_tests::fixtures::{self, Fixture, names};
use similar::TextDiff;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Compares a text with a file, or writes the file if asked to.
fn assert_text(path: &Path, actual: &str) {
    if std::env::var_os("NRI_WRITE_SNAPSHOTS").is_some() {
        std::fs::write(path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let expected =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let diff = TextDiff::from_lines(expected.as_str(), actual)
        .unified_diff()
        .context_radius(1)
        .to_string();
    assert!(diff.is_empty(), "{} is stale:\n{diff}", path.display());
}

#[test]
fn findings_are_those_of_the_snapshots() {
    for Fixture { rule, previous, current } in fixtures::all() {
        let findings = previous.breaking(&current, &[]);
        assert!(
            findings.iter().any(|finding| finding.rule == rule),
            "the fixture of {rule} does not trigger it"
        );
        let text: String = findings.iter().map(line).collect();
        assert_text(&repository().join("snapshots/rules").join(format!("{rule}.txt")), &text);
    }
}

fn line(finding: &Finding) -> String {
    let place = finding.location.as_ref().map_or_else(
        || "-".to_owned(),
        |place| format!("{}:{}:{}", place.file, place.line, place.column),
    );
    format!("{place} {} {}: {}\n", finding.rule, finding.element, finding.message)
}

#[test]
fn identical_inputs_give_nothing() {
    for Fixture { rule, previous, current } in fixtures::all() {
        for side in [&previous, &current] {
            assert_eq!(side.breaking(side, &[]), [], "{rule}");
        }
    }
}

#[test]
fn a_category_selects_its_rules() {
    let categories = nri_tests::compare::CATEGORIES;
    for Fixture { rule, previous, current } in fixtures::all() {
        let all = previous.breaking(&current, &[]);
        assert_eq!(previous.breaking(&current, &categories), all, "{rule}");
        for category in categories {
            let mut expected = all.clone();
            expected
                .retain(|finding| rules::get(finding.rule).unwrap().categories.contains(&category));
            assert_eq!(previous.breaking(&current, &[category]), expected, "{rule}, {category}");
        }
    }
}

#[test]
fn every_rule_has_a_fixture_and_a_snapshot() {
    let checks: BTreeSet<String> = diff::rule_ids().map(str::to_owned).collect();
    let same = |what: &str, found: Vec<String>| {
        let found: BTreeSet<String> = found.into_iter().collect();
        assert_eq!(checks, found, "{what}");
    };
    same("folders in tests/fixtures/breaking", names(&fixtures::root()));
    let mut snapshots = names(&repository().join("snapshots/rules"));
    snapshots.retain(|name| !name.starts_with("NRI_"));
    same("files in snapshots/rules", snapshots);
}

#[test]
fn every_file_in_the_catalogue_is_a_rule_of_the_table() {
    let mut listed: Vec<String> = rules::ids().map(str::to_owned).collect();
    listed.sort();
    let mut files = names(&repository().join("nri-compat/rules"));
    files.retain(|name| name != "README");
    files.extend(names(&repository().join("nri-compat/incidents")));
    files.sort();
    assert_eq!(listed, files);
    assert_eq!(rules::all().count(), listed.len(), "a rule does not parse");
}

#[test]
fn retired_rules_name_a_successor() {
    for rule in rules::all() {
        let successor = rule.replaced_by;
        assert!(
            successor.is_none_or(|id| id != rule.id && rules::get(id).is_some()),
            "{}",
            rule.id
        );
    }
}

#[test]
fn the_table_of_rules_is_up_to_date() {
    let mut table = String::from(
        "# Rules\n\nOne file a rule, and those of incidents are in `incidents`. `nri-compat explain RULE` prints its text. This table is @generated from the files.\n\n\
         | rule | level | categories | what it finds |\n| --- | --- | --- | --- |\n",
    );
    for rule in rules::all() {
        let categories: Vec<_> = rule.categories.iter().map(|category| category.as_str()).collect();
        let (id, level, summary) = (rule.id, rule.level, rule.summary);
        let _ = writeln!(table, "| {id} | {level} | {} | {summary} |", categories.join(", "));
    }
    assert_text(&repository().join("nri-compat/rules/README.md"), &table);
}
