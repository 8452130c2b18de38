//! The generated files of `nri`, `nri-macros` and `nri-compat` match what `xtask` generates from the protos.
//!
//! `NRI_WRITE_SNAPSHOTS=1` writes them, to be reviewed.

use std::fs;
use std::path::Path;

use nri_codegen::History;
use xtask::shipped;

#[test]
fn shipped_code_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let history = History::embedded().expect("the tables fit together");
    for file in shipped::files(&history).expect("the newest revision is an NRI protocol") {
        let path = root.join(file.path);
        if std::env::var_os("NRI_WRITE_SNAPSHOTS").is_some() {
            fs::write(&path, &file.text).expect("the file can be written");
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == file.text,
            "{} is stale; NRI_WRITE_SNAPSHOTS=1 cargo test -p nri-tests --test shipped writes it",
            file.path
        );
    }
}

/// A protocol to come: what it adds gets handler, row and bit without a change to any other file.
#[test]
fn every_rpc_and_event_of_the_newest_revision_is_there() {
    let history = History::embedded().expect("the tables fit together");
    let newest = history.revisions().last().expect("there is one");
    let protocol = newest.protocol().expect("it compiles");
    let files = shipped::files(&history).expect("it is an NRI protocol");
    let text = |end: &str| {
        &files
            .iter()
            .find(|file| file.path.ends_with(end))
            .expect("it is made")
            .text
    };
    for rpc in &protocol.service("Plugin").expect("it has one").rpcs {
        assert!(
            text("handlers.rs").contains(&format!("pub trait {}:", rpc.name)),
            "{}",
            rpc.name
        );
        assert!(
            text("dispatch.rs").contains(&format!("name: \"{}\"", rpc.name)),
            "{}",
            rpc.name
        );
        assert!(
            text("nri-macros/src/table.rs").contains(&format!("name: \"{}\"", rpc.name)),
            "{}",
            rpc.name
        );
    }
    for event in &protocol.nri.as_ref().expect("it is NRI's").events {
        assert!(
            text("dispatch.rs").contains(&format!("event_name: Some(\"{}\")", event.name)),
            "{}",
            event.name
        );
    }
}
