//! `check` on archives: plain ones, docker-save archives, OCI layouts.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::image::{Layer, Parts, docker, gzip, oci, zstd};
use crate::common::{Marker, Tree, collected, collected_with, paths, skipped};
use nri_compat::check::collect::Collected;
use nri_compat::check::content::File;
use nri_compat::check::evidence::{Reader, Unreadable};
use nri_compat::sighting::Sighting;
use tar::EntryType;

fn detail(found: &Collected, place: usize) -> &str {
    &found.sightings[place].evidence[0].detail
}

#[test]
fn plain_archives_are_looked_into_however_they_are_packed() {
    let large = format!("MARK {}", "x".repeat(700_000));
    let tar = Layer::new()
        .folder("bin")
        .file("./bin/10-a", "MARK a")
        .file("bin/20-large", &large)
        .file("bin/other", "nothing")
        .tar();
    for bytes in [tar.clone(), gzip(&tar), zstd(&tar)] {
        let found = collected(&bytes);
        assert_eq!(paths(&found), ["it: /bin/10-a", "it: /bin/20-large"]);
        assert_eq!(found.sightings[0].name.as_deref(), Some("10-a"));
        assert_eq!(detail(&found, 1), large);
        assert_eq!(skipped(&found), [""; 0]);
        assert_eq!(found.summary.files, 4);
    }
}

#[test]
fn of_an_image_counts_what_its_container_would_see() {
    let layers = [
        (
            "a/layer.tar",
            Layer::new()
                .file("bin/kept", "MARK kept")
                .file("bin/replaced", "MARK old")
                .file("bin/gone", "MARK gone")
                .file("opt/x/all-gone", "MARK all gone")
                .file("lib/x/hidden", "MARK hidden")
                .file("srv/under-file", "MARK under")
                .tar(),
        ),
        (
            "b/layer.tar",
            gzip(
                &Layer::new()
                    .folder("bin")
                    .file("bin/replaced", "MARK new")
                    .file("bin/.wh.gone", "")
                    .file(".wh.opt", "")
                    .file("lib/.wh..wh..opq", "")
                    .file("lib/x/own", "MARK own")
                    .file("srv", "not a folder any more")
                    .tar(),
            ),
        ),
    ];
    let both: &[&str] = &["a/layer.tar", "b/layer.tar"];
    let images = docker(&[("example.org/p:1", both), ("below:2", &["a/layer.tar"])], &layers);
    let found = collected(&images.tar());
    assert_eq!(
        paths(&found),
        [
            "it: below:2: /bin/gone",
            "it: below:2: /bin/kept",
            "it: below:2: /bin/replaced",
            "it: below:2: /lib/x/hidden",
            "it: below:2: /opt/x/all-gone",
            "it: below:2: /srv/under-file",
            "it: example.org/p:1: /bin/kept",
            "it: example.org/p:1: /bin/replaced",
            "it: example.org/p:1: /lib/x/own",
        ]
    );
    assert_eq!(detail(&found, 7), "MARK new");
    assert_eq!(skipped(&found), [""; 0]);
}

#[test]
fn hard_links_are_one_file_under_a_name_that_is_left() {
    let lower = Layer::new()
        .file("bin/a", "MARK x")
        .hard_link("bin/b", "bin/a")
        .symbolic_link("bin/s", "a")
        .file("bin/c", "MARK c")
        .tar();
    let upper =
        Layer::new().file("bin/.wh.a", "").hard_link("usr/c", "bin/c").file("bin/.wh.c", "").tar();
    let layers = [("1.tar", lower), ("2.tar", upper)];
    let image = docker(&[("low", &["1.tar"]), ("up", &["1.tar", "2.tar"])], &layers);
    let found = collected(&image.tar());
    assert_eq!(
        paths(&found),
        ["it: low: /bin/a", "it: low: /bin/c", "it: up: /bin/b", "it: up: /usr/c"]
    );
}

#[test]
fn a_path_that_comes_twice_counts_as_it_came_last() {
    let tar = Layer::new()
        .file("a", "MARK first")
        .file("a", "MARK last")
        .file("b", "MARK gone")
        .file("b", "no mark")
        .tar();
    let found = collected(&tar);
    assert_eq!(paths(&found), ["it: /a"]);
    assert_eq!(detail(&found, 0), "MARK last");
}

