//! `nri_conformance::runtime` against real containerd and real CRI-O, with pods that have networks
//! of their own.
//!
//! The results are in `snapshots/conformance`. A known deviation is explained in
//! `nri-conformance/deviations.toml`.

use std::fmt::Write as _;

use nri_conformance::result::{Outcome, Report};
use nri_conformance::runtime::{Options, deviations, run};
use nri_tests::node::{IMAGE, Node};
use nri_tests::snapshot::assert_same;
use nri_tests::{containerd, crio};

fn report(node: &Node) -> Report {
    let mut options = Options::new(node.nri_socket());
    options.cri_socket = Some(node.socket());
    options.image = IMAGE.to_owned();
    options.failing_command = vec!["/pause".to_owned(), "fail".to_owned()];
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    runtime.block_on(run(&options)).expect("the runtime can be tested")
}

/// Returns a line for each result.
fn lines(report: &Report) -> String {
    let mut text = format!("{} {}\n", report.subject.name, report.subject.version);
    for result in &report.results {
        let (outcome, detail) = match &result.outcome {
            Outcome::Pass => ("pass", String::new()),
            Outcome::Fail(failure) => ("FAIL", format!(": {failure}")),
            Outcome::Skip(reason) => ("skip", format!(": {reason}")),
            Outcome::Known { failure, link } => ("known", format!(": {failure}; see {link}")),
        };
        let (statement, test) = (result.statement, result.test);
        let detail = without_ids(&detail);
        let _ = writeln!(text, "{outcome:5} {statement} {test}{detail}");
    }
    text
}

/// Replaces the ids of pods and containers, which differ in every run.
fn without_ids(text: &str) -> String {
    let is_id = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = text.split_inclusive(|end: char| !end.is_ascii_alphanumeric());
    let neutral = words.map(|word| match word.split_at_checked(64) {
        Some((id, rest)) if is_id(id) => format!("ID{rest}"),
        _ => word.to_owned(),
    });
    neutral.collect()
}

/// Runs all tests, of which none may fail in a way that is not a known deviation.
fn compare(name: &str, node: &Node) {
    let report = report(node);
    assert_same(&format!("conformance/{name}.txt"), &lines(&report));
    report.assert();
    assert_seen(&report);
}

/// Asserts that each deviation that is listed for the release was seen, because an entry hides
/// failures.
fn assert_seen(report: &Report) {
    for known in deviations::all().iter().filter(|known| known.applies_to(&report.subject)) {
        let seen = report.results.iter().any(|result| {
            result.test == known.test && matches!(result.outcome, Outcome::Known { .. })
        });
        assert!(seen, "not seen: {known:?}");
    }
}

#[test]
fn containerd_2_4_2() {
    let containerd = containerd::start_with_network("v2.4.2");
    compare("containerd-v2.4.2", &containerd);
}

#[test]
fn containerd_2_2_9() {
    let containerd = containerd::start_with_network("v2.2.9");
    compare("containerd-v2.2.9", &containerd);
}

#[test]
fn crio_1_36_2() {
    compare("cri-o-v1.36.2", &crio::start());
}
