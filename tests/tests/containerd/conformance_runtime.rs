//! `nri_conformance::runtime` against real containerd, with pods that have networks of their own.
//!
//! The results are in `snapshots/conformance`. A known deviation is explained in `nri-conformance/deviations.toml`.

use std::fmt::Write as _;

use nri_conformance::result::{Outcome, Report};
use nri_conformance::runtime::{Options, deviations, run};
use nri_tests::containerd::{Containerd, IMAGE};
use nri_tests::snapshot::assert_same;

fn report(release: &str) -> Report {
    let containerd = Containerd::start_with_network(release);
    let mut options = Options::new(containerd.nri_socket());
    options.cri_socket = Some(containerd.socket());
    options.image = IMAGE.to_owned();
    options.failing_command = vec!["/pause".to_owned(), "fail".to_owned()];
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    runtime
        .block_on(run(&options))
        .expect("containerd can be tested")
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
        let _ = writeln!(text, "{outcome:5} {statement} {test}{detail}");
    }
    text
}

/// Runs all tests, of which none may fail in a way that is not a known deviation.
fn compare(release: &str) {
    let report = report(release);
    assert_same(
        &format!("conformance/containerd-{release}.txt"),
        &lines(&report),
    );
    report.assert();
    assert_seen(&report);
}

/// Asserts that each deviation that is listed for the release was seen, because an entry hides failures.
fn assert_seen(report: &Report) {
    let listed = deviations::all().iter();
    for known in listed.filter(|known| known.applies_to(&report.subject)) {
        let mut results = report.results.iter();
        let seen = results.any(|result| {
            result.test == known.test && matches!(result.outcome, Outcome::Known { .. })
        });
        assert!(seen, "not seen: {known:?}");
    }
}

#[test]
fn containerd_2_4_2() {
    compare("v2.4.2");
}

#[test]
fn containerd_2_2_9() {
    compare("v2.2.9");
}