#[test]
fn oci_layouts_are_the_same_as_tar_packed_and_as_folder() {
    let layer = Layer::new().file("usr/bin/10-x", "MARK x").tar();
    let layers = [("aaaa", zstd(&layer)), ("bbbb", Layer::new().file("etc/y", "MARK y").tar())];
    let parts = oci(&[("p:1", &["aaaa", "bbbb"]), ("q", &["bbbb"])], &layers);
    let expected = ["p:1: /etc/y", "p:1: /usr/bin/10-x", "q: /etc/y"];
    for bytes in [parts.tar(), gzip(&parts.tar()), zstd(&parts.tar())] {
        let found = collected(&bytes);
        assert_eq!(paths(&found), expected.map(|path| format!("it: {path}")));
        assert_eq!(skipped(&found), [""; 0]);
    }
    let tree = Tree::new();
    parts.0.iter().for_each(|(path, bytes)| tree.file(&format!("images/it/{path}"), bytes));
    tree.file("images/beside", b"MARK beside");
    let found = tree.collected(&[&Marker]);
    let bare = tree.bare(found.sightings.clone());
    let places: Vec<_> = bare.iter().map(|seen| seen.place.to_string()).collect();
    let mut all = vec!["images/beside".to_owned()];
    all.extend(expected.map(|path| format!("images/it: {path}")));
    assert_eq!(places, all);
    assert_eq!(skipped(&found), [""; 0]);
}

#[test]
fn platforms_are_told_apart_and_what_is_missing_is_said() {
    let layer = Layer::new().file("x", "MARK x").tar();
    let platform = |arch: &str, digest: &str| serde_json::json!({"digest": format!("sha256:{digest}"), "platform": {"os": "linux", "architecture": arch}});
    let unknown = serde_json::json!({"os": "unknown", "architecture": "unknown"});
    let attestation = serde_json::json!({"digest": "sha256:ffff", "platform": unknown, "annotations": {"vnd.docker.reference.type": "attestation-manifest"}});
    let inner = serde_json::json!({"manifests": [platform("amd64", "0000"), platform("arm64", "9999"), attestation]});
    let index = serde_json::json!({"manifests": [
        {"digest": "sha256:eeee", "annotations": {"io.containerd.image.name": "example.org/p:1"}},
        {"digest": "../../etc/passwd"},
    ]});
    let parts = oci(&[("unused", &["aaaa", "cccc"])], &[("aaaa", layer)])
        .with("blobs/sha256/eeee", inner.to_string())
        .with("index.json", index.to_string());
    let found = collected(&parts.tar());
    assert_eq!(paths(&found), ["it: example.org/p:1 (linux/amd64): /x"]);
    assert_eq!(
        skipped(&found),
        [
            "it: ../../etc/pa: its digest is malformed",
            "it: example.org/p:1 (linux/amd64): layer 2: it is not there",
            "it: example.org/p:1 (linux/arm64): its manifest is not there",
        ]
    );
}

#[test]
fn docker_layers_that_link_to_each_other_are_followed() {
    let layer = Layer::new().file("x", "MARK x").tar();
    let manifest = br#"[{"Config": "sha256:0123456789abcdef0", "RepoTags": null, "Layers": ["b/layer.tar", "c/layer.tar"]}]"#;
    let tar = Layer::new()
        .entry("a/layer.tar", EntryType::Regular, &layer)
        .symbolic_link("b/layer.tar", "../a/layer.tar")
        .symbolic_link("c/layer.tar", "layer.tar")
        .entry("manifest.json", EntryType::Regular, manifest)
        .tar();
    let found = collected(&tar);
    assert_eq!(paths(&found), ["it: 0123456789ab: /x"]);
    assert_eq!(skipped(&found), ["it: 0123456789ab: layer 2: c/layer.tar is a circular link"]);
}

/// A reader that counts how often it reads.
struct Counting(AtomicUsize);

impl Reader for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        Marker.recognises(file)
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Marker.read(file)
    }
}

#[test]
fn a_layer_is_read_once_whatever_the_number_of_images() {
    let layer = Layer::new().file("x", "MARK x").tar();
    let names: Vec<String> = (0..50).map(|number| format!("i:{number}")).collect();
    let images: Vec<(&str, &[&str])> =
        names.iter().map(|name| (name.as_str(), &["aaaa", "aaaa"][..])).collect();
    let counting = Counting(AtomicUsize::new(0));
    let found = collected_with(&oci(&images, &[("aaaa", layer)]).tar(), &counting);
    assert_eq!(counting.0.into_inner(), 1);
    assert_eq!(found.sightings.len(), 50);
}

#[test]
fn long_names_strange_names_and_other_entries_are_read() {
    let long = format!("{}/10-long", "deep/".repeat(60).trim_end_matches('/'));
    let tar = Layer::new()
        .file(&long, "MARK long")
        .entry("dev/null", EntryType::Char, b"")
        .entry("run/fifo", EntryType::Fifo, b"")
        .raw(b"bin/\xff\n", "MARK bytes")
        .raw(b"../../out", "MARK out")
        .raw(b"/abs/../in", "MARK in")
        .tar();
    let found = collected(&tar);
    let place = format!("it: /{long}");
    assert_eq!(paths(&found), ["it: /bin/\\xff\\u{a}", &place, "it: /in", "it: /out"]);
    assert_eq!(skipped(&found), [""; 0]);
}

