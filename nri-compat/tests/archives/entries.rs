//! Entries of a tar: their paths, and sparse files.

use tar::EntryType;

use crate::common::image::{Layer, docker, gzip};
use crate::common::{answers, look, paths, skipped};

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
        assert_eq!(paths(&look(&tar)), [format!("it: {at}")], "{path}");
        let layers = [
            ("a", Layer::new().file("opt/10-a", "MARK old").tar()),
            ("b", tar),
        ];
        let image = docker(&[("p", &["a", "b"])], &layers);
        let found = look(&image.tar());
        let replaced = at == "/opt/10-a";
        assert_eq!(paths(&found).len(), if replaced { 1 } else { 2 }, "{path}");
    }
}

/// Returns the entry that GNU tar writes for `size` bytes of which only these pieces are not zero.
fn sparse(format: &str, name: &str, pieces: &[(u64, &[u8])], size: u64) -> Vec<u8> {
    let data: Vec<u8> = pieces
        .iter()
        .flat_map(|(_, bytes)| bytes.to_vec())
        .collect();
    let records = |records: &[(String, String)]| {
        let lines = records.iter().map(|(key, value)| {
            let rest = key.len() + value.len() + 3;
            let digits = (rest + 2).to_string().len();
            format!("{} {key}={value}\n", rest + digits)
        });
        lines.collect::<String>().into_bytes()
    };
    let pair = |key: &str, value: String| (format!("GNU.sparse.{key}"), value);
    let named = pair("name", name.to_owned());
    let layer = Layer::new();
    match format {
        "0.0" => {
            let mut all = vec![
                pair("size", size.to_string()),
                pair("numblocks", pieces.len().to_string()),
            ];
            for (offset, bytes) in pieces {
                all.push(pair("offset", offset.to_string()));
                all.push(pair("numbytes", bytes.len().to_string()));
            }
            layer
                .entry("x", EntryType::XHeader, &records(&all))
                .entry(name, EntryType::Regular, &data)
                .tar()
        }
        "0.1" => {
            let map: Vec<String> = pieces
                .iter()
                .map(|(offset, bytes)| format!("{offset},{}", bytes.len()))
                .collect();
            let all = [
                pair("size", size.to_string()),
                pair("map", map.join(",")),
                named,
            ];
            layer
                .entry("x", EntryType::XHeader, &records(&all))
                .entry("GNUSparseFile.1/x", EntryType::Regular, &data)
                .tar()
        }
        _ => {
            let all = [
                pair("major", "1".into()),
                pair("minor", "0".into()),
                named,
                pair("realsize", size.to_string()),
            ];
            let mut stored = format!("{}\n", pieces.len()).into_bytes();
            for (offset, bytes) in pieces {
                stored.extend(format!("{offset}\n{}\n", bytes.len()).bytes());
            }
            stored.resize(stored.len().next_multiple_of(512), 0);
            stored.extend(data);
            layer
                .entry("x", EntryType::XHeader, &records(&all))
                .entry("GNUSparseFile.1/x", EntryType::Regular, &stored)
                .tar()
        }
    }
}

#[test]
fn sparse_files_are_read_in_every_format() {
    let pieces: [(u64, &[u8]); 3] = [(0, b"MARK a"), (4096, b"middle"), (9000, b"")];
    for format in ["0.0", "0.1", "1.0"] {
        let tar = sparse(format, "bin/10-a", &pieces, 9000);
        for bytes in [tar.clone(), gzip(&tar)] {
            let found = look(&bytes);
            assert_eq!(
                paths(&found),
                ["it: /bin/10-a"],
                "{format}: {:?}",
                found.skipped
            );
            let text = &found.sightings[0].evidence[0].detail;
            assert_eq!(
                (text.len(), &text[4096..4102]),
                (9000, "middle"),
                "{format}"
            );
        }
    }
}

#[test]
fn sparse_files_with_a_broken_map_are_skipped_and_the_rest_is_kept() {
    for pieces in [&[(100, &b"MARK a"[..])][..], &[(5, b"MARK"), (2, b"abc")]] {
        for format in ["0.0", "0.1", "1.0"] {
            let found = look(&sparse(format, "bin/10-a", pieces, 9));
            assert_eq!(skipped(&found).len(), 1, "{format} {pieces:?}");
            assert_eq!(answers(&found).len(), 1, "{format} {pieces:?}");
        }
    }
}
