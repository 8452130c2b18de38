//! `nri_conformance::runtime` against real containerd, with pods that have networks of their own.
//!
//! The results are in `snapshots/conformance`. What is not a pass is explained in `snapshots/conformance/README.md`.

use std::fmt::Write as _;

use nri_conformance::result::{Outcome, Report};
use nri_conformance::runtime::{Options, run};
use nri_tests::containerd::{Containerd, IMAGE};

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

fn compare(release: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots/conformance");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        insta::assert_snapshot!(format!("containerd-{release}"), lines(&report(release)));
    });
}

#[test]
fn containerd_2_4_2() {
    compare("v2.4.2");
}

#[test]
fn containerd_2_2_9() {
    compare("v2.2.9");
}