#[test]
fn pax_records_count() {
    let mut builder = tar::Builder::new(Vec::new());
    builder.append_pax_extensions([("path", &b"from/pax"[..])]).unwrap();
    let tar = builder.into_inner().unwrap();
    // Without its end, which is in the rest.
    let start = &tar[..tar.len() - 1024];
    let rest = Layer::new().file("short", "MARK pax").tar();
    let found = collected(&[start, &rest].concat());
    assert_eq!(paths(&found), ["it: /from/pax"]);
}

#[test]
fn what_is_cut_or_broken_is_said_and_the_rest_kept() {
    let mut state = 1_u32;
    let characters = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b' ' + (state >> 26) as u8)
    });
    let noise: String = characters.take(200_000).collect();
    let tar = Layer::new()
        .file("a", "MARK a")
        .file("b", &format!("MARK {noise}"))
        .file("c", &format!("MARK {noise}{noise}"))
        .tar();
    let cut = &tar[..250_000];
    let (gz, zst) = (gzip(&tar), zstd(&tar));
    for bytes in [cut, &gz[..gz.len() / 2], &zst[..zst.len() - 100]] {
        let found = collected(bytes);
        let reasons = skipped(&found);
        assert!(
            !reasons.is_empty() && reasons.iter().all(|line| line.contains("cut short")),
            "{reasons:?}"
        );
    }
    assert_eq!(paths(&collected(cut)), ["it: /a", "it: /b"]);
    let mut broken = tar.clone();
    broken[1024 + 3] ^= 0xff;
    let found = collected(&broken);
    assert_eq!(paths(&found), ["it: /a"]);
    assert!(skipped(&found)[0].starts_with("it: not a valid tar: "));
}

#[test]
fn a_layer_that_is_none_does_not_end_its_image() {
    let good = Layer::new().file("x", "MARK x").tar();
    let layers = [
        ("aaaa", Vec::new()),
        ("bbbb", b"what is this?".repeat(100)),
        ("cccc", vec![0; 1024]),
        ("dddd", good),
    ];
    let parts = oci(&[("p", &["aaaa", "bbbb", "cccc", "dddd"])], &layers);
    let found = collected(&parts.tar());
    assert_eq!(paths(&found), ["it: p: /x"]);
    let [reason] = &skipped(&found)[..] else {
        panic!("{found:?}");
    };
    assert!(reason.starts_with("it: p: layer 2: not a valid tar: "));
}

#[test]
fn archives_within_archives_are_said_not_to_be_opened() {
    let inner = gzip(&Layer::new().file("x", "MARK x").tar());
    let tar = Layer::new()
        .entry("a.tgz", EntryType::Regular, &inner)
        .entry("b.tgz", EntryType::Regular, &inner)
        .tar();
    let found = collected(&tar);
    assert_eq!(paths(&found), [""; 0]);
    assert_eq!(
        skipped(&found),
        [
            "it: /a.tgz: an archive within an archive, not opened",
            "it: /b.tgz: an archive within an archive, not opened"
        ]
    );
}

#[test]
fn bombs_end_with_a_reason() {
    let zeros = "0".repeat(64 << 20);
    let many = std::iter::repeat_n(&zeros[..], 18);
    let mut bomb = Layer::new().file("x", "MARK x");
    for (number, text) in many.enumerate() {
        bomb = bomb.file(&number.to_string(), text);
    }
    let found = collected(&zstd(&bomb.tar()));
    assert_eq!(paths(&found), ["it: /x"]);
    assert_eq!(skipped(&found), ["it: it unpacks to more than 1 GiB"]);
}

#[test]
fn a_json_file_called_manifest_makes_no_image() {
    let parts =
        Parts::default().with("manifest.json", r#"{"name": "a web page"}"#).with("x", "MARK x");
    for bytes in [parts.tar(), gzip(&parts.tar())] {
        assert_eq!(paths(&collected(&bytes)), ["it: /x"]);
    }
}

#[test]
fn indexes_that_lead_to_themselves_end() {
    let named = |number: u32| {
        let name = format!("i:{number}");
        serde_json::json!({"digest": "sha256:eeee", "annotations": {"org.opencontainers.image.ref.name": name}})
    };
    let many: Vec<_> = (0..4000).map(named).collect();
    let index = serde_json::json!({"manifests": many}).to_string();
    let layer = Layer::new().file("x", "MARK x").tar();
    let parts = oci(&[("p", &["aaaa"])], &[("aaaa", layer)])
        .with("blobs/sha256/eeee", index.clone())
        .with("index.json", index);
    let reasons = skipped(&collected(&parts.tar()));
    assert_eq!(reasons, ["it: more than 16 MiB of manifests"]);
}
