//! Images by reference: `check` on a faithful registry.

use nri_compat::check::assess::assess;
use nri_compat::check::collect::{Collected, ImageOptions, ImageRequest, Request, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::check::target::Target;
use nri_compat::place::Place;
use nri_compat::report::check::CheckReport;
use nri_tests::registry::{Image, Images, Registry, bzip2, gzip, layer, plugin, xz, zstd};

const PLUGIN: &str = "opt/nri/plugins/10-a";

fn options(registry: &Registry) -> ImageOptions {
    ImageOptions { insecure: vec![registry.host()], ..ImageOptions::default() }
}

fn collected(images: Vec<ImageRequest>, image_options: ImageOptions) -> Collected {
    let request = Request { images, image_options, ..Request::default() };
    collect(&request, READERS)
}

fn report(collected: Collected) -> CheckReport {
    let history = nri_schema::history::History::embedded().expect("the tables fit together");
    let target = Target::newest(&history).expect("there is a release");
    assess(collected, &[target])
}

/// Checks images of the registry, and returns one line per subject: the place without the host, and
/// the verdict with its reason.
fn check(registry: &Registry, names: &[&str], options: ImageOptions) -> Vec<String> {
    let images = names.iter().map(|name| ImageRequest::new(&registry.reference(name)));
    lines(registry, collected(images.collect(), options))
}

fn lines(registry: &Registry, collected: Collected) -> Vec<String> {
    let host = format!("{}/", registry.host());
    let report = report(collected);
    let lines = report.subjects.iter().map(|subject| {
        let verdict = subject
            .verdicts
            .first()
            .map_or_else(String::new, |one| format!(": {}: {}", one.outcome.as_str(), one.reason));
        format!("{}{verdict}", subject.place).replace(&host, "")
    });
    lines.collect()
}

fn is_plugin(line: &str, place: &str) {
    assert!(line.starts_with(&format!("{place}: deprecated: ")), "{line}");
}

#[test]
fn an_image_costs_its_manifest_and_its_layers() {
    let mut images = Images::default();
    let base = gzip(&layer(&[("etc/os-release", b"x"), (PLUGIN, b"hidden by the next layer")]));
    images.add("team/plugin", "v1", &Image::of([base, gzip(&layer(&[(PLUGIN, &plugin())]))]));
    let registry = Registry::faithful(images);
    let found = check(&registry, &["team/plugin:v1"], options(&registry));
    assert_eq!(found.len(), 1, "{found:?}");
    is_plugin(&found[0], &format!("team/plugin:v1: /{PLUGIN}"));
    assert_eq!(registry.requests().len(), 3, "{:?}", registry.requests());
}

#[test]
fn layers_of_every_packing_are_read() {
    let tar = layer(&[(PLUGIN, &plugin())]);
    let mut images = Images::default();
    for (name, kind, bytes) in [
        ("gzip", "application/vnd.oci.image.layer.v1.tar+gzip", gzip(&tar)),
        ("docker", "application/vnd.docker.image.rootfs.diff.tar.gzip", gzip(&tar)),
        ("zstd", "application/vnd.oci.image.layer.v1.tar+zstd", zstd(&tar)),
        ("xz", "application/vnd.oci.image.layer.v1.tar+xz", xz(&tar)),
        ("bzip2", "application/vnd.oci.image.layer.v1.tar+bzip2", bzip2(&tar)),
        ("plain", "application/vnd.oci.image.layer.v1.tar", tar.clone()),
        ("mislabelled", "application/vnd.oci.image.layer.v1.tar", gzip(&tar)),
    ] {
        let image = Image {
            layers: vec![(kind.to_owned(), bytes)],
            is_docker: name == "docker",
            ..Image::default()
        };
        images.add(name, "latest", &image);
        let registry = Registry::faithful(images.clone());
        let found = check(&registry, &[name], options(&registry));
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(found[0].contains(": deprecated: "), "{name}: {found:?}");
    }
}

#[test]
fn every_linux_platform_is_checked_once() {
    let mut images = Images::default();
    let of = |text: &str| Image {
        architecture: text.to_owned(),
        ..Image::of([gzip(&layer(&[(PLUGIN, &plugin()), ("name", text.as_bytes())]))])
    };
    let (amd64, arm64, windows) = (of("amd64"), of("arm64"), of("windows"));
    let all = [
        ("linux/amd64", &amd64),
        ("linux/arm64", &arm64),
        ("linux/arm64", &arm64),
        ("windows/amd64", &windows),
    ];
    images.index("team/plugin", "v1", &all);
    images.add("team/single", "v1", &amd64);
    let registry = Registry::faithful(images);
    let found = check(&registry, &["team/plugin:v1"], options(&registry));
    assert_eq!(found.len(), 2, "{found:?}");
    is_plugin(&found[0], &format!("team/plugin:v1: linux/amd64: /{PLUGIN}"));
    is_plugin(&found[1], &format!("team/plugin:v1: linux/arm64: /{PLUGIN}"));
    assert_eq!(registry.requests().len(), 5);

    let only = |name: &str, platform: &str| {
        let options = ImageOptions { platform: Some(platform.to_owned()), ..options(&registry) };
        check(&registry, &[name], options).join("\n")
    };
    is_plugin(&only("team/plugin:v1", "linux/aarch64"), &format!("team/plugin:v1: /{PLUGIN}"));
    is_plugin(&only("team/single:v1", "linux/amd64"), &format!("team/single:v1: /{PLUGIN}"));
    let missing = only("team/plugin:v1", "linux/riscv64");
    assert!(
        missing.contains(
            "no image for linux/riscv64; it has images for linux/amd64, linux/arm64, windows/amd64"
        ),
        "{missing}"
    );
    let other = only("team/single:v1", "linux/arm64");
    assert!(other.contains("no image for linux/arm64; it has images for linux/amd64"), "{other}");
    assert!(only("team/single:v1", "arm64").contains("is not a platform"));
}

#[test]
fn images_that_share_layers_fetch_each_once() {
    let mut images = Images::default();
    let base: Vec<Vec<u8>> =
        (0..3).map(|number| gzip(&layer(&[(&format!("base/{number}"), b"x")]))).collect();
    let names: Vec<String> = (0..100).map(|number| format!("team/plugin-{number}:v1")).collect();
    for name in &names {
        let own = gzip(&layer(&[(PLUGIN, &plugin()), ("name", name.as_bytes())]));
        let layers = base.iter().cloned().chain([own]);
        images.add(name.trim_end_matches(":v1"), "v1", &Image::of(layers));
    }
    let registry = Registry::faithful(images);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = check(&registry, &names, options(&registry));
    assert_eq!(found.len(), 100);
    assert_eq!(registry.count("/manifests/"), 100);
    assert_eq!(registry.count("/blobs/"), 103);
}

#[test]
fn an_image_is_reported_under_every_place_that_asks_for_it() {
    let mut images = Images::default();
    images.add("team/plugin", "v1", &Image::of([gzip(&layer(&[(PLUGIN, &plugin())]))]));
    let registry = Registry::faithful(images);
    let reference = registry.reference("team/plugin:v1");
    let places = ["a.yaml", "b.yaml", "a.yaml"].map(Place::from);
    let requests = places.map(|place| ImageRequest::at(&reference, place));
    let found = lines(&registry, collected(requests.to_vec(), options(&registry)));
    assert_eq!(found.len(), 2, "{found:?}");
    is_plugin(&found[0], &format!("a.yaml: team/plugin:v1: /{PLUGIN}"));
    is_plugin(&found[1], &format!("b.yaml: team/plugin:v1: /{PLUGIN}"));
    assert_eq!(registry.requests().len(), 2);
}

#[test]
fn an_image_without_plugins_is_named_and_one_that_fails_is_unknown() {
    let mut images = Images::default();
    images.add("team/other", "v1", &Image::of([gzip(&layer(&[("bin/sh", b"x")]))]));
    images.add("team/plugin", "v1", &Image::of([gzip(&layer(&[(PLUGIN, &plugin())]))]));
    let registry = Registry::faithful(images);
    let names = ["team/missing:v1", "team/other:v1", "team/plugin:v1"];
    let found = check(&registry, &names, options(&registry));
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found[0].starts_with("team/missing:v1: unknown: cannot fetch team/missing:v1: "),
        "{found:?}"
    );
    assert!(
        found[0].contains(
            "answered 404 (MANIFEST_UNKNOWN: not known); check repository, tag and digest"
        )
    );
    assert_eq!(found[1], "team/other:v1");
    is_plugin(&found[2], &format!("team/plugin:v1: /{PLUGIN}"));

    let requests = names.iter().map(|name| ImageRequest::new(&registry.reference(name)));
    let all = collected(requests.collect(), options(&registry));
    assert_eq!(all.not_fetched.len(), 1);
}

