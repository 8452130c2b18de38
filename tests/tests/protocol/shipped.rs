//! The generated files of `nri`, `nri-macros`, `nri-compat` and `nri-protos` match what `xtask`
//! generates from the protos.
//!
//! `NRI_WRITE_SNAPSHOTS=1` writes them, to be reviewed.

use std::fs;
use std::path::{Path, PathBuf};

use nri_schema::History;
use nri_schema::history::{Proto, Tables};
use xtask::shipped::{self, EventTable};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn events() -> EventTable {
    EventTable::read(&root()).expect("the table is there")
}

/// The protos as text: the descriptors that come with them are one of the things to check.
fn history() -> History {
    let mut tables = Tables::embedded();
    for proto in &mut tables.protos {
        *proto = Proto::from_text(proto.revision.clone(), proto.text.clone());
    }
    History::from_tables(tables).expect("the tables fit together")
}

#[test]
fn descriptors_are_what_the_protos_compile_to() {
    for (revision, embedded) in history().revisions().iter().zip(nri_protos::REVISIONS) {
        assert_eq!(revision.name(), embedded.name);
        let compiled = revision.descriptors().expect("it compiles");
        assert!(
            compiled == embedded.descriptors,
            "protos/api/{}/api.binpb is stale; cargo run -p xtask -- generate writes it",
            embedded.name
        );
    }
}

#[test]
fn descriptors_and_text_give_the_same_protocol() {
    let embedded = History::embedded().expect("the tables fit together");
    for (text, set) in history().revisions().iter().zip(embedded.revisions()) {
        let protocols = (text.protocol(), set.protocol());
        assert_eq!(protocols.0.expect("compiles"), protocols.1.expect("reads"));
        let compiled = text.compiled().expect("compiles");
        let read = set.compiled().expect("reads");
        assert_eq!(compiled.descriptor_set(), read.descriptor_set());
        assert_eq!((&compiled.named, &compiled.texts), (&read.named, &read.texts));
    }
}

#[test]
fn elements_are_declared_by_the_revisions_that_have_them() {
    let history = history();
    let protocol = |name: &str| {
        let found = history.revisions().iter().find(|known| known.name() == name);
        found.expect("known").protocol().expect("compiles")
    };
    let newest = history.revisions().last().expect("there is one");
    for name in newest.protocol().expect("compiles").names() {
        let revisions = history.declaring(name).expect("all compile");
        let declaring: Vec<&str> = revisions.iter().map(|known| known.name()).collect();
        let names = history.revisions().iter().map(|known| known.name());
        let having: Vec<&str> = names.filter(|known| protocol(known).has(name)).collect();
        assert_eq!(declaring, having, "{name}");
    }
}

#[test]
fn shipped_code_is_up_to_date() {
    let root = root();
    let history = history();
    for file in shipped::files(&history, &events()).expect("the newest revision is an NRI protocol")
    {
        let path = root.join(file.path);
        if std::env::var_os("NRI_WRITE_SNAPSHOTS").is_some() {
            fs::write(&path, &file.text).expect("the file can be written");
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == file.text,
            "{} is stale; NRI_WRITE_SNAPSHOTS=1 cargo test -p nri-tests --test protocol shipped:: writes it",
            file.path
        );
    }
}

/// A protocol to come: what it adds gets handler, row and bit without a change to any other file.
#[test]
fn every_rpc_and_event_of_the_newest_revision_is_there() {
    let history = history();
    let newest = history.revisions().last().expect("there is one");
    let protocol = newest.protocol().expect("it compiles");
    let files = shipped::files(&history, &events()).expect("it is an NRI protocol");
    let text =
        |end: &str| &files.iter().find(|file| file.path.ends_with(end)).expect("it is made").text;
    for rpc in &protocol.service("Plugin").expect("it has one").rpcs {
        assert!(text("handlers.rs").contains(&format!("pub trait {}:", rpc.name)), "{}", rpc.name);
        assert!(text("rpcs.rs").contains(&format!("name: \"{}\"", rpc.name)), "{}", rpc.name);
        assert!(
            text("nri-macros/src/table.rs").contains(&format!("name: \"{}\"", rpc.name)),
            "{}",
            rpc.name
        );
    }
    for event in &protocol.nri.as_ref().expect("it is NRI's").events {
        assert!(
            text("rpcs.rs").contains(&format!("event_name: Some(\"{}\")", event.name)),
            "{}",
            event.name
        );
    }
}
