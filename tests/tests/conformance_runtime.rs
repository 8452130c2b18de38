//! `nri_conformance::runtime` against real containerd, with pods that have networks of their own.

use nri_conformance::result::Report;
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

#[test]
fn containerd_2_4_2() {
    let report = report("v2.4.2");
    eprintln!("{report:#?}");
    report.assert();
}
