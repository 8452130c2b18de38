//! A program in Go that only has the path of a runtime's socket.

use nri_compat::check::collect::{Request, collect};
use nri_compat::check::evidence::READERS;
use nri_tests::peers::GoBuild;

#[test]
fn a_program_that_only_prints_the_path_of_the_socket_is_no_plugin() {
    let build = GoBuild {
        name: "prints".into(),
        module: "prints".into(),
        modfile: "go.mod".into(),
        options: vec!["-ldflags=-s -w".into()],
        environment: Vec::new(),
        packages: vec![".".into()],
    };
    let request = Request { paths: vec![build.build()], ..Request::default() };
    let found = collect(&request, READERS);
    assert_eq!(found.sightings, []);
    assert_eq!(found.skipped, []);
    assert_eq!(found.summary.inputs.without_nri, 1);
}
