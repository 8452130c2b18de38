//! Our breaking findings against those of the real buf: rule, file, line and column, each as often as buf prints it.
//!
//! Needs the feature `buf` and a buf, see `nri_tests::buf`.

use std::path::Path;

use nri_protos::{REVISIONS, Revision};
use nri_tests::buf::Buf;
use nri_tests::compare::{CATEGORIES, Side, compare, text};

/// Every ordered pair of protocol revisions, in each category.
#[test]
fn revisions() {
    let buf = Buf::find().expect("buf is installed");
    let root = tempfile::tempdir().unwrap();
    let sides: Vec<Side> = REVISIONS
        .iter()
        .map(|revision| side(root.path(), revision))
        .collect();
    let mut total = 0;
    for (from, old) in REVISIONS.iter().zip(&sides) {
        for (to, new) in REVISIONS.iter().zip(&sides) {
            for category in CATEGORIES {
                let (differ, shared) = compare(&buf, old, new, &[category]).unwrap();
                let (from, to) = (from.name, to.name);
                assert!(
                    differ.is_empty(),
                    "{from} to {to}, {category}:\n{}",
                    text(&differ)
                );
                total += shared;
            }
        }
    }
    assert!(total > 1000, "only {total} annotations compared");
}

fn side(root: &Path, revision: &Revision) -> Side {
    let folder = root.join(revision.name);
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("api.proto"), revision.proto).unwrap();
    Side::new(&folder).unwrap()
}
