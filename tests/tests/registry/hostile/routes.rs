//! The way to a registry: proxies.

use nri_compat::registry::{
    Client, Digest, Environment, Error, Limits, Reference, RegistryOptions,
};
use nri_tests::registry::clients::{image, limits, one_image, with_environment};
use nri_tests::registry::{Registry, Server};

/// Returns an image of a registry that has no address.
fn elsewhere() -> Reference {
    Reference::parse("registry.test/team/plugin:v1").unwrap()
}

/// Fetches the manifest and the layer of `team/plugin:v1` in a registry that has no address.
fn fetch(client: &Client, digest: &str, size: usize) -> Result<(), Error> {
    let image = elsewhere();
    client.manifest(&image)?;
    let digest = Digest::parse(digest).unwrap();
    client.blob(&image, &digest, size as u64).map(drop)
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
    assert!(asked.iter().all(|one| one.path == "registry.test:80"), "{asked:?}");
    // The base64 of `user:p@ss`.
    assert_eq!(asked[0].header("proxy-authorization"), "Basic dXNlcjpwQHNz");
    assert!(registry.requests().iter().all(|one| one.header("proxy-authorization").is_empty()));

    let before = proxy.requests().len();
    client.manifest(&image(&registry)).unwrap();
    assert_eq!(proxy.requests().len(), before, "loopback is never asked through a proxy");
}

#[test]
fn an_exempt_registry_is_not_asked_through_the_proxy() {
    let registry = Registry::faithful(one_image().0);
    let proxy = Server::proxy(&registry.host(), 200);
    let url = format!("http://{}", proxy.host());
    // An address for documentation, which leads nowhere.
    let image = Reference::parse("192.0.2.1:5000/team/plugin:v1").unwrap();
    for (exempt, is_proxied) in [("192.0.3.0/24,.test", true), ("192.0.2.0/24", false)] {
        let options = RegistryOptions {
            insecure: vec!["192.0.2.1".to_owned()],
            limits: Limits {
                connect: std::time::Duration::from_millis(100),
                attempts: 1,
                ..limits()
            },
            environment: Environment::from([("ALL_PROXY", url.as_str()), ("NO_PROXY", exempt)]),
        };
        let before = proxy.requests().len();
        let found = Client::new(options).manifest(&image);
        assert_eq!(found.is_ok(), is_proxied, "{exempt}: {found:?}");
        assert_eq!(proxy.requests().len() > before, is_proxied, "{exempt}");
    }
}

#[test]
fn a_proxy_that_refuses_is_named() {
    let image = elsewhere();
    for status in [407, 403, 502] {
        let proxy = Server::proxy("127.0.0.1:1", status);
        let url = format!("http://user:secret@{}", proxy.host());
        let client = with_environment(&[], Environment::from([("HTTPS_PROXY", url.as_str())]));
        let shown = client.manifest(&image).unwrap_err().to_string();
        let expected = format!("cannot reach registry.test through the proxy {}: ", proxy.host());
        assert!(shown.starts_with(&expected), "{shown}");
        assert!(shown.contains(&status.to_string()) && shown.contains("NO_PROXY"), "{shown}");
        assert!(!shown.contains("secret"), "{shown}");
        assert_eq!(proxy.requests().len(), 1, "it is asked once");
    }
    let environment = Environment::from([("HTTPS_PROXY", "http://u:secret@")]);
    let error = with_environment(&[], environment).manifest(&image).unwrap_err();
    let expected = "HTTPS_PROXY is not the URL of a proxy; write http://HOST:PORT";
    assert_eq!(error.to_string(), expected);
    let gone = Server::proxy("127.0.0.1:1", 200).host();
    let client = with_environment(&[], Environment::from([("HTTPS_PROXY", gone.as_str())]));
    let shown = client.manifest(&image).unwrap_err().to_string();
    let beginning = format!("cannot reach registry.test through the proxy {gone}: ");
    assert!(shown.starts_with(&beginning), "{shown}");
}
