//! Archives and images, both well-formed and malformed: each is created here, with the expected
//! result.

mod common;

use std::io::Write as _;

use common::image::{Layer, docker, gzip, oci, zstd};
use common::{answers, look, paths, skipped};
use tar::EntryType;

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns a zstd frame that decoders pass over.
fn skippable(length: u32) -> Vec<u8> {
    let mut frame = vec![0x53, 0x2a, 0x4d, 0x18];
    frame.extend(length.to_le_bytes());
    frame.extend(vec![1; length as usize]);
    frame
}

/// Returns a gzip member whose header has a long comment.
fn gzip_with_comment(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::GzBuilder::new()
        .comment(vec![b'x'; 20_000])
        .write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_archives_and_layers_are_read() {
    let large = format!("MARK {}", "x".repeat(300_000));
    let tar = Layer::new()
        .file("bin/10-a", "MARK a")
        .file("bin/20-b", &large)
        .tar();
    let (start, end) = tar.split_at(tar.len() / 2);
    for (what, packed) in [
        ("gzip", gzip(&tar)),
        ("gzip, two members", [gzip(start), gzip(end)].concat()),
        ("gzip, long header", gzip_with_comment(&tar)),
        ("zstd", zstd(&tar)),
        ("zstd, two frames", [zstd(start), zstd(end)].concat()),
        ("zstd, skippable first", [skippable(5), zstd(&tar)].concat()),
        (
            "zstd, long skippable first",
            [skippable(500_000), skippable(0), zstd(&tar)].concat(),
        ),
        (
            "zstd, skippable between and last",
            [zstd(start), skippable(70_000), zstd(end), skippable(9)].concat(),
        ),
        ("xz", xz(&tar)),
        ("xz, two streams", [xz(start), xz(end)].concat()),
        ("bzip2", bzip2(&tar)),
        ("bzip2, two streams", [bzip2(start), bzip2(end)].concat()),
    ] {
        let found = look(&packed);
        assert_eq!(
            paths(&found),
            ["it: /bin/10-a", "it: /bin/20-b"],
            "{what}: {:?}",
            found.skipped
        );
        assert_eq!(skipped(&found), [""; 0], "{what}");
        let image = oci(&[("p", &["aaaa"])], &[("aaaa", packed)]);
        for bytes in [image.tar(), xz(&image.tar())] {
            let found = look(&bytes);
            assert_eq!(
                paths(&found),
                ["it: p: /bin/10-a", "it: p: /bin/20-b"],
                "{what}"
            );
            assert_eq!(skipped(&found), [""; 0], "{what}");
        }
    }
}

#[test]
fn compressed_archives_that_end_early_are_unknown() {
    let noise: String = (0_u32..400_000)
        .map(|n| char::from(b'a' + (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 26))
        .collect();
    let tar = Layer::new()
        .file("bin/10-a", "MARK a")
        .file("bin/x", &noise)
        .file("bin/20-b", "MARK b")
        .tar();
    for (what, packed) in [
        ("gzip", gzip(&tar)),
        ("zstd", zstd(&tar)),
        ("xz", xz(&tar)),
        ("bzip2", bzip2(&tar)),
    ] {
        let found = look(&packed[..packed.len() / 2]);
        assert_eq!(answers(&found).len(), 1, "{what}: {found:?}");
        assert!(
            answers(&found)[0].starts_with("it: not all of it could be read: "),
            "{what}"
        );
    }
}

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

#[test]
fn content_decides_what_a_layer_is_whatever_its_label_says() {
    let tar = Layer::new().file("10-a", "MARK a").tar();
    let labels = [
        "application/vnd.oci.image.layer.v1.tar",
        "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
        "application/octet-stream",
        "application/vnd.example.plugin",
        "application/vnd.cncf.helm.config.v1+json",
        "",
    ];
    for label in labels {
        for blob in [tar.clone(), gzip(&tar), zstd(&tar), xz(&tar), bzip2(&tar)] {
            let image = labelled(label, &blob);
            assert_eq!(paths(&look(&image)), ["it: p: /10-a"], "{label}");
        }
    }
    let file = labelled(
        "application/vnd.wasm.content.layer.v1+wasm",
        b"MARK as it is",
    );
    assert_eq!(paths(&look(&file)), ["it: p: /plugin.bin"]);
    let text = labelled("application/vnd.in-toto+json", b"{}");
    assert_eq!(
        (paths(&look(&text)), skipped(&look(&text))),
        (vec![], vec![])
    );
    let unsupported = labelled("application/x", b"\x04\x22\x4d\x18rest");
    assert_eq!(
        skipped(&look(&unsupported)),
        ["it: p: layer 1: compressed with lz4, which is not supported"]
    );
    let broken = labelled("application/vnd.oci.image.layer.v1.tar", &[7; 600]);
    assert_eq!(skipped(&look(&broken)).len(), 1);
}

/// Returns an image with one layer of this label.
fn labelled(label: &str, blob: &[u8]) -> Vec<u8> {
    let mut parts = oci(&[("p", &["aaaa"])], &[("aaaa", blob.to_vec())]);
    let layer = serde_json::json!({
        "mediaType": label, "digest": "sha256:aaaa", "size": 1,
        "annotations": {"org.opencontainers.image.title": "plugin.bin"},
    });
    let manifest = serde_json::json!({"schemaVersion": 2, "layers": [layer]});
    parts = parts.with("blobs/sha256/0000", manifest.to_string());
    parts.tar()
}

#[test]
fn a_broken_part_does_not_hide_the_others() {
    let good = serde_json::json!({"mediaType": "a.tar", "digest": "sha256:aaaa", "size": 1});
    for broken in [
        serde_json::json!({"mediaType": "a.tar", "size": 1}),
        serde_json::json!({"digest": 7}),
        serde_json::json!({"digest": "sha256:../../x"}),
        serde_json::json!({"digest": "sha256:"}),
        serde_json::json!({"digest": "none", "annotations": null}),
        serde_json::json!("text"),
        serde_json::Value::Null,
    ] {
        for layers in [[&good, &broken], [&broken, &good]] {
            let layer = Layer::new().file("10-a", "MARK a").tar();
            let manifest = serde_json::json!({"layers": layers}).to_string();
            let image =
                oci(&[("p", &["aaaa"])], &[("aaaa", layer)]).with("blobs/sha256/0000", manifest);
            let found = look(&image.tar());
            assert_eq!(paths(&found), ["it: p: /10-a"], "{broken}");
            assert_eq!(
                (skipped(&found).len(), answers(&found).len()),
                (1, 1),
                "{broken}"
            );
        }
        let layer = Layer::new().file("10-a", "MARK a").tar();
        let index = serde_json::json!({"manifests": [
            broken,
            {"digest": "sha256:0000", "annotations": {"org.opencontainers.image.ref.name": "p"}, "platform": {"os": 7}},
        ]});
        let image =
            oci(&[("p", &["aaaa"])], &[("aaaa", layer)]).with("index.json", index.to_string());
        let found = look(&image.tar());
        assert_eq!(paths(&found), ["it: p: /10-a"], "{broken}");
        assert_eq!(skipped(&found).len(), 1, "{broken}");
    }
}

#[test]
fn a_broken_index_does_not_hide_dockers_list() {
    let layers = [("a.tar", Layer::new().file("10-a", "MARK a").tar())];
    for index in ["{", "[]", "{\"manifests\": 3}"] {
        let image = docker(&[("p", &["a.tar"])], &layers).with("index.json", index);
        assert_eq!(paths(&look(&image.tar())), ["it: p: /10-a"], "{index}");
    }
}

#[test]
fn indexes_are_followed_or_reported_however_deep_they_lie() {
    for (depth, expected) in [(1, 1), (4, 1), (5, 1), (10, 1), (15, 1), (40, 0)] {
        let layer = Layer::new().file("10-a", "MARK a").tar();
        let mut image = oci(&[("p", &["aaaa"])], &[("aaaa", layer)]);
        let mut inner = "0000".to_owned();
        for level in 0..depth {
            let index = serde_json::json!({"manifests": [{"digest": format!("sha256:{inner}")}]});
            inner = format!("b{level:03}");
            image = image.with(&format!("blobs/sha256/{inner}"), index.to_string());
        }
        let index = serde_json::json!({"manifests": [{"digest": format!("sha256:{inner}")}]});
        let found = look(&image.with("index.json", index.to_string()).tar());
        assert_eq!(paths(&found).len(), expected, "{depth}");
        assert_eq!(
            skipped(&found).len(),
            1 - expected,
            "{depth}: {:?}",
            found.skipped
        );
    }
}

#[test]
fn hard_links_are_followed_over_layers() {
    let base = || Layer::new().file("a", "MARK a");
    for (what, layers, expected) in [
        (
            "removed target",
            vec![base().hard_link("b", "a"), Layer::new().file(".wh.a", "")],
            Some("/b"),
        ),
        (
            "target removed by the layer of the link",
            vec![base(), Layer::new().hard_link("b", "a").file(".wh.a", "")],
            Some("/b"),
        ),
        (
            "chain over layers",
            vec![
                base(),
                Layer::new().hard_link("b", "a"),
                Layer::new().file(".wh.a", "").hard_link("c", "b"),
                Layer::new().file(".wh.b", "").hard_link("d", "c"),
                Layer::new().file(".wh.c", ""),
            ],
            Some("/d"),
        ),
        (
            "chain within an upper layer",
            vec![
                base(),
                Layer::new().hard_link("b", "a").hard_link("c", "b"),
                Layer::new().file(".wh.a", "").file(".wh.b", ""),
            ],
            Some("/c"),
        ),
        (
            "all removed",
            vec![
                base(),
                Layer::new().hard_link("b", "a"),
                Layer::new().file(".wh.a", "").file(".wh.b", ""),
            ],
            None,
        ),
        (
            "link replaced",
            vec![
                base(),
                Layer::new().hard_link("b", "a").file("b", "other"),
                Layer::new().file(".wh.a", ""),
            ],
            None,
        ),
        (
            "target removed before",
            vec![
                base(),
                Layer::new().file(".wh.a", ""),
                Layer::new().hard_link("b", "a"),
            ],
            None,
        ),
        (
            "plugin's name",
            vec![base().hard_link("opt/nri/plugins/10-p", "a")],
            Some("/opt/nri/plugins/10-p"),
        ),
        (
            "link named as a plugin",
            vec![base().symbolic_link("opt/nri/plugins/10-p", "/a")],
            Some("/opt/nri/plugins/10-p"),
        ),
        (
            "relative link",
            vec![base(), Layer::new().symbolic_link("opt/10-p", "../a")],
            Some("/opt/10-p"),
        ),
    ] {
        let names: Vec<String> = (0..layers.len())
            .map(|number| format!("{number}.tar"))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let tars: Vec<(&str, Vec<u8>)> = names
            .iter()
            .copied()
            .zip(layers.into_iter().map(Layer::tar))
            .collect();
        let found = look(&docker(&[("p", &names)], &tars).tar());
        let expected: Vec<String> = expected
            .iter()
            .map(|path| format!("it: p: {path}"))
            .collect();
        assert_eq!(paths(&found), expected, "{what}");
    }
}

#[test]
fn links_beyond_the_limit_are_reported() {
    let mut layer = Layer::new().file("a", "MARK a");
    for number in 0..100_050 {
        layer = layer.hard_link(&format!("l{number}"), "a");
    }
    let found = look(&layer.tar());
    assert_eq!(
        skipped(&found),
        ["it: 50 hard links beyond 100000 were not followed"]
    );
    assert_eq!(answers(&found).len(), 1);
}

#[test]
fn what_a_runtime_would_start_in_an_image_is_unknown_if_nothing_knows_it() {
    let tar = Layer::new()
        .file("opt/nri/plugins/10-shell", "#!/bin/sh\nexec x")
        .file("opt/other/10-shell", "#!/bin/sh\nexec x")
        .tar();
    let found = look(&docker(&[("p", &["a"])], &[("a", tar)]).tar());
    assert_eq!(
        answers(&found),
        [
            "it: p: /opt/nri/plugins/10-shell: a script for `/bin/sh`; cannot determine which program it runs"
        ]
    );
}
