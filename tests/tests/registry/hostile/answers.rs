//! Answers that are broken, wrong, late or too large.

use std::time::{Duration, Instant};

use nri_compat::check::collect::{ImageOptions, ImageRequest, Request as Check, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::registry::{Digest, Error};
use nri_compat::sighting::Interface;
use nri_compat::skipped::SkipKind;
use nri_tests::registry::clients::{client, image, one_image};
use nri_tests::registry::{Image, Images, Registry, Reply, Request, digest, gzip, layer, plugin};
use serde_json::json;

use super::PLUGIN;

/// Fetches the blob of the image to its end.
fn blob(registry: &Registry, digest: &str, size: usize) -> Result<(), Error> {
    let (client, _folder) = client(&[registry.host()], &[]);
    let digest = Digest::parse(digest).unwrap();
    let image = image(registry);
    client.blob(&image, &digest, size as u64).map(drop)
}

fn manifest(registry: &Registry) -> Result<(), Error> {
    let (client, _folder) = client(&[registry.host()], &[]);
    client.manifest(&image(registry)).map(drop)
}

/// Checks the image, and returns the reason for which it is unknown.
fn unknown(registry: &Registry) -> String {
    let request = Check {
        images: vec![ImageRequest::new(&registry.reference("team/plugin:v1"))],
        image_options: ImageOptions { insecure: vec![registry.host()], ..ImageOptions::default() },
        ..Check::default()
    };
    let found = collect(&request, READERS);
    assert_eq!(found.sightings.len(), 1, "{found:?}");
    match &found.sightings[0].interface {
        Interface::Unknown(why) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_layer_whose_connection_breaks_is_unknown() {
    let (images, name, bytes) = one_image();
    let registry = Registry::with(images.clone(), move |request, _| {
        let reply = images.answer(request);
        request.path.contains("/blobs/").then_some(Reply { cut: Some(300_000), ..reply })
    });
    let error = blob(&registry, &name, bytes.len()).unwrap_err();
    assert!(error.to_string().contains("cannot reach"), "{error}");
    assert!(unknown(&registry).contains("not all of it could be read"));
}

#[test]
fn an_interrupted_manifest_is_fetched_again() {
    let (images, _, _) = one_image();
    let registry = Registry::with(images.clone(), move |request, earlier| {
        let reply = images.answer(request);
        (request.path.contains("/manifests/") && earlier < 2).then(|| match earlier {
            0 => Reply { cut: Some(5), ..reply },
            _ => Reply::new(503, ""),
        })
    });
    manifest(&registry).unwrap();
    assert_eq!(registry.count("/manifests/"), 3);
}

#[test]
fn a_registry_that_limits_requests_is_obeyed_within_reason() {
    let limited = |pause: &'static str, times: usize| {
        let (images, _, _) = one_image();
        Registry::with(images, move |request, earlier| {
            let is_limited = request.path.contains("/manifests/") && earlier < times;
            is_limited.then(|| Reply::new(429, "").with("retry-after", pause))
        })
    };
    let brief = limited("1", 1);
    let start = Instant::now();
    manifest(&brief).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));

    let long = limited("3600", 1);
    let message = manifest(&long).unwrap_err().to_string();
    assert!(message.contains("answered 429; too many requests; try again in 3600 s"), "{message}");
    assert_eq!(long.count("/manifests/"), 1);

    let endless = limited("0", 100);
    let given_up = manifest(&endless).unwrap_err().to_string();
    assert!(given_up.contains("answered 429"), "{given_up}");
    assert_eq!(endless.count("/manifests/"), 3);
}

#[test]
fn a_layer_that_is_not_what_its_digest_says_is_unknown() {
    let (images, name, bytes) = one_image();
    let other = {
        let mut other = bytes.clone();
        *other.last_mut().unwrap() ^= 1;
        other
    };
    let short = bytes[..bytes.len() - 1].to_vec();
    let long = [bytes.clone(), vec![0]].concat();
    let is_blob = |request: &Request| request.path.contains("/blobs/");
    for (why, body, is_endless) in [
        ("its content differs", other.clone(), false),
        ("its content differs", other, true),
        ("bytes instead of", short, false),
        ("bytes instead of", long.clone(), false),
        ("it has more than", long, true),
    ] {
        let registry = Registry::with(images.clone(), move |request, _| {
            let reply = Reply { is_endless, ..Reply::new(200, body.clone()) };
            is_blob(request).then_some(reply)
        });
        let error = blob(&registry, &name, bytes.len()).unwrap_err();
        assert_eq!(error.kind, SkipKind::Broken, "{error}");
        assert!(error.to_string().contains(why), "{error}");
        assert!(unknown(&registry).contains(why), "{why}");
    }
}

#[test]
fn a_manifest_that_is_not_what_its_digest_says_is_refused() {
    let (images, _, _) = one_image();
    let stated = digest(b"another");
    let registry = Registry::with(images, move |request, _| {
        let reply = Reply::new(200, "{\"layers\": []}").with("docker-content-digest", &stated);
        request.path.contains("/manifests/").then_some(reply)
    });
    assert_eq!(manifest(&registry).unwrap_err().kind, SkipKind::Broken);
    assert!(unknown(&registry).contains("does not match its digest"));
}

