//! Real containerd behind a proxy that breaks the order of events: each mutant fails its statement
//! and no other.
//!
//! The mutants are those that `nri-conformance` runs with `nri-adaptation`.

use std::collections::BTreeSet;
use std::path::Path;

use nri_conformance::result::Report;
use nri_conformance::runtime::{Options, run};
use nri_tests::containerd;
use nri_tests::node::{IMAGE, Node};

#[allow(dead_code, reason = "recordings are judged by the tests of `nri-conformance`")]
#[path = "../../../nri-conformance/tests/runtime_mutants/proxy.rs"]
mod proxy;

use proxy::{MUTANTS, Mutant, Proxy};

/// The statements about the order of events that need one run of two pods.
const ORDER: [&str; 10] = ["R3", "D2", "O1", "O2", "O3", "O4", "O8", "C1", "C5", "P2"];

/// Judges containerd by the statements about the order of events.
async fn judge(containerd: &Node, folder: &Path, mutant: Option<Mutant>) -> Report {
    let socket = folder.join(mutant.map_or("unbroken", |mutant| mutant.name));
    let _proxy = Proxy::listen(&socket, &containerd.nri_socket(), mutant);
    let mut options = Options::new(socket);
    options.cri_socket = Some(containerd.socket());
    options.image = IMAGE.to_owned();
    options.failing_command = vec!["/pause".to_owned(), "fail".to_owned()];
    let breaks = mutant.map(|mutant| mutant.breaks.to_owned());
    options.only = ORDER.map(str::to_owned).into_iter().chain(breaks).collect();
    let report = run(&options).await;
    report.unwrap_or_else(|error| panic!("{mutant:?}: {error}"))
}

fn failed(report: &Report) -> BTreeSet<&str> {
    let failures = report.failures();
    failures.map(|(result, _)| result.statement).collect()
}

#[test]
fn each_broken_order_of_containerd_2_4_2_fails_its_statement() {
    let containerd = containerd::start_with_network("v2.4.2");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    runtime.block_on(async {
        judge(&containerd, folder.path(), None).await.assert();
        let mut wrong = Vec::new();
        for mutant in MUTANTS {
            let report = judge(&containerd, folder.path(), Some(*mutant)).await;
            if failed(&report) != [mutant.breaks].into() {
                let failures: Vec<_> = report.failures().collect();
                wrong.push(format!("{mutant:?}: {failures:#?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
