//! Tokens, passwords and credential helpers.

use nri_compat::registry::{Client, Digest, Environment, Error, RegistryOptions};
use nri_compat::skipped::SkipKind;
use nri_tests::registry::clients::{BASIC, client, image, limits, one_image};
use nri_tests::registry::{Registry, Reply, Server};

/// Returns a registry that accepts the token `good`, and asks the realm for it.
fn with_tokens(realm: impl Fn() -> String + Send + Sync + 'static) -> Registry {
    let (images, _, _) = one_image();
    Registry::with(images, move |request, _| {
        let is_open = request.header("authorization") == "Bearer good" || request.path == "/v2/";
        let challenge = format!(
            "Bearer realm=\"{}\",service=\"s\",scope=\"repository:other:push,delete\"",
            realm()
        );
        (!is_open).then(|| Reply::new(401, "{}").with("www-authenticate", challenge))
    })
}

fn token_server() -> Server {
    Server::start(|_, _| Reply::new(200, r#"{"token": "good", "expires_in": 300}"#))
}

#[test]
fn a_token_is_fetched_once_for_our_scope() {
    let tokens = token_server();
    let host = tokens.host();
    let registry = with_tokens({
        let host = host.clone();
        move || format!("http://{host}/token")
    });
    let (client, _folder) = client(&[registry.host(), host], &[]);
    let image = image(&registry);
    client.manifest(&image).unwrap();
    client.manifest(&image).unwrap();
    let asked = tokens.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/token?service=s&scope=repository%3Ateam%2Fplugin%3Apull");
    assert_eq!(asked[0].header("authorization"), "");
    assert_eq!(registry.requests().len(), 3);
}

#[test]
fn credentials_reach_only_the_realm_that_may_have_them() {
    let tokens = token_server();
    let realm = format!("http://{}/token", tokens.host());
    let registry = with_tokens(move || realm.clone());
    let (known, _known_folder) = client(&[registry.host(), tokens.host()], &[&registry.host()]);
    known.manifest(&image(&registry)).unwrap();
    assert_eq!(tokens.requests()[0].header("authorization"), BASIC);

    // The token server is not named: a registry over plain HTTP may not send the password there.
    let stranger = token_server();
    for elsewhere in
        [format!("http://{}/token", stranger.host()), format!("https://{}/token", stranger.host())]
    {
        let asking = with_tokens(move || elsewhere.clone());
        let (client, _folder) = client(&[asking.host()], &[&asking.host()]);
        let error = client.manifest(&image(&asking)).unwrap_err();
        assert_eq!(error.kind, SkipKind::Permission, "{error}");
        assert!(error.to_string().contains("is not sent the credentials"), "{error}");
    }
    assert_eq!(stranger.requests(), []);
}

#[test]
fn a_redirect_does_not_take_credentials_along() {
    let (images, name, bytes) = one_image();
    let store = Server::start({
        let bytes = bytes.clone();
        move |request, _| match request.header("authorization") {
            "" => Reply::new(200, bytes.clone()),
            _ => Reply::new(400, "two kinds of authorization"),
        }
    });
    let target = format!("http://{}/blob?signature=x", store.host());
    let registry = Registry::with(images, move |request, _| {
        if request.header("authorization") != BASIC && request.path != "/v2/" {
            return Some(Reply::new(401, "").with("www-authenticate", "Basic realm=\"r\""));
        }
        let redirect = Reply::new(307, "").with("location", &target);
        request.path.contains("/blobs/").then_some(redirect)
    });
    let (logged_in, _folder) =
        client(&[registry.host(), store.host()], &[&registry.host(), &store.host()]);
    let image = image(&registry);
    let size = bytes.len() as u64;
    let digest = Digest::parse(&name).unwrap();
    logged_in.blob(&image, &digest, size).unwrap();
    assert_eq!(store.requests()[0].header("authorization"), "");

    let (wary, _wary_folder) = client(&[registry.host()], &[&registry.host()]);
    let error = wary.blob(&image, &digest, size).err().unwrap();
    assert!(error.to_string().contains("is not encrypted"), "{error}");
    assert_eq!(store.requests().len(), 1);
}

#[test]
fn a_registry_that_never_accepts_credentials_is_asked_twice() {
    for challenge in [
        "Basic realm=\"r\"",
        "Bearer realm=\"SELF/token\"",
        "Negotiate, basic realm=\"r\", Digest realm=\"r\"",
        "Negotiate",
        "",
    ] {
        let (images, _, _) = one_image();
        let registry = Registry::with(images, move |request, _| match request.path.as_str() {
            "/v2/" => None,
            path if path.starts_with("/token") => Some(Reply::new(200, r#"{"token": "bad"}"#)),
            _ => {
                let own = format!("http://{}", request.header("host"));
                Some(Reply::new(401, "").with("www-authenticate", challenge.replace("SELF", &own)))
            }
        });
        let (client, _folder) = client(&[registry.host()], &[&registry.host()]);
        let error = client.manifest(&image(&registry)).unwrap_err();
        assert_eq!(error.kind, SkipKind::Permission, "{error}");
        assert!(error.to_string().contains("answered 401"), "{error}");
        assert!(registry.count("/manifests/") <= 2);
    }
}

#[test]
fn broken_token_servers_are_named() {
    for (reply, kind) in [
        (Reply::new(200, "{}"), SkipKind::Broken),
        (Reply::new(200, r#"{"token": "a\nb"}"#), SkipKind::Broken),
        (Reply { is_endless: true, ..Reply::new(200, vec![b'x'; 4 << 20]) }, SkipKind::TooLarge),
        (Reply::new(403, ""), SkipKind::Permission),
        (Reply::new(500, ""), SkipKind::Io),
    ] {
        let tokens = Server::start(move |_, _| reply.clone());
        let realm = format!("http://{}/token", tokens.host());
        let registry = with_tokens(move || realm.clone());
        let (client, _folder) = client(&[registry.host(), tokens.host()], &[]);
        let error = client.manifest(&image(&registry)).unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(
            error.to_string().contains(&tokens.host())
                || error.to_string().contains(&registry.host())
        );
    }
}

/// Returns a folder with this configuration of docker, and a credential helper `test` with this
/// script.
fn configured(config: &str, helper: Option<&str>) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.json"), config).unwrap();
    if let Some(script) = helper {
        let path = folder.path().join("docker-credential-test");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// Returns a client with the configuration and the helper in this folder.
fn client_in(folder: &tempfile::TempDir, insecure: &[String]) -> Client {
    let path = folder.path().to_str().unwrap();
    let search = format!("{path}:/usr/bin:/bin");
    let options = RegistryOptions {
        insecure: insecure.to_vec(),
        limits: limits(),
        environment: Environment::from([("DOCKER_CONFIG", path), ("PATH", &search)]),
    };
    Client::new(options)
}

/// Fetches a manifest with a helper of this script.
fn helper(script: &str, config: &str) -> Result<(), Error> {
    let (images, _, _) = one_image();
    let registry = Registry::with(images, |request, _| {
        let is_open = request.header("authorization") == BASIC || request.path == "/v2/";
        (!is_open).then(|| Reply::new(401, "").with("www-authenticate", "Basic realm=\"r\""))
    });
    let folder = configured(&config.replace("HOST", &registry.host()), Some(script));
    let client = client_in(&folder, &[registry.host()]);
    client.manifest(&image(&registry)).map(drop)
}

#[test]
fn helpers_are_asked_within_a_time_limit() {
    let by_host = r#"{"credHelpers": {"HOST": "test"}}"#;
    let good = r#"read host; echo "{\"ServerURL\": \"$host\", \"Username\": \"user\", \"Secret\": \"password\"}""#;
    helper(good, by_host).unwrap();
    helper(good, r#"{"credsStore": "test"}"#).unwrap();
    for (script, config, why) in [
        (
            "echo 'credentials not found in native keychain'; exit 1",
            by_host,
            "requires credentials",
        ),
        (
            "echo 'the vault is sealed' >&2; exit 1",
            by_host,
            "docker-credential-test failed: the vault is sealed",
        ),
        ("exec sleep 30", by_host, "no answer within 0.5 s"),
        ("echo '{}'", by_host, "not the JSON"),
        ("", r#"{"credsStore": "../test"}"#, "not a valid program name"),
        ("", r#"{"credsStore": "missing"}"#, "docker-credential-missing failed"),
        ("", r#"{"auths": 1}"#, "line 1"),
    ] {
        let error = helper(script, config).unwrap_err().to_string();
        assert!(error.contains(why), "{script} {config}: {error}");
    }
}

/// Checks that a registry gets a token for this configuration, whose identity is `identity`.
fn exchanges(config: &str, helper: Option<&str>) {
    let tokens = Server::start(|request, _| {
        let form = String::from_utf8_lossy(&request.body).into_owned();
        let parts: Vec<&str> = form.split('&').collect();
        let expected = [
            "service=s",
            "scope=repository%3Ateam%2Fplugin%3Apull",
            "grant_type=refresh_token",
            "client_id=nri-compat",
            "refresh_token=identity%2F%2B",
        ];
        if request.method == "POST" && parts == expected {
            Reply::new(200, r#"{"access_token": "good", "expires_in": 300}"#)
        } else {
            Reply::new(400, form)
        }
    });
    let realm = format!("http://{}/token", tokens.host());
    let registry = with_tokens(move || realm.clone());
    let folder = configured(&config.replace("HOST", &registry.host()), helper);
    let client = client_in(&folder, &[registry.host(), tokens.host()]);
    client.manifest(&image(&registry)).unwrap();
    let asked = tokens.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].header("authorization"), "");
}

#[test]
fn an_identity_token_is_exchanged_for_others() {
    exchanges(r#"{"auths": {"HOST": {"identitytoken": "identity/+"}}}"#, None);
    let helper = r#"echo '{"Username": "<token>", "Secret": "identity/+"}'"#;
    exchanges(r#"{"credsStore": "test"}"#, Some(helper));
}

#[test]
fn an_identity_token_that_ended_is_named() {
    let tokens = Server::start(|_, _| Reply::new(401, r#"{"error": "invalid_grant"}"#));
    let realm = format!("http://{}/token", tokens.host());
    let registry = with_tokens(move || realm.clone());
    let config = format!(r#"{{"auths": {{"{}": {{"identitytoken": "x"}}}}}}"#, registry.host());
    let folder = configured(&config, None);
    let client = client_in(&folder, &[registry.host(), tokens.host()]);
    let error = client.manifest(&image(&registry)).unwrap_err();
    assert_eq!(error.kind, SkipKind::Permission);
    let expected = format!("the token server of {}, answered 401", registry.host());
    assert!(error.to_string().contains(&expected), "{error}");
}
