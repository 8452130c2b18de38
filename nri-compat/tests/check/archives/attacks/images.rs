//! Manifests, files beside an image, and formats within formats.

use serde_json::{Value, json};

use super::Expected::{Found, Unknown};
use super::{archive, base, entry, image, verify};
use crate::archives::compression::{bzip2, xz};
use crate::common::image::{Layer, Parts, docker, gzip, oci, zstd};

/// Returns an OCI layout with this manifest, and two layers.
fn with_manifest(manifest: &Value) -> Parts {
    let layers = [("aaaa", base()), ("bbbb", archive(&[entry(b"20-b", b'0', b"MARK b")]))];
    let image = oci(&[("p", &["aaaa"])], &layers);
    image.with("blobs/sha256/0000", manifest.to_string())
}

fn blob(name: &str, kind: &str) -> Value {
    json!({"mediaType": kind, "digest": format!("sha256:{name}"), "size": 1})
}

const TAR: &str = "application/vnd.oci.image.layer.v1.tar";

#[test]
fn manifests_that_programs_understand_differently() {
    let (a, b) = (blob("aaaa", TAR), blob("bbbb", TAR));
    let at = |manifest: Value| with_manifest(&manifest).tar();
    let described = |platform: Value| {
        let kind = json!({"vnd.docker.reference.type": "attestation-manifest"});
        let index = json!({"manifests": [
            {"digest": "sha256:0000", "annotations": kind, "platform": platform},
            {"digest": "sha256:0001"},
        ]});
        with_manifest(&json!({"layers": [a]}))
            .with("blobs/sha256/0001", json!({"layers": [b]}).to_string())
            .with("index.json", index.to_string())
            .tar()
    };
    let listed = |name: &str| {
        let list = json!([{"Config": "0.json", "RepoTags": ["q"], "Layers": [format!("blobs/sha256/{name}")]}]);
        with_manifest(&json!({"layers": [a]})).with("manifest.json", list.to_string()).tar()
    };
    let lower = json!([{"Config": "0.json", "layers": ["0.tar"]}]).to_string();
    verify(vec![
        (
            "image and index",
            at(json!({"layers": [a], "manifests": []})),
            Unknown("both an image and an index"),
        ),
        ("neither", at(json!({"fsLayers": [a]})), Unknown("neither an image nor an index")),
        ("no list", at(json!({"layers": {"0": a}})), Unknown("invalid type: map")),
        (
            "another case",
            at(json!({"layers": [a], "Layers": [b]})),
            Unknown("duplicate field `layers`"),
        ),
        (
            "another case in a descriptor",
            at(json!({"layers": [{"digest": "sha256:aaaa", "Digest": "sha256:bbbb"}]})),
            Unknown("duplicate field `digest`"),
        ),
        (
            "two keys",
            with_manifest(&Value::Null)
                .with("blobs/sha256/0000", format!(r#"{{"layers": [{a}], "layers": [{b}]}}"#))
                .tar(),
            Unknown("duplicate field `layers`"),
        ),
        (
            "docker's list names other layers",
            listed("bbbb"),
            Found(&["p: /opt/nri/plugins/10-a", "q: /20-b"]),
        ),
        ("docker's list names the same", listed("aaaa"), Found(&["p: /opt/nri/plugins/10-a"])),
        (
            "docker's list in another case",
            Parts::default().with("manifest.json", lower).with("0.tar", base()).tar(),
            Found(&["0: /opt/nri/plugins/10-a"]),
        ),
        (
            "an image that calls itself an attestation",
            described(json!({"os": "linux", "architecture": "amd64"})),
            Found(&["0000: /opt/nri/plugins/10-a", "0001: /20-b"]),
        ),
        (
            "an attestation",
            described(json!({"os": "unknown", "architecture": "unknown"})),
            Found(&["0001: /20-b"]),
        ),
        (
            "an encrypted layer",
            at(json!({"layers": [a, blob("bbbb", &format!("{TAR}+gzip+encrypted"))]})),
            Unknown(
                "layer 2 has the media type application/vnd.oci.image.layer.v1.tar+gzip+encrypted",
            ),
        ),
        (
            "a foreign layer",
            at(
                json!({"layers": [a, blob("cccc", "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip")]}),
            ),
            Unknown("which is not read"),
        ),
        ("an index without images", at(json!({"manifests": []})), Unknown("names an image")),
    ]);
}

/// Returns an image with a layer of these bytes.
fn with_layer(bytes: Vec<u8>) -> Vec<u8> {
    let manifest = json!({"layers": [blob("aaaa", TAR)]});
    with_manifest(&manifest).with("blobs/sha256/aaaa", bytes).tar()
}

#[test]
fn files_besides_an_image() {
    let saved = || docker(&[("p", &["a/layer.tar"])], &[("a/layer.tar", base())]);
    let usual = saved().with("a/VERSION", "1.0").with("a/json", "{}").with("repositories", "{}");
    verify(vec![
        ("the usual files", usual.tar(), Found(&["p: /opt/nri/plugins/10-a"])),
        (
            "a plugin",
            saved().with("bin/20-b", "MARK b").tar(),
            Unknown("files next to those of the image, such as bin/20-b, not read"),
        ),
        (
            "a layer that no image has",
            saved().with("b.tar", base()).tar(),
            Unknown("files next to those of the image, such as b.tar, not read"),
        ),
        (
            "a plugin next to a layout",
            with_manifest(&json!({"layers": [blob("aaaa", TAR)]})).with("20-b", "MARK b").tar(),
            Unknown("files next to those of the image, such as 20-b, not read"),
        ),
    ]);
}

#[test]
fn formats_within_formats() {
    let tar = base();
    let found = &["/opt/nri/plugins/10-a"];
    let in_image = &["p: /opt/nri/plugins/10-a"];
    let (start, end) = tar.split_at(512);
    let footer = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    let control = gzip(&entry(b".PKGINFO", b'0', b"pkgname = a"));
    verify(vec![
        ("bzip2 in pieces", [bzip2(start), bzip2(end)].concat(), Found(found)),
        ("padding between xz streams", [xz(start), vec![0; 8], xz(end)].concat(), Found(found)),
        ("a package of Alpine", [control.clone(), gzip(&tar)].concat(), Found(found)),
        (
            "zstd in pieces with a list",
            with_layer([zstd(start), zstd(end), footer].concat()),
            Found(in_image),
        ),
        (
            "gzip in pieces",
            with_layer([gzip(start), gzip(end), gzip(b"")].concat()),
            Found(in_image),
        ),
        ("gzip in gzip", with_layer(gzip(&gzip(&tar))), Unknown("not a valid tar")),
        (
            "a file system image",
            with_layer([vec![0; 1024], b"\xe2\xe1\xf5\xe0".to_vec()].concat()),
            Unknown("an EROFS image, which is not read"),
        ),
        (
            "a ZIP archive",
            with_layer(b"PK\x03\x04rest".to_vec()),
            Unknown("a ZIP archive, which is not read: unpack it and check the folder"),
        ),
        (
            "a large ZIP archive",
            [b"PK\x03\x04\x2d\0".to_vec(), vec![0xff; 600]].concat(),
            Unknown("a ZIP archive"),
        ),
        ("a package of Debian", b"!<arch>\ndebian-binary   ".to_vec(), Unknown("Debian package")),
        ("an RPM package", b"\xed\xab\xee\xdb\x03\0".to_vec(), Unknown("an RPM package")),
        (
            "an archive in a layer",
            image(&[Layer::new().entry("a.tar", tar::EntryType::Regular, &tar).tar()]),
            Unknown("an archive within an archive"),
        ),
    ]);
}
