//! A plugin that breaks one statement of the contract on purpose fails exactly that statement; one that breaks none
//! passes everything.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use nri_conformance::contract;
use nri_conformance::plugin::{Options, Run};
use nri_conformance::result::{Outcome, Report};
use nri_conformance::session::Timeouts;
use nri_conformance::subject::{Executable, Subject};

const MUTANT: &str = env!("CARGO_BIN_EXE_mutant-plugin");

/// The mutations, each named by the statement that it breaks; whatever follows the hyphen tells them apart. W16 is
/// broken by whoever starts the plugin. The first take longest.
const MUTATIONS: [&str; 49] = [
    "P5",
    "P5-rare",
    "P5-second",
    "W4-second",
    "W4-second-refuses",
    "W4-load",
    "W4-load-refuses",
    "W11-rare",
    "W4-rare",
    "W4-seldom",
    "W4-refuses",
    "W1",
    "W1-name",
    "W1-never",
    "W2",
    "W2-zero",
    "W3",
    "W3-success",
    "W3-subscribed",
    "W4",
    "W4-lacks",
    "W5",
    "W6",
    "W7",
    "W8",
    "W8-cut",
    "Y2",
    "W10",
    "W11",
    "W12",
    "W12-timeouts",
    "W13",
    "W14",
    "W14-ends",
    "W15",
    "W15-away",
    "W15-backoff",
    "W16",
    "W17",
    "W17-files",
    "W17-connections",
    "W18",
    "W18-loop",
    "P3",
    "P4",
    "P6",
    "P7",
    "P8",
    "P9",
];

/// Those that take a plugin that connects by itself.
const EXTERNAL: [&str; 4] = ["external", "W15-away", "W15-backoff", "W17-connections"];

/// The revisions that are played: both ways of sending events.
const REVISIONS: [&str; 2] = ["v0.11.0", "v0.12.4"];

/// The number of mutants that run at once: they wait most of the time.
const AT_ONCE: usize = 8;

fn mutant(mutation: &str) -> Subject {
    let shell = |script: String| Executable {
        path: "/bin/sh".into(),
        args: vec!["-c".into(), OsString::from(script)],
        ..Executable::default()
    };
    let direct = |mutation: &str| Executable {
        path: Path::new(MUTANT).to_owned(),
        args: vec![mutation.into()],
        ..Executable::default()
    };
    if EXTERNAL.contains(&mutation) {
        return Subject::external(direct(mutation.trim_start_matches("external")));
    }
    Subject::launched(match mutation {
        "W16" => shell(format!("trap '' TERM; exec {MUTANT}")),
        _ => direct(mutation),
    })
}

fn run(mutation: &str) -> Report {
    // Twice as long as a runtime waits: several runs share the machine.
    let timeouts = Timeouts {
        registration: Duration::from_secs(10),
        request: Duration::from_secs(4),
    };
    let run = Run::new(mutant(mutation))
        .revisions(REVISIONS)
        .timeouts(timeouts);
    run.run_blocking().expect("the mutant starts")
}

/// Returns the statements that say the same as one.
fn aliases(id: &str) -> BTreeSet<&str> {
    let same = |it: &&contract::Statement| it.id == id || it.same_as.as_deref() == Some(id);
    let mut ids: BTreeSet<&str> = contract::all()
        .iter()
        .filter(same)
        .map(|it| &*it.id)
        .collect();
    ids.extend(contract::get(id).and_then(|it| it.same_as.as_deref()));
    ids
}

fn broken(report: &Report) -> BTreeSet<&str> {
    report
        .failures()
        .map(|(result, _)| result.statement)
        .collect()
}

fn failures(report: &Report) -> String {
    let lines = report.failures();
    let lines: Vec<String> = lines
        .map(|(result, failure)| {
            format!(
                "{} {} {:?}: {failure}",
                result.statement, result.test, result.revision
            )
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
    let next = AtomicUsize::new(0);
    let take = || MUTATIONS.get(next.fetch_add(1, Ordering::Relaxed));
    let wrong: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                scope.spawn(|| {
                    std::iter::from_fn(take)
                        .filter_map(|it| wrong(it))
                        .collect()
                })
            })
            .collect();
        let results = threads.into_iter().map(|it| it.join().expect("no panic"));
        results.flat_map(|it: Vec<String>| it).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn input_that_no_runtime_sends_is_tested_on_request_and_fails_no_run() {
    let broken_by = |mutation, only: &[&str]| {
        let run = Run::new(mutant(mutation)).revisions(["v0.12.4"]);
        let report = run.only(only.to_vec()).run_blocking();
        let report = report.expect("the mutant starts");
        let broken = broken(&report).into_iter().map(str::to_owned);
        broken.collect::<Vec<String>>()
    };
    for mutation in ["W19", "W19-pod"] {
        // And nothing else, although one of them ends.
        assert_eq!(broken_by(mutation, &["W19"]), ["W19"]);
        assert!(broken_by(mutation, &["W7", "P5"]).is_empty());
    }
    assert!(contract::get("W19").is_some_and(|it| !it.is_firm()));
    assert!(!Options::default().selects("W19"));
}

#[test]
fn a_soak_test_finds_a_plugin_that_ends_after_100_000_events() {
    for (soak, expected) in [(false, None), (true, Some("W4"))] {
        let options = Options {
            only: ["W17".to_owned()].into(),
            soak,
            ..Options::default()
        };
        let run = Run::new(mutant("W4-soak")).options(options);
        let report = run.run_blocking().expect("the mutant starts");
        assert_eq!(broken(&report), expected.into_iter().collect(), "{soak}");
    }
}

/// Returns what is wrong with the judgement of a mutant.
fn wrong(mutation: &str) -> Option<String> {
    let id = mutation.split('-').next().unwrap_or(mutation);
    let report = run(mutation);
    let (found, expected) = (broken(&report), aliases(id));
    (found != expected && !found.is_subset(&expected) || found.is_empty()).then(|| {
        format!(
            "{mutation}: broke {found:?}, expected {expected:?}\n{}",
            failures(&report)
        )
    })
}
