//! Archives and images that programs understand differently, or that hide what they contain: a row
//! each. What an extractor might write is found, or the archive is unknown.

use serde_json::{Value, json};

use crate::common::image::{Layer, Parts, docker, gzip, oci, zstd};
use crate::common::{answers, look, paths};
use crate::compression::{bzip2, xz};

/// The path of a plugin in a folder whose executables a runtime starts.
const PLUGIN: &str = "opt/nri/plugins/10-a";

/// What a check must find.
enum Expected {
    /// Exactly these files, and everything could be read.
    Found(&'static [&'static str]),
    /// An unknown part for this reason.
    Unknown(&'static str),
}
use Expected::{Found, Unknown};

fn verify(rows: Vec<(&str, Vec<u8>, Expected)>) {
    for (what, bytes, expected) in rows {
        let found = look(&bytes);
        match expected {
            Found(expected) => {
                let expected: Vec<String> =
                    expected.iter().map(|path| format!("it: {path}")).collect();
                assert_eq!(paths(&found), expected, "{what}: {found:?}");
                assert!(found.skipped.is_empty(), "{what}: {:?}", found.skipped);
                let answers = answers(&found);
                assert!(
                    answers.iter().all(|one| one.contains("not a plugin")),
                    "{what}: {answers:?}"
                );
            }
            Unknown(why) => {
                let answers = answers(&found);
                assert!(
                    answers.iter().any(|one| one.contains(why)),
                    "{what}: {found:?}"
                );
            }
        }
    }
}

/// Returns an entry of this type.
fn entry(path: &[u8], kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_old();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o755);
    header.as_mut_bytes()[..path.len()].copy_from_slice(path);
    header.as_mut_bytes()[156] = kind;
    header.set_cksum();
    let mut entry = [header.as_bytes(), bytes].concat();
    entry.resize(entry.len().next_multiple_of(512), 0);
    entry
}

