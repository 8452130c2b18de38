//! The way to a registry: mirrors, other locations, proxies.

use std::path::Path;

use nri_compat::registry::{
    Client, Digest, Environment, Error, ErrorKind, Limits, Options, Reference,
};
use nri_tests::registry::clients::{image, limits, one_image, with_environment};
use nri_tests::registry::{Images, Registry, Reply, Server};

#[test]
fn a_mirror_is_asked_first_and_the_registry_if_it_fails() {
    let (images, name, bytes) = one_image();
    let registry = Registry::faithful(images);
    let mirror = Registry::with(Images::default(), |_, _| Some(Reply::new(404, "")));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registries.conf");
    let text = format!(
        "[[registry]]\nlocation = \"{}\"\n[[registry.mirror]]\nlocation = \"{}/cache\"\n",
        registry.host(),
        mirror.host()
    );
    std::fs::write(&path, text).unwrap();
    let options = Options {
        insecure: vec![registry.host(), mirror.host()],
        limits: limits(),
        environment: Environment::from([("CONTAINERS_REGISTRIES_CONF", path.to_str().unwrap())]),
        ..Options::default()
    };
    let client = Client::new(options).unwrap();
    let image = image(&registry);
    client.manifest(&image).unwrap();
    let digest = Digest::parse(&name).unwrap();
    client
        .blob(&image, &digest, bytes.len() as u64)
        .unwrap()
        .finish()
        .unwrap();
    let asked: Vec<String> = mirror
        .requests()
        .into_iter()
        .map(|request| request.path)
        .collect();
    assert_eq!(
        asked,
        [
            "/v2/cache/team/plugin/manifests/v1".to_owned(),
            format!("/v2/cache/team/plugin/blobs/{name}")
        ]
    );
    assert_eq!(registry.requests().len(), 2);
}

/// Returns an image of a registry that has no address.
fn elsewhere() -> Reference {
    Reference::parse("registry.test/team/plugin:v1").unwrap()
}

fn paths(registry: &Registry) -> Vec<String> {
    let requests = registry.requests().into_iter();
    requests.map(|request| request.path).collect()
}

