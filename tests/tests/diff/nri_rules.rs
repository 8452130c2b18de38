//! Every rule on every NRI fixture, against reviewed findings; one name for rule, fixture and
//! snapshot.

use nri_compat::report::finding::Category;
use nri_compat::rules;
use nri_schema::History;
use nri_tests::nri_fixtures::{self as fixture, listing};
use nri_tests::snapshot;

fn history() -> History {
    History::embedded().expect("the embedded tables fit together")
}

#[test]
fn every_fixture_finds_its_rule_and_what_was_reviewed() {
    let history = history();
    for fixture in fixture::all("nri") {
        let findings =
            fixture.findings(&history).unwrap_or_else(|error| panic!("{}: {error}", fixture.rule));
        assert!(
            findings.iter().any(|finding| finding.rule == fixture.rule),
            "{} is not found in its own fixture:\n{}",
            fixture.rule,
            listing(&findings)
        );
        snapshot::assert_same(&format!("rules/{}.txt", fixture.rule), &listing(&findings));
    }
}

#[test]
fn identical_inputs_give_nothing() {
    let history = history();
    for fixture in fixture::all("nri") {
        for side in ["previous", "current"] {
            let findings = fixture.findings_of_one(&history, side).expect("compiled before");
            assert!(findings.is_empty(), "{} {side}:\n{}", fixture.rule, listing(&findings));
        }
    }
}

#[test]
fn every_nri_rule_has_a_fixture_and_a_snapshot() {
    let is_nri = |rule: &&rules::Rule| rule.categories.contains(&Category::Nri);
    let mut rules: Vec<&str> = rules::all().filter(is_nri).map(|rule| rule.id).collect();
    rules.sort_unstable();
    let fixtures: Vec<String> =
        fixture::all("nri").into_iter().map(|fixture| fixture.rule).collect();
    let mut snapshots = snapshot::names("rules");
    snapshots.retain(|name| name.starts_with("NRI_"));
    assert_eq!(fixtures, rules);
    assert_eq!(snapshots, rules);
}

/// The fixtures of the protobuf rules are no NRI protocols: NRI's rules run and have nothing to
/// say.
#[test]
fn nri_rules_say_nothing_about_other_schemas() {
    let history = history();
    for fixture in fixture::all("breaking") {
        let findings =
            fixture.findings(&history).unwrap_or_else(|error| panic!("{}: {error}", fixture.rule));
        assert!(findings.iter().any(|finding| finding.rule == fixture.rule), "{}", fixture.rule);
        assert!(
            findings.iter().all(|finding| !finding.rule.starts_with("NRI_")),
            "{}",
            fixture.rule
        );
    }
}
