//! Drift: every generated file that is committed is what the generator makes now.
//!
//! Snapshots are insta's, so a failure shows the difference. Nothing is rewritten but by
//! `cargo run -p xtask -- generate`, or by insta where `INSTA_UPDATE=always` tells it to.

use std::path::{Path, PathBuf};

use nri_codegen::emit;
use nri_schema::History;
use xtask::generate;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn the_source_of_every_revision_is_the_reviewed_one() {
    let history = History::embedded().unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("snapshots/codegen"));
    settings.set_prepend_module_to_snapshot(false);
    for revision in history.revisions() {
        let compiled = history.compiled_for(revision.name()).unwrap();
        let source = emit::source(&compiled, &history, &emit::Options::default()).unwrap();
        let name = format!("nri_{}", revision.name().replace(['.', '-'], "_"));
        settings.bind(|| insta::assert_snapshot!(name, source));
    }
}

#[test]
fn nothing_generated_is_stale_or_left_over() {
    let history = History::read(&root().join("protos")).unwrap();
    let stale = generate::stale(&root(), &history).unwrap();
    assert!(stale.is_empty(), "run `cargo run -p xtask -- generate`: {stale:?}");
    let snapshots = root().join("snapshots/codegen").read_dir().unwrap();
    assert_eq!(snapshots.count(), history.revisions().len(), "one snapshot a revision");
}

#[test]
fn generating_twice_gives_the_same() {
    let once = generate::targets(&root(), &History::embedded().unwrap()).unwrap();
    let again = generate::targets(&root(), &History::embedded().unwrap()).unwrap();
    assert!(once == again && once.len() > 11);
}