/// Fetches the manifest and the layer of `team/plugin:v1` in a registry that has no address.
fn fetch(client: &Client, digest: &str, size: usize) -> Result<(), Error> {
    let image = elsewhere();
    client.manifest(&image)?;
    let digest = Digest::parse(digest).unwrap();
    client.blob(&image, &digest, size as u64)?.finish()
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_location_replaces_the_registry() {
    let (images, name, bytes) = one_image();
    let registry = Registry::faithful(images);
    let home = tempfile::tempdir().unwrap();
    let environment = Environment::from([("HOME", home.path().to_str().unwrap())]);
    let config = ".config/containers";
    write(
        home.path(),
        &format!("{config}/registries.conf"),
        "[[registry]]\nprefix = \"registry.test\"\nblocked = true\n",
    );
    let client = with_environment(&[registry.host()], environment);
    let error = fetch(&client, &name, bytes.len()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied, "{error}");

    let drop_in = format!(
        "[[registry]]\nprefix = \"registry.test\"\nlocation = \"{}\"\n",
        registry.host()
    );
    write(
        home.path(),
        &format!("{config}/registries.conf.d/10-moved.conf"),
        &drop_in,
    );
    fetch(&client, &name, bytes.len()).unwrap();
    let found = paths(&registry);
    assert_eq!(found[0], "/v2/team/plugin/manifests/v1");
    // What is not there is not looked for at the registry that the location replaces.
    let missing = Reference::parse("registry.test/team/plugin:v2").unwrap();
    assert_eq!(
        client.manifest(&missing).unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn hosts_toml_names_mirrors_and_the_server() {
    let (images, name, bytes) = one_image();
    let registry = Registry::faithful(images.clone());
    let mirror = Registry::with(Images::default(), move |request, _| {
        let path = request.path.strip_prefix("/proxy")?.to_owned();
        Some(images.answer(&nri_tests::registry::Request {
            path,
            ..request.clone()
        }))
    });
    let broken = Registry::with(Images::default(), |_, _| Some(Reply::new(404, "")));
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "server = \"http://{}\"\n[host.\"http://{}\"]\n[host.\"http://{}/proxy\"]\ncapabilities = [\"pull\"]\n",
        registry.host(),
        broken.host(),
        mirror.host(),
    );
    write(folder.path(), "registry.test/hosts.toml", &text);
    let environment = Environment::from([("CONTAINERD_CERTS_D", folder.path().to_str().unwrap())]);
    let hosts = [registry.host(), mirror.host(), broken.host()];
    let client = with_environment(&hosts, environment.clone());
    fetch(&client, &name, bytes.len()).unwrap();
    let layer = format!("team/plugin/blobs/{name}?ns=registry.test");
    let manifest = "team/plugin/manifests/v1?ns=registry.test";
    assert_eq!(
        paths(&broken),
        [format!("/v2/{manifest}"), format!("/v2/{layer}")]
    );
    assert_eq!(
        paths(&mirror),
        ["/proxy/v2/".to_owned(), format!("/proxy/v2/{layer}")][1..]
    );
    assert_eq!(paths(&registry), [format!("/v2/{manifest}")]);

    let missing = Reference::parse("registry.test/team/plugin:v2").unwrap();
    let error = client.manifest(&missing).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let both = format!("before that, {} answered 404", broken.host());
    assert!(error.to_string().contains(&both), "{error}");

    // The scheme in the file does not make a connection insecure.
    let error = fetch(&with_environment(&[], environment), &name, bytes.len()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("--insecure {}", registry.host())),
        "{error}"
    );
}

#[test]
fn a_proxy_connects_to_registries_that_are_not_exempt() {
    let (images, name, bytes) = one_image();
    let registry = Registry::faithful(images);
    let proxy = Server::proxy(&registry.host(), 200);
    let url = format!("http://user:p%40ss@{}", proxy.host());
    let insecure = ["registry.test".to_owned(), registry.host()];
    let client = with_environment(&insecure, Environment::from([("HTTP_PROXY", url.as_str())]));
    fetch(&client, &name, bytes.len()).unwrap();
    let asked = proxy.requests();
    assert!(
        asked.iter().all(|one| one.path == "registry.test:80"),
        "{asked:?}"
    );
    // The base64 of `user:p@ss`.
    assert_eq!(asked[0].header("proxy-authorization"), "Basic dXNlcjpwQHNz");
    assert!(
        registry
            .requests()
            .iter()
            .all(|one| one.header("proxy-authorization").is_empty())
    );

    let before = proxy.requests().len();
    client.manifest(&image(&registry)).unwrap();
    assert_eq!(
        proxy.requests().len(),
        before,
        "loopback is never asked through a proxy"
    );
}

#[test]
fn an_exempt_registry_is_not_asked_through_the_proxy() {
    let registry = Registry::faithful(one_image().0);
    let proxy = Server::proxy(&registry.host(), 200);
    let url = format!("http://{}", proxy.host());
    // An address for documentation, which leads nowhere.
    let image = Reference::parse("192.0.2.1:5000/team/plugin:v1").unwrap();
    for (exempt, is_proxied) in [("192.0.3.0/24,.test", true), ("192.0.2.0/24", false)] {
        let options = Options {
            insecure: vec!["192.0.2.1".to_owned()],
            limits: Limits {
                connect: std::time::Duration::from_millis(100),
                attempts: 1,
                ..limits()
            },
            environment: Environment::from([("ALL_PROXY", url.as_str()), ("NO_PROXY", exempt)]),
            ..Options::default()
        };
        let before = proxy.requests().len();
        let found = Client::new(options).unwrap().manifest(&image);
        assert_eq!(found.is_ok(), is_proxied, "{exempt}: {found:?}");
        assert_eq!(proxy.requests().len() > before, is_proxied, "{exempt}");
    }
}

#[test]
fn a_proxy_that_refuses_is_named() {
    let image = elsewhere();
    for (status, kind, help) in [
        (
            407,
            ErrorKind::Denied,
            "add the user and the password to its URL",
        ),
        (403, ErrorKind::Denied, "exempt it with NO_PROXY"),
        (502, ErrorKind::Unreachable, "exempt it with NO_PROXY"),
    ] {
        let proxy = Server::proxy("127.0.0.1:1", status);
        let url = format!("http://user:secret@{}", proxy.host());
        let client = with_environment(&[], Environment::from([("HTTPS_PROXY", url.as_str())]));
        let error = client.manifest(&image).unwrap_err();
        assert_eq!(
            (error.kind(), error.status()),
            (kind, Some(status)),
            "{error}"
        );
        let expected = format!(
            "cannot reach registry.test: the proxy {} (HTTPS_PROXY) answered {status}; ",
            proxy.host()
        );
        let shown = error.to_string();
        assert!(
            shown.starts_with(&expected) && shown.ends_with(help),
            "{shown}"
        );
        assert!(!shown.contains("secret"), "{shown}");
    }
    let gone = Server::proxy("127.0.0.1:1", 200).host();
    let client = with_environment(&[], Environment::from([("HTTPS_PROXY", gone.as_str())]));
    let error = client.manifest(&image).unwrap_err().to_string();
    let expected = format!("cannot reach registry.test through the proxy {gone} (HTTPS_PROXY)");
    assert!(error.starts_with(&expected), "{error}");
}
