//! Schemas of users that equal a known revision but for comments and order.

use std::fs;
use std::path::Path;

use nri_compat::diff::diff;
use nri_compat::report::diff::DiffReport;
use nri_compat::report::finding::Category;

/// Returns the proto of a revision without its comments, and with its last message before the first
/// one.
fn reordered(revision: &str) -> String {
    let proto = nri_protos::revision(revision).expect("a known revision").proto;
    let lines = proto.lines().filter(|line| !line.trim_start().starts_with("//"));
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    let (rest, last) = text.rsplit_once("\nmessage ").expect("several messages");
    let (before, after) = rest.split_once("\nmessage ").expect("several messages");
    format!("{before}\nmessage {last}\nmessage {after}\n")
}

fn compared(folder: &Path, text: &str) -> DiffReport {
    let file = folder.join("plugin.proto");
    fs::write(&file, text).expect("written");
    diff(&file.to_string_lossy(), "v0.12.5", Category::File).expect("compiles")
}

#[test]
fn a_schema_without_comments_and_in_another_order_equals_its_revision() {
    let folder = tempfile::tempdir().expect("a folder");
    for revision in ["v0.2.0", "v0.11.0", "v0.12.4"] {
        let report = compared(folder.path(), &reordered(revision));
        assert_eq!(report.from.equals.as_deref(), Some(revision));
        assert_eq!((report.from.revision, report.to.equals), (None, None));
    }
    let changed = reordered("v0.11.0").replace("string id = 1;", "string id = 99;");
    assert_eq!(compared(folder.path(), &changed).from.equals, None);
}