#[test]
fn quick_stops_at_an_entry_point_that_is_a_plugin() {
    let (base, top) = (gzip(&layer(&[("etc/a", b"x")])), gzip(&layer(&[(PLUGIN, &plugin())])));
    let note = gzip(&layer(&[("etc/b", b"x")]));
    let with = |path: &str| Image {
        entrypoint: vec![path.to_owned()],
        ..Image::of([base.clone(), top.clone(), note.clone()])
    };
    let mut images = Images::default();
    images.add("plugin", "v1", &with(&format!("/{PLUGIN}")));
    images.add("shell", "v1", &with("/bin/sh"));
    for (name, layers) in [("plugin:v1", 2), ("shell:v1", 3)] {
        let registry = Registry::faithful(images.clone());
        let options = ImageOptions { quick: true, ..options(&registry) };
        let request = vec![ImageRequest::new(&registry.reference(name))];
        let found = collected(request, options);
        assert_eq!(found.sightings.len(), 1, "{found:?}");
        let is_noted =
            found.sightings[0].evidence.iter().any(|one| one.detail.contains("--quick stopped"));
        assert_eq!(
            (is_noted, found.skipped.len()),
            (layers == 2, usize::from(layers == 2)),
            "{name}"
        );
        // The configuration is a blob, too.
        assert_eq!(registry.count("/blobs/"), layers + 1, "{name}");
        is_plugin(&lines(&registry, found).join(""), &format!("{name}: /{PLUGIN}"));
    }
}

#[test]
fn loopback_is_not_trusted_either() {
    let registry = Registry::faithful(Images::default());
    let found = check(&registry, &["a:v1"], ImageOptions::default()).join("\n");
    assert!(found.contains("--insecure"), "{found}");
    // The server takes the start of TLS for a request.
    let requests = registry.requests();
    assert!(requests.iter().all(|request| request.method != "GET"));
}
