//! Images with layers and manifests that are broken or unusual.

use crate::common::image::{Layer, docker, gzip, oci, zstd};
use crate::common::{answers, look, paths, skipped};
use crate::compression::{bzip2, xz};

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
        ["it: p: layer 1: compressed with lz4, which is not read: unpack it and check the folder"]
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
            {"digest": "sha256:0000", "annotations": {"org.opencontainers.image.ref.name": "p"}},
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
