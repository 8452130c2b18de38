//! Images by reference in a registry of the distribution project, pushed by skopeo.

use nri_compat::check::collect::{ImageOptions, ImageRequest, Request, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::registry::{Client, Environment, Reference, RegistryOptions};
use nri_compat::skipped::SkipKind;
use nri_tests::registry::{Demands, Image, RealRegistry, Server, gzip, layer, plugin};

const PLUGIN: &str = "opt/nri/plugins/10-a";

fn image(text: &str) -> Image {
    Image {
        architecture: text.to_owned(),
        ..Image::of([
            gzip(&layer(&[("base", b"x")])),
            gzip(&layer(&[(PLUGIN, &plugin()), ("name", text.as_bytes())])),
        ])
    }
}

/// Checks an image, and returns the places of the plugins in it.
fn plugins(registry: &RealRegistry, reference: &str) -> Vec<String> {
    let request = Request {
        images: vec![ImageRequest::new(reference)],
        image_options: ImageOptions {
            insecure: vec![registry.host().to_owned()],
            ..ImageOptions::default()
        },
        ..Request::default()
    };
    let found = collect(&request, READERS);
    assert!(found.not_fetched.is_empty() && found.skipped.is_empty(), "{found:?}");
    let host = format!("{}/", registry.host());
    found.sightings.iter().map(|seen| seen.place.to_string().replace(&host, "")).collect()
}

#[test]
fn images_of_every_format_that_skopeo_pushes() {
    let registry = RealRegistry::start(Demands::default());
    let amd64 = image("amd64");
    for (name, options) in [
        ("oci:v1", &["--format", "oci"][..]),
        ("docker:v1", &["--format", "v2s2"]),
        ("zstd:v1", &["--dest-compress-format", "zstd"]),
    ] {
        let reference = registry.push(name, &[("linux/amd64", &amd64)], options);
        assert_eq!(plugins(&registry, &reference), [format!("{name}: /{PLUGIN}")]);
    }
    let arm64 = image("arm64");
    let all = [("linux/amd64", &amd64), ("linux/arm64", &arm64)];
    let reference = registry.push("index:v1", &all, &[]);
    let expected = ["amd64", "arm64"].map(|one| format!("index:v1: linux/{one}: /{PLUGIN}"));
    assert_eq!(plugins(&registry, &reference), expected);
}

/// Fetches the manifest with these variables.
fn manifest(
    registry: &RealRegistry,
    reference: &str,
    insecure: bool,
    environment: Environment,
) -> Result<(), (SkipKind, String)> {
    let insecure = insecure.then(|| registry.host().to_owned());
    let client = Client::new(RegistryOptions {
        insecure: insecure.into_iter().collect(),
        environment,
        ..RegistryOptions::default()
    });
    let reference = Reference::parse(reference).unwrap();
    let manifest = client.manifest(&reference);
    manifest.map(drop).map_err(|error| (error.kind, error.to_string()))
}

#[test]
fn credentials_that_skopeo_stored() {
    let registry = RealRegistry::start(Demands { login: true, ..Demands::default() });
    let reference = registry.push("team/plugin:v1", &[("linux/amd64", &image("amd64"))], &[]);
    let (kind, why) = manifest(&registry, &reference, true, Environment::from([])).unwrap_err();
    assert_eq!(kind, SkipKind::Permission);
    assert!(why.contains("docker login"), "{why}");
    let path = registry.login();
    let environment = Environment::from([("REGISTRY_AUTH_FILE", path.to_str().unwrap())]);
    manifest(&registry, &reference, true, environment.clone()).unwrap();
    let missing = reference.replace(":v1", ":v2");
    assert_eq!(manifest(&registry, &missing, true, environment).unwrap_err().0, SkipKind::NotFound);
}

#[test]
fn certificates_of_another_authority() {
    let registry = RealRegistry::start(Demands { tls: true, ..Demands::default() });
    let reference = registry.push("team/plugin:v1", &[("linux/amd64", &image("amd64"))], &[]);
    let (kind, why) = manifest(&registry, &reference, false, Environment::from([])).unwrap_err();
    assert_eq!(kind, SkipKind::Io, "{why}");
    assert!(why.contains("cannot verify") && why.contains("--insecure"), "{why}");
    manifest(&registry, &reference, true, Environment::from([])).unwrap();

    let authority = registry.authority();
    let environment = Environment::from([("SSL_CERT_FILE", authority.to_str().unwrap())]);
    manifest(&registry, &reference, false, environment).unwrap();
    assert_eq!(plugins(&registry, &reference).len(), 1);
}

#[test]
fn a_proxy_carries_tls_to_the_registry() {
    let registry = RealRegistry::start(Demands { tls: true, ..Demands::default() });
    let pushed = registry.push("team/plugin:v1", &[("linux/amd64", &image("amd64"))], &[]);
    let reference = pushed.replace(registry.host(), "registry.test");
    let proxy = Server::proxy(registry.host(), 200);
    let url = format!("http://{}", proxy.host());
    let authority = registry.authority();
    let fetch = |certificates: &str| {
        let environment =
            Environment::from([("HTTPS_PROXY", url.as_str()), ("SSL_CERT_FILE", certificates)]);
        manifest(&registry, &reference, false, environment)
    };
    fetch(authority.to_str().unwrap()).unwrap();
    assert!(proxy.requests().iter().all(|one| one.path == "registry.test:443"));

    let (kind, why) = fetch("/missing").unwrap_err();
    assert_eq!(kind, SkipKind::Io, "{why}");
    assert!(why.contains("SSL_CERT_FILE"), "{why}");
    let environment = Environment::from([("HTTPS_PROXY", url.as_str())]);
    let unverified = manifest(&registry, &reference, false, environment).unwrap_err();
    assert_eq!(unverified.0, SkipKind::Io, "{}", unverified.1);
    for words in ["cannot verify registry.test", "SSL_CERT_FILE"] {
        assert!(unverified.1.contains(words), "{}", unverified.1);
    }
}