/// Returns an archive of these entries.
fn archive(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

/// Returns an image of these layers.
fn image(layers: &[Vec<u8>]) -> Vec<u8> {
    let names: Vec<String> = (0..layers.len()).map(|at| format!("{at}.tar")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let layers: Vec<_> = names.iter().copied().zip(layers.iter().cloned()).collect();
    docker(&[("p", &names)], &layers).tar()
}

fn plugin() -> Vec<u8> {
    entry(PLUGIN.as_bytes(), b'0', b"MARK a")
}

fn base() -> Vec<u8> {
    archive(&[plugin()])
}

/// Returns a pax header with these records.
fn pax(kind: u8, records: &str) -> Vec<u8> {
    entry(b"pax", kind, records.as_bytes())
}

#[test]
fn types_of_entries_that_programs_treat_differently() {
    let folder = |kind| archive(&[entry(b"opt/nri/plugins/", kind, b"")]);
    let in_image = &["p: /opt/nri/plugins/10-a"];
    verify(vec![
        (
            "a folder as a file with a slash",
            image(&[base(), folder(b'0')]),
            Found(in_image),
        ),
        (
            "a folder of an old archive",
            image(&[base(), folder(0)]),
            Found(in_image),
        ),
        (
            "a folder with a list of its files",
            image(&[base(), folder(b'D')]),
            Found(in_image),
        ),
        (
            "an unknown type",
            archive(&[entry(b"10-a", b'Z', b"MARK a")]),
            Found(&["/10-a"]),
        ),
        (
            "a contiguous file",
            archive(&[entry(b"10-a", b'7', b"MARK a")]),
            Found(&["/10-a"]),
        ),
        (
            "a label of the volume",
            archive(&[entry(b"label", b'V', b""), plugin()]),
            Found(&["/opt/nri/plugins/10-a"]),
        ),
        (
            "the rest of a file in another volume",
            archive(&[entry(b"10-a", b'M', b"rest"), plugin()]),
            Unknown("several volumes"),
        ),
        (
            "a hard link with data",
            archive(&[entry(b"10-a", b'1', b"MARK a")]),
            Unknown("not a valid tar"),
        ),
        (
            "a device over a plugin",
            image(&[base(), archive(&[entry(PLUGIN.as_bytes(), b'3', b"")])]),
            Found(&[]),
        ),
    ]);
}

#[test]
fn ends_of_archives_that_programs_treat_differently() {
    let two = |zeros: usize| {
        [
            plugin(),
            vec![0; zeros],
            entry(b"20-b", b'0', b"MARK b"),
            vec![0; 1024],
        ]
        .concat()
    };
    verify(vec![
        ("no end", plugin(), Found(&["/opt/nri/plugins/10-a"])),
        (
            "padding",
            [base(), vec![0; 30_000]].concat(),
            Found(&["/opt/nri/plugins/10-a"]),
        ),
        (
            "a single zero block",
            two(512),
            Unknown("data after the end"),
        ),
        (
            "two archives in one",
            two(1024),
            Unknown("data after the end"),
        ),
        (
            "two archives, far apart",
            two(1 << 20),
            Unknown("data after the end"),
        ),
        (
            "two archives in gzip",
            gzip(&two(1024)),
            Unknown("data after the end"),
        ),
        (
            "rubbish after gzip",
            [gzip(&base()), b"rubbish".to_vec()].concat(),
            Unknown("not all of it"),
        ),
        (
            "two archives in a layer",
            image(&[two(1024)]),
            Unknown("data after the end"),
        ),
    ]);
}

/// Returns an entry whose checksum is the sum of signed bytes.
fn signed() -> Vec<u8> {
    let mut entry = entry(b"\xe9\xe9/10-a", b'0', b"MARK a");
    let bytes = entry[..512].iter().enumerate();
    let sum: i64 = bytes
        .map(|(at, byte)| {
            if (148..156).contains(&at) {
                32
            } else {
                i64::from(byte.cast_signed())
            }
        })
        .sum();
    entry[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    entry
}

#[test]
fn headers_that_are_odd() {
    let file = || entry(b"10-a", b'0', b"MARK a");
    verify(vec![
        (
            "a checksum of signed bytes",
            archive(&[signed()]),
            Found(&["/\\xe9\\xe9/10-a"]),
        ),
        (
            "a damaged pax record before a map",
            archive(&[pax(b'x', "99 a=b\n21 GNU.sparse.size=9\n"), file()]),
            Unknown("a pax header is damaged"),
        ),
        (
            "a pax record without a key",
            archive(&[pax(b'x', "6 abc\n"), file()]),
            Unknown("damaged"),
        ),
        (
            "a size that is no number",
            archive(&[pax(b'x', "10 size=x\n"), file()]),
            Unknown("damaged"),
        ),
        (
            "an empty path",
            archive(&[pax(b'x', "8 path=\n"), file()]),
            Found(&["/10-a"]),
        ),
        (
            "the last of two paths",
            archive(&[pax(b'x', "10 path=x\n13 path=20-b\n"), file()]),
            Found(&["/20-b"]),
        ),
        (
            "a global path",
            archive(&[pax(b'g', "10 path=x\n"), file()]),
            Unknown("a global pax header"),
        ),
        (
            "a global comment",
            archive(&[pax(b'g', "13 comment=x\n"), file()]),
            Found(&["/10-a"]),
        ),
    ]);
}

#[test]
fn links_among_folders_and_plugins() {
    let merged = || Layer::new().symbolic_link("lib", "usr/lib");
    let through = || merged().file("lib/nri/10-a", "MARK a").tar();
    let started = |link: Layer| link.file("bin/run", "#!/bin/sh\n").tar();
    let script = "a link to /bin/run, which is not known to be a plugin";
    verify(vec![
        (
            "a folder that is a link, again a link",
            image(&[through(), merged().tar()]),
            Found(&["p: /lib/nri/10-a"]),
        ),
        (
            "a folder that is a link, removed",
            image(&[through(), Layer::new().file(".wh.lib", "").tar()]),
            Found(&["p: /lib/nri/10-a"]),
        ),
        (
            "a link in a lower layer",
            image(&[
                merged().tar(),
                Layer::new().file("lib/nri/10-a", "MARK a").tar(),
                merged().tar(),
            ]),
            Found(&["p: /lib/nri/10-a"]),
        ),
        (
            "a folder that became a link",
            image(&[
                Layer::new().file("lib/nri/10-a", "MARK a").tar(),
                merged().tar(),
            ]),
            Found(&[]),
        ),
        (
            "a symbolic link to a script",
            started(Layer::new().symbolic_link(PLUGIN, "/bin/run")),
            Unknown(script),
        ),
        (
            "a relative link to a script",
            image(&[started(
                Layer::new().symbolic_link(PLUGIN, "../../../bin/run"),
            )]),
            Unknown(script),
        ),
        (
            "a hard link to a script",
            image(&[
                started(Layer::new()),
                Layer::new().hard_link(PLUGIN, "bin/run").tar(),
            ]),
            Unknown(script),
        ),
        (
            "a link without a plugin's name",
            started(Layer::new().symbolic_link("opt/nri/plugins/logger", "/bin/run")),
            Unknown(script),
        ),
        (
            "a loop",
            Layer::new()
                .symbolic_link("opt/nri/plugins/10-a", "20-b")
                .symbolic_link("opt/nri/plugins/20-b", "10-a")
                .tar(),
            Unknown("a link to /opt/nri/plugins/20-b"),
        ),
        (
            "a link to a plugin",
            Layer::new()
                .file("bin/run", "MARK a")
                .symbolic_link(PLUGIN, "/bin/run")
                .tar(),
            Found(&["/opt/nri/plugins/10-a"]),
        ),
        (
            "a link that is removed",
            image(&[
                started(Layer::new().symbolic_link(PLUGIN, "/bin/run")),
                Layer::new().file("opt/nri/plugins/.wh.10-a", "").tar(),
            ]),
            Found(&[]),
        ),
        (
            "an opaque folder with a new file",
            image(&[
                base(),
                Layer::new()
                    .file("opt/nri/plugins/20-b", "MARK b")
                    .file("opt/nri/.wh..wh..opq", "")
                    .tar(),
            ]),
            Found(&["p: /opt/nri/plugins/20-b"]),
        ),
    ]);
}

/// Returns an OCI layout with this manifest, and two layers.
fn with_manifest(manifest: &Value) -> Parts {
    let layers = [
        ("aaaa", base()),
        ("bbbb", archive(&[entry(b"20-b", b'0', b"MARK b")])),
    ];
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
        with_manifest(&json!({"layers": [a]}))
            .with("manifest.json", list.to_string())
            .tar()
    };
    let lower = json!([{"Config": "0.json", "layers": ["0.tar"]}]).to_string();
    verify(vec![
        (
            "image and index",
            at(json!({"layers": [a], "manifests": []})),
            Unknown("both an image and an index"),
        ),
        (
            "neither",
            at(json!({"fsLayers": [a]})),
            Unknown("neither an image nor an index"),
        ),
        (
            "no list",
            at(json!({"layers": {"0": a}})),
            Unknown("neither an image nor an index"),
        ),
        (
            "another case",
            at(json!({"layers": [a], "Layers": [b]})),
            Unknown("not in its usual case"),
        ),
        (
            "another case in a descriptor",
            at(json!({"layers": [{"digest": "sha256:aaaa", "Digest": "sha256:bbbb"}]})),
            Unknown("not in its usual case"),
        ),
        (
            "the last of two keys",
            with_manifest(&Value::Null)
                .with(
                    "blobs/sha256/0000",
                    format!(r#"{{"layers": [{a}], "layers": [{b}]}}"#),
                )
                .tar(),
            Found(&["p: /20-b"]),
        ),
        (
            "docker's list names other layers",
            listed("bbbb"),
            Found(&["p: /opt/nri/plugins/10-a", "q: /20-b"]),
        ),
        (
            "docker's list names the same",
            listed("aaaa"),
            Found(&["p: /opt/nri/plugins/10-a"]),
        ),
        (
            "docker's list in another case",
            Parts::default()
                .with("manifest.json", lower)
                .with("0.tar", base())
                .tar(),
            Unknown("an archive within an archive"),
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
            Unknown("layer 2 is encrypted"),
        ),
        (
            "a foreign layer that is elsewhere",
            at(
                json!({"layers": [a, blob("cccc", "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip")]}),
            ),
            Unknown("it is not there"),
        ),
        (
            "an index without images",
            at(json!({"manifests": []})),
            Unknown("names an image"),
        ),
    ]);
}

/// Returns an image with a layer of these bytes that is not labelled as a tar.
fn unlabelled(bytes: Vec<u8>) -> Vec<u8> {
    let manifest = json!({"layers": [blob("aaaa", "application/octet-stream")]});
    with_manifest(&manifest)
        .with("blobs/sha256/aaaa", bytes)
        .tar()
}

#[test]
fn files_besides_an_image() {
    let saved = || docker(&[("p", &["a/layer.tar"])], &[("a/layer.tar", base())]);
    let usual = saved()
        .with("a/VERSION", "1.0")
        .with("a/json", "{}")
        .with("repositories", "{}");
    verify(vec![
        (
            "the usual files",
            usual.tar(),
            Found(&["p: /opt/nri/plugins/10-a"]),
        ),
        (
            "a plugin",
            saved().with("bin/20-b", "MARK b").tar(),
            Unknown("besides the image, bin/20-b, which was not read"),
        ),
        (
            "a layer that no image has",
            saved().with("b.tar", base()).tar(),
            Unknown("besides the image, b.tar, which was not read"),
        ),
        (
            "a plugin next to a layout",
            with_manifest(&json!({"layers": [blob("aaaa", TAR)]}))
                .with("20-b", "MARK b")
                .tar(),
            Unknown("besides the image, 20-b, which was not read"),
        ),
    ]);
}

#[test]
fn formats_within_formats() {
    let tar = base();
    let found = &["/opt/nri/plugins/10-a"];
    let in_image = &["p: /opt/nri/plugins/10-a"];
    let (start, end) = tar.split_at(512);
    let empty = b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0".to_vec();
    let footer = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    let control = gzip(&entry(b".PKGINFO", b'0', b"pkgname = a"));
    verify(vec![
        (
            "an empty stream before bzip2",
            [empty, bzip2(&tar)].concat(),
            Found(found),
        ),
        (
            "padding between xz streams",
            [xz(start), vec![0; 8], xz(end)].concat(),
            Found(found),
        ),
        (
            "a package of Alpine",
            [control.clone(), gzip(&tar)].concat(),
            Found(found),
        ),
        (
            "zstd in pieces with a list",
            unlabelled([zstd(start), zstd(end), footer].concat()),
            Found(in_image),
        ),
        (
            "gzip in pieces",
            unlabelled([gzip(start), gzip(end), gzip(b"")].concat()),
            Found(in_image),
        ),
        (
            "gzip in gzip",
            unlabelled(gzip(&gzip(&tar))),
            Unknown("neither an archive nor a kind of file"),
        ),
        (
            "a file system image",
            unlabelled([vec![0; 1024], b"\xe2\xe1\xf5\xe0".to_vec()].concat()),
            Unknown("neither an archive"),
        ),
        (
            "a ZIP archive",
            unlabelled(b"PK\x03\x04rest".to_vec()),
            Unknown("a ZIP archive, which is not supported"),
        ),
        (
            "a large ZIP archive",
            [b"PK\x03\x04\x2d\0".to_vec(), vec![0xff; 600]].concat(),
            Unknown("a ZIP archive"),
        ),
        (
            "a package of Debian",
            b"!<arch>\ndebian-binary   ".to_vec(),
            Unknown("Debian package"),
        ),
        (
            "an RPM package",
            b"\xed\xab\xee\xdb\x03\0".to_vec(),
            Unknown("an RPM package"),
        ),
        (
            "an archive in a layer",
            image(&[Layer::new()
                .entry("a.tar", tar::EntryType::Regular, &tar)
                .tar()]),
            Unknown("an archive within an archive"),
        ),
    ]);
}
