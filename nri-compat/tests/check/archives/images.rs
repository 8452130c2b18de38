//! Images with layers and manifests that are broken or unusual.

use crate::archives::compression::{bzip2, xz};
use crate::common::image::{Layer, docker, gzip, oci, zstd};
use crate::common::{answers, collected, paths, skipped};

#[test]
fn layers_of_known_media_types_are_read_and_others_are_listed() {
    let tar = Layer::new().file("10-a", "MARK a").tar();
    for label in [
        "application/vnd.oci.image.layer.v1.tar",
        "application/vnd.docker.image.rootfs.diff.tar.gzip",
        "",
    ] {
        for blob in [tar.clone(), gzip(&tar), zstd(&tar), xz(&tar), bzip2(&tar)] {
            let image = labelled(label, &blob);
            assert_eq!(paths(&collected(&image)), ["it: p: /10-a"], "{label}");
        }
        let broken = labelled(label, &[7; 600]);
        assert_eq!(skipped(&collected(&broken)).len(), 1);
        let lz4 = labelled(label, b"\x04\x22\x4d\x18rest");
        assert_eq!(
            skipped(&collected(&lz4)),
            [
                "it: p: layer 1: compressed with lz4, which is not read: unpack it and check the folder"
            ]
        );
    }
    for label in [
        "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
        "application/octet-stream",
        "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
        "application/vnd.wasm.content.layer.v1+wasm",
    ] {
        let found = collected(&labelled(label, &tar));
        assert_eq!(paths(&found), [""; 0]);
        let expected = format!("it: p: layer 1 has the media type {label}, which is not read");
        assert_eq!(skipped(&found), [expected]);
    }
}

/// Returns an image with one layer of this label.
fn labelled(label: &str, blob: &[u8]) -> Vec<u8> {
    let layer = serde_json::json!({"mediaType": label, "digest": "sha256:aaaa", "size": 1});
    let manifest = serde_json::json!({"schemaVersion": 2, "layers": [layer]});
    let image = oci(&[("p", &["aaaa"])], &[("aaaa", blob.to_vec())]);
    image.with("blobs/sha256/0000", manifest.to_string()).tar()
}

#[test]
fn an_image_with_a_broken_part_is_unknown() {
    let good = serde_json::json!({"digest": "sha256:aaaa", "size": 1});
    let layer = || Layer::new().file("10-a", "MARK a").tar();
    let intact = || oci(&[("p", &["aaaa"])], &[("aaaa", layer())]);
    for (broken, is_read) in [
        (serde_json::json!({"size": 1}), false),
        (serde_json::json!({"digest": 7}), false),
        (serde_json::json!({"digest": "sha256:../../x"}), true),
        (serde_json::json!({"digest": "sha256:"}), true),
        (serde_json::json!({"digest": "none", "annotations": null}), true),
        (serde_json::json!("text"), false),
        (serde_json::Value::Null, false),
    ] {
        let other = serde_json::json!({
            "digest": "sha256:0000", "annotations": {"org.opencontainers.image.ref.name": "p"},
        });
        let index = serde_json::json!({"manifests": [broken, other]});
        let layers = serde_json::json!({"layers": [good, broken]});
        for image in [
            intact().with("blobs/sha256/0000", layers.to_string()),
            intact().with("index.json", index.to_string()),
        ] {
            let found = collected(&image.tar());
            assert_eq!(paths(&found) == ["it: p: /10-a"], is_read, "{broken}");
            assert_eq!((skipped(&found).len(), answers(&found).len()), (1, 1), "{broken}");
        }
    }
}

#[test]
fn a_broken_index_does_not_hide_dockers_list() {
    let layers = [("a.tar", Layer::new().file("10-a", "MARK a").tar())];
    for index in ["{", "[]", "{\"manifests\": 3}"] {
        let image = docker(&[("p", &["a.tar"])], &layers).with("index.json", index);
        assert_eq!(paths(&collected(&image.tar())), ["it: p: /10-a"], "{index}");
    }
}

#[test]
fn indexes_are_followed_however_deep_they_lie() {
    for depth in [1, 4, 40, 1000] {
        let layer = Layer::new().file("10-a", "MARK a").tar();
        let mut image = oci(&[("p", &["aaaa"])], &[("aaaa", layer)]);
        let mut inner = "0000".to_owned();
        for level in 0..depth {
            let index = serde_json::json!({"manifests": [{"digest": format!("sha256:{inner}")}]});
            inner = format!("b{level:03}");
            image = image.with(&format!("blobs/sha256/{inner}"), index.to_string());
        }
        let index = serde_json::json!({"manifests": [{"digest": format!("sha256:{inner}")}]});
        let found = collected(&image.with("index.json", index.to_string()).tar());
        assert_eq!(paths(&found), [format!("it: b{:03}: /10-a", depth - 1)]);
        assert_eq!(skipped(&found), [""; 0], "{depth}");
    }
}

#[test]
fn what_a_runtime_would_start_in_an_image_is_unknown_if_nothing_knows_it() {
    let tar = Layer::new()
        .file("opt/nri/plugins/10-shell", "#!/bin/sh\nexec x")
        .file("opt/other/10-shell", "#!/bin/sh\nexec x")
        .tar();
    let found = collected(&docker(&[("p", &["a"])], &[("a", tar)]).tar());
    assert_eq!(
        answers(&found),
        [
            "it: p: /opt/nri/plugins/10-shell: a script for `/bin/sh`; cannot determine which program it runs"
        ]
    );
}
