//! A plugin that breaks one statement of the contract on purpose fails exactly that statement; one
//! that breaks none passes everything.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use nri_conformance::contract;
use nri_conformance::plugin::{Options, Run, all_tests};
use nri_conformance::result::{Outcome, Report};
use nri_conformance::session::Timeouts;
use nri_conformance::subject::{Executable, Subject};
use nri_tests::judged::judged;

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant-plugin");

/// A mutation that the plugin does not know: whoever starts it lets it ignore SIGTERM.
const IGNORES_SIGTERM: &str = "W16";

/// Statements whose mutants take longest, and therefore run first.
const SLOW: &[&str] = &["P5", "W4", "W11"];

/// Those that take a plugin that connects by itself.
const EXTERNAL: &[&str] = &["external", "W15-away", "W15-backoff", "W17-connections"];

/// The revisions that are played: both ways of sending events.
const REVISIONS: [&str; 2] = ["v0.11.0", "v0.12.4"];

/// The number of mutants that run at once: they wait most of the time.
const AT_ONCE: usize = 8;

fn mutant(mutation: &str) -> Subject {
    let shell = |script: String| Executable::new("/bin/sh").args(["-c".to_owned(), script]);
    let direct = |argument: &str| Executable::new(MUTANT).args([argument]);
    if EXTERNAL.contains(&mutation) {
        return Subject::external(direct(mutation.trim_start_matches("external")));
    }
    Subject::launched(match mutation {
        IGNORES_SIGTERM => shell(format!("trap '' TERM; exec {MUTANT}")),
        _ => direct(mutation),
    })
}

/// Returns the mutations, each named by the statement that it breaks; whatever follows the hyphen
/// tells them apart.
fn mutations() -> Vec<String> {
    let output = Command::new(MUTANT).arg("--list").output().expect("the mutant starts");
    let listed = String::from_utf8(output.stdout).expect("UTF-8");
    // The soak test and robustness have tests of their own.
    let is_usual = |name: &&str| {
        let is_firm = contract::get(statement(name)).is_some_and(|it| it.is_firm());
        is_firm && !name.ends_with("-soak")
    };
    let mut usual: Vec<String> =
        listed.lines().chain([IGNORES_SIGTERM]).filter(is_usual).map(str::to_owned).collect();
    usual.sort_by_key(|name| !SLOW.contains(&statement(name)));
    usual
}

/// Returns the statement that a mutation breaks.
fn statement(mutation: &str) -> &str {
    mutation.split('-').next().unwrap_or(mutation)
}

fn run(mutation: &str) -> Report {
    // Twice as long as a runtime waits: several runs share the machine.
    let mut options = Options::default();
    options.timeouts =
        Timeouts::default().registration(Duration::from_secs(10)).request(Duration::from_secs(4));
    Run::new(mutant(mutation))
        .options(options)
        .revisions(REVISIONS)
        .run_blocking()
        .expect("the mutant starts")
}

/// Returns the statements that say the same as one.
fn aliases(id: &str) -> BTreeSet<&str> {
    let same = |it: &&contract::Statement| it.id == id || it.same_as.as_deref() == Some(id);
    let mut ids: BTreeSet<&str> = contract::all().iter().filter(same).map(|it| &*it.id).collect();
    ids.extend(contract::get(id).and_then(|it| it.same_as.as_deref()));
    ids
}

fn broken(report: &Report) -> BTreeSet<&str> {
    report.failures().map(|(result, _)| result.statement).collect()
}

fn failures(report: &Report) -> String {
    let lines: Vec<String> = report
        .failures()
        .map(|(result, failure)| {
            format!("{} {} {:?}: {failure}", result.statement, result.test, result.revision)
        })
        .collect();
    lines.join("\n")
}

#[test]
fn a_plugin_that_keeps_the_contract_passes() {
    let report = run("");
    report.assert();
    let skipped: BTreeSet<_> = report
        .results
        .iter()
        .filter(|result| matches!(result.outcome, Outcome::Skip(_)))
        .map(|result| (result.statement, result.test))
        .collect();
    let expected = [
        ("P1", "kept-by-runtime"),
        ("P2", "kept-by-runtime"),
        ("W14", "failed-updates"),
        ("W14", "updates-outside-handlers"),
        ("W15", "backoff"),
        ("W17", "leaks-over-reconnects"),
    ];
    assert_eq!(skipped, expected.into());
}

#[test]
fn a_plugin_that_keeps_the_contract_passes_when_it_connects_by_itself() {
    run("external").assert();
}

#[test]
fn a_mutant_breaks_its_statement_and_no_other() {
    let wrong = judged(AT_ONCE, &mutations(), |it| wrong(it));
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_test_has_a_mutant() {
    let mutations = mutations();
    let broken: BTreeSet<&str> = mutations.iter().map(|name| statement(name)).collect();
    for test in all_tests() {
        let mut statements = test.statements.iter();
        let is_firm = |id: &&str| contract::get(id).is_some_and(|it| it.is_firm());
        let is_broken = statements.any(|id| broken.contains(id) || !is_firm(id));
        assert!(is_broken, "{}: {:?}", test.name, test.statements);
    }
}

#[test]
fn input_that_no_runtime_sends_is_tested_on_request_and_fails_no_run() {
    for mutation in ["W19", "W19-pod"] {
        // And nothing else, although one of them ends.
        assert_eq!(broken_by(mutation, &["W19"]), ["W19"]);
        assert!(broken_by(mutation, &["W7", "P5"]).is_empty());
    }
    assert!(contract::get("W19").is_some_and(|it| !it.is_firm()));
    assert!(!Options::default().selects("W19"));
}

/// Returns the statements that a mutant breaks when only some are tested.
fn broken_by(mutation: &str, only: &[&str]) -> Vec<String> {
    let report = Run::new(mutant(mutation))
        .revisions(["v0.12.4"])
        .only(only.to_vec())
        .run_blocking()
        .expect("the mutant starts");
    broken(&report).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_soak_test_finds_a_plugin_that_ends_after_100_000_events() {
    for (soak, expected) in [(false, None), (true, Some("W4"))] {
        let mut options = Options::default();
        options.only = ["W17".to_owned()].into();
        options.soak = soak;
        // One of thousands of events may take long on a busy machine.
        options.timeouts.request = Duration::from_secs(60);
        let run = Run::new(mutant("W4-soak")).options(options);
        let report = run.run_blocking().expect("the mutant starts");
        assert_eq!(broken(&report), expected.into_iter().collect(), "{soak}");
    }
}

/// Returns what is wrong with the judgement of a mutant.
fn wrong(mutation: &str) -> Option<String> {
    let id = statement(mutation);
    let report = run(mutation);
    let (found, expected) = (broken(&report), aliases(id));
    (!found.contains(id) || !found.is_subset(&expected)).then(|| {
        format!("{mutation}: broke {found:?}, expected {expected:?}\n{}", failures(&report))
    })
}
