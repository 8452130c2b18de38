//! Entries of a tar: their paths, and sparse files.

use tar::EntryType;

use crate::common::image::{Layer, docker, gzip};
use crate::common::{answers, collected, paths, skipped};

#[test]
fn entries_that_lead_upwards_are_where_extractors_put_them() {
    for (path, at) in [
        ("../opt/10-a", "/opt/10-a"),
        ("../../../../opt/10-a", "/opt/10-a"),
        ("usr/../../opt/10-a", "/opt/10-a"),
        ("/../opt/10-a", "/opt/10-a"),
        ("./.././opt//10-a", "/opt/10-a"),
        ("..", "/"),
    ] {
        let tar = Layer::new().raw(path.as_bytes(), "MARK x").tar();
        assert_eq!(paths(&collected(&tar)), [format!("it: {at}")], "{path}");
        let layers = [("a", Layer::new().file("opt/10-a", "MARK old").tar()), ("b", tar)];
        let image = docker(&[("p", &["a", "b"])], &layers);
        let found = collected(&image.tar());
        let replaced = at == "/opt/10-a";
        assert_eq!(paths(&found).len(), if replaced { 1 } else { 2 }, "{path}");
    }
}

/// Returns an entry with the records that GNU tar writes for a sparse file.
fn sparse(name: &str) -> Layer {
    let records = format!("{} GNU.sparse.name={name}\n22 GNU.sparse.major=1\n", name.len() + 20);
    Layer::new().entry("x", EntryType::XHeader, records.as_bytes()).entry(
        "GNUSparseFile.1/x",
        EntryType::Regular,
        b"1\n0\n6\nMARK a",
    )
}

#[test]
fn an_archive_with_a_sparse_file_is_unknown() {
    let tar = sparse("bin/10-a").file("bin/20-b", "MARK b").tar();
    for bytes in [tar.clone(), gzip(&tar)] {
        let found = collected(&bytes);
        assert!(skipped(&found)[0].contains("a sparse file"), "{found:?}");
        assert_eq!(answers(&found).len(), 1);
    }
}

#[test]
fn an_archive_with_a_long_map_of_a_sparse_file_is_unknown() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(EntryType::GNUSparse);
    header.set_size(0);
    let gnu = header.as_gnu_mut().unwrap();
    gnu.isextended[0] = 1;
    gnu.realsize.copy_from_slice(b"00000000000\0");
    header.set_cksum();
    let tar = [header.as_bytes().to_vec(), vec![0; 512], Layer::new().file("b", "MARK b").tar()];
    let found = collected(&tar.concat());
    assert!(answers(&found)[0].contains("a sparse file"), "{found:?}");
}