#[test]
fn other_documents_are_not_images() {
    let sha = format!("sha256:{}", "0".repeat(64));
    let layer = |digest: &str, size: serde_json::Value| json!({"digest": digest, "size": size});
    for (body, why) in [
        ("<html>".to_owned(), "sent `text/html` instead of a manifest"),
        ("[]".to_owned(), "instead of a manifest"),
        ("{}".to_owned(), "neither an image nor an index"),
        (json!({"schemaVersion": 1, "fsLayers": []}).to_string(), "neither an image nor an index"),
        (json!({"manifests": {}}).to_string(), "invalid type: map"),
        (json!({"mediaType": "a/b"}).to_string(), "its media type is a/b"),
        (json!({"layers": [{"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "digest": sha}]}).to_string(), "helm.chart"),
        (json!({"layers": [layer("sha256:../../x", json!(1))]}).to_string(), "malformed"),
        (json!({"layers": [layer("md5:abc", json!(1))]}).to_string(), "not a digest"),
        (json!({"layers": [layer(&sha, json!(-1))]}).to_string(), "invalid value"),
        (json!({"layers": [{"digest": sha}]}).to_string(), "does not state its size"),
        (json!({"layers": [layer(&sha, json!(u64::MAX))]}).to_string(), "larger than 4 GiB"),
        (json!({"layers": [layer(&sha, json!(9))]}).to_string(), "404"),
        (json!({"layers": "x", "manifests": [{"digest": sha}]}).to_string(), "invalid type: string"),
        (json!({"manifests": [{"digest": "x"}]}).to_string(), "malformed"),
    ] {
        let registry = Registry::with(Images::default(), move |request, _| {
            let reply = Reply::new(200, body.clone()).with("content-type", "text/html");
            request.path.ends_with("/manifests/v1").then_some(reply)
        });
        let found = unknown(&registry);
        assert!(found.contains(why), "{why}: {found}");
    }
}

#[test]
fn answers_have_limits() {
    let huge = Registry::with(Images::default(), |request, _| {
        let reply = Reply { is_endless: true, ..Reply::new(200, vec![b' '; 8 << 20]) };
        request.path.contains("/manifests/").then_some(reply)
    });
    assert_eq!(manifest(&huge).unwrap_err().kind, SkipKind::TooLarge);

    let redirects = Registry::with(Images::default(), |request, _| {
        let reply = Reply::new(307, "").with("location", format!("{}x", request.path));
        request.path.contains("/manifests/").then_some(reply)
    });
    assert_eq!(manifest(&redirects).unwrap_err().kind, SkipKind::Broken);
    assert_eq!(redirects.requests().len(), 6);

    let elsewhere = Registry::with(Images::default(), |request, _| {
        let reply = Reply::new(307, "").with("location", "file:///etc/passwd");
        request.path.contains("/manifests/").then_some(reply)
    });
    assert_eq!(manifest(&elsewhere).unwrap_err().kind, SkipKind::Broken);

    // One is silent, the other one drips.
    for (pause, most) in [(Duration::from_secs(3), 10), (Duration::from_millis(100), 30)] {
        let (images, _, _) = one_image();
        let slow = Registry::with(images.clone(), move |request, _| {
            let reply = Reply { slow: Some((1, pause)), ..images.answer(request) };
            request.path.contains("/manifests/").then_some(reply)
        });
        let start = Instant::now();
        let error = manifest(&slow).unwrap_err().to_string();
        assert!(error.contains("took too long"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(most));
    }
}

#[test]
fn an_index_need_not_state_platforms() {
    let (mut images, _, _) = one_image();
    let of = |architecture: &str| Image {
        architecture: architecture.to_owned(),
        ..Image::of([gzip(&layer(&[(PLUGIN, &plugin()), ("name", architecture.as_bytes())]))])
    };
    let described = ["amd64", "arm64"].map(|architecture| {
        let digest = images.add("team/plugin", architecture, &of(architecture));
        json!({"digest": digest, "size": 1})
    });
    let index = json!({"schemaVersion": 2, "manifests": described});
    images.document("team/plugin", "v1", &index);
    let registry = Registry::faithful(images);
    for (platform, count, why) in [
        (None, 2, ""),
        (Some("linux/arm64"), 1, ""),
        (
            Some("linux/riscv64"),
            1,
            "no image for linux/riscv64; it has images for linux/amd64, linux/arm64",
        ),
    ] {
        let request = Check {
            images: vec![ImageRequest::new(&registry.reference("team/plugin:v1"))],
            image_options: ImageOptions {
                insecure: vec![registry.host()],
                platform: platform.map(str::to_owned),
                ..ImageOptions::default()
            },
            ..Check::default()
        };
        let found = collect(&request, READERS);
        assert_eq!(found.sightings.len(), count, "{found:?}");
        let interface = format!("{:?}", found.sightings[0].interface);
        assert!(interface.contains(why), "{interface}");
    }
}
