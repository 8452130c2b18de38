//! Image registries that fail, lie and delay: none of it makes an image look checked, and
//! credentials reach nobody else.

use std::time::{Duration, Instant};

use nri_compat::check::collect::{ImageOptions, ImageRequest, Request as Check, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::registry::{
    Client, Digest, Environment, Error, ErrorKind, Limits, Options, Reference,
};
use nri_compat::sighting::Interface;
use nri_tests::registry::{
    Image, Images, Registry, Reply, Request, Server, digest, gzip, layer, plugin,
};
use serde_json::json;

const PLUGIN: &str = "opt/nri/plugins/10-a";

/// The base64 of `user:password`.
const BASIC: &str = "Basic dXNlcjpwYXNzd29yZA==";

fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(5),
        idle: Duration::from_millis(500),
        total: Duration::from_secs(5),
        pause: Duration::from_millis(5),
        longest_pause: Duration::from_secs(2),
        attempts: 3,
        helper: Duration::from_millis(500),
        ..Limits::default()
    }
}

/// One image with one layer of incompressible bytes.
fn images() -> (Images, String, Vec<u8>) {
    let mut filler = vec![0; 1 << 20];
    fastrand::Rng::with_seed(1).fill(&mut filler);
    let bytes = gzip(&layer(&[(PLUGIN, &plugin()), ("filler", &filler)]));
    let mut images = Images::default();
    images.add("team/plugin", "v1", &Image::of([bytes.clone()]));
    (images, digest(&bytes), bytes)
}

/// Returns a client with user and password for these hosts.
fn client(insecure: &[String], logged_in: &[&str]) -> (Client, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let auths = logged_in
        .iter()
        .map(|host| ((*host).to_owned(), json!({"auth": &BASIC[6..]})));
    let auths: serde_json::Map<_, _> = auths.collect();
    std::fs::write(
        folder.path().join("config.json"),
        json!({"auths": auths}).to_string(),
    )
    .unwrap();
    let options = Options {
        insecure: insecure.to_vec(),
        limits: limits(),
        environment: Environment::from([("DOCKER_CONFIG", folder.path().to_str().unwrap())]),
        ..Options::default()
    };
    (Client::new(options).unwrap(), folder)
}

fn image(registry: &Registry) -> Reference {
    Reference::parse(&registry.reference("team/plugin:v1")).unwrap()
}

/// Fetches the blob of the image to its end.
fn blob(registry: &Registry, digest: &str, size: usize) -> Result<(), Error> {
    let (client, _folder) = client(&[registry.host()], &[]);
    let digest = Digest::parse(digest).unwrap();
    let image = image(registry);
    client.blob(&image, &digest, size as u64)?.finish()
}

fn manifest(registry: &Registry) -> Result<(), Error> {
    let (client, _folder) = client(&[registry.host()], &[]);
    client.manifest(&image(registry)).map(drop)
}

/// Checks the image, and returns the reason for which it is unknown.
fn unknown(registry: &Registry) -> String {
    let request = Check {
        images: vec![ImageRequest::new(&registry.reference("team/plugin:v1"))],
        image_options: ImageOptions {
            insecure: vec![registry.host()],
            ..ImageOptions::default()
        },
        ..Check::default()
    };
    let found = collect(&request, READERS);
    assert_eq!(found.sightings.len(), 1, "{found:?}");
    match &found.sightings[0].interface {
        Interface::Unknown(why) => why.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_connection_that_breaks_is_resumed() {
    let (images, name, bytes) = images();
    let registry = Registry::with(images.clone(), {
        let images = images.clone();
        move |request, earlier| {
            let reply = images.answer(request);
            (request.path.contains("/blobs/") && earlier < 2).then_some(Reply {
                cut: Some(300_000),
                ..reply
            })
        }
    });
    blob(&registry, &name, bytes.len()).unwrap();
    let ranges: Vec<_> = registry.requests().iter().map(Request::range).collect();
    assert_eq!(ranges, [None, Some(300_000), Some(600_000)]);

    let ignores_ranges = Registry::with(images.clone(), {
        let bytes = bytes.clone();
        move |request, earlier| {
            let reply = Reply::new(200, bytes.clone());
            request.path.contains("/blobs/").then_some(Reply {
                cut: (earlier == 0).then_some(300_000),
                ..reply
            })
        }
    });
    blob(&ignores_ranges, &name, bytes.len()).unwrap();

    let breaks_always = Registry::with(images.clone(), move |request, _| {
        let reply = images.answer(request);
        request.path.contains("/blobs/").then_some(Reply {
            cut: Some(10),
            ..reply
        })
    });
    let error = blob(&breaks_always, &name, bytes.len()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(unknown(&breaks_always).contains("not all of it could be read"));
}

#[test]
fn an_interrupted_manifest_is_fetched_again() {
    let (images, _, _) = images();
    let registry = Registry::with(images.clone(), move |request, earlier| {
        let reply = images.answer(request);
        (request.path.contains("/manifests/") && earlier < 2).then(|| match earlier {
            0 => Reply {
                cut: Some(5),
                ..reply
            },
            _ => Reply::new(503, ""),
        })
    });
    manifest(&registry).unwrap();
    assert_eq!(registry.count("/manifests/"), 3);
}

#[test]
fn a_registry_that_limits_requests_is_obeyed_within_reason() {
    let limited = |pause: &'static str, times: usize| {
        let (images, _, _) = images();
        Registry::with(images, move |request, earlier| {
            let is_limited = request.path.contains("/manifests/") && earlier < times;
            is_limited.then(|| Reply::new(429, "").with("retry-after", pause))
        })
    };
    let registry = limited("1", 1);
    let start = Instant::now();
    manifest(&registry).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));

    let registry = limited("3600", 1);
    let error = manifest(&registry).unwrap_err();
    assert_eq!(
        (error.kind(), error.status()),
        (ErrorKind::RateLimited, Some(429))
    );
    assert!(error.to_string().contains("try again in 3600 s"), "{error}");
    assert_eq!(registry.count("/manifests/"), 1);

    let registry = limited("0", 100);
    assert_eq!(
        manifest(&registry).unwrap_err().kind(),
        ErrorKind::RateLimited
    );
    assert_eq!(registry.count("/manifests/"), 3);
}

#[test]
fn a_layer_that_is_not_what_its_digest_says_is_unknown() {
    let (images, name, bytes) = images();
    let other = {
        let mut other = bytes.clone();
        *other.last_mut().unwrap() ^= 1;
        other
    };
    let short = bytes[..bytes.len() - 1].to_vec();
    let long = [bytes.clone(), vec![0]].concat();
    let is_blob = |request: &Request| request.path.contains("/blobs/");
    for (why, body, is_endless) in [
        ("its content is another", other.clone(), false),
        ("its content is another", other, true),
        ("bytes instead of", short, false),
        ("bytes instead of", long.clone(), false),
        ("it has more than", long, true),
    ] {
        let registry = Registry::with(images.clone(), move |request, _| {
            let reply = Reply {
                is_endless,
                ..Reply::new(200, body.clone())
            };
            is_blob(request).then_some(reply)
        });
        let error = blob(&registry, &name, bytes.len()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Digest, "{error}");
        assert!(error.to_string().contains(why), "{error}");
        assert!(unknown(&registry).contains(why), "{why}");
    }
}

#[test]
fn a_manifest_that_is_not_what_its_digest_says_is_refused() {
    let (images, _, _) = images();
    let stated = digest(b"another");
    let registry = Registry::with(images, move |request, _| {
        let reply = Reply::new(200, "{\"layers\": []}").with("docker-content-digest", &stated);
        request.path.contains("/manifests/").then_some(reply)
    });
    assert_eq!(manifest(&registry).unwrap_err().kind(), ErrorKind::Digest);
    assert!(unknown(&registry).contains("does not have its digest"));
}

#[test]
fn other_documents_are_not_images() {
    let sha = format!("sha256:{}", "0".repeat(64));
    let layer = |digest: &str, size: serde_json::Value| json!({"digest": digest, "size": size});
    for (body, why) in [
        ("<html>".to_owned(), "sent no manifest but `text/html`"),
        ("[]".to_owned(), "sent no manifest"),
        ("{}".to_owned(), "neither an image nor an index"),
        (json!({"schemaVersion": 1, "fsLayers": []}).to_string(), "schema 1"),
        (json!({"manifests": {}}).to_string(), "neither an image nor an index"),
        (json!({"config": {"mediaType": "application/vnd.cncf.helm.config.v1+json"}, "layers": []}).to_string(), "Helm chart"),
        (json!({"layers": [layer("sha256:../../x", json!(1))]}).to_string(), "malformed"),
        (json!({"layers": [layer("md5:abc", json!(1))]}).to_string(), "not a digest"),
        (json!({"layers": [layer(&sha, json!(-1))]}).to_string(), "does not state its size"),
        (json!({"layers": [layer(&sha, json!(u64::MAX))]}).to_string(), "404"),
        (json!({"layers": "x", "manifests": [{"digest": sha}]}).to_string(), "404"),
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
        let reply = Reply {
            is_endless: true,
            ..Reply::new(200, vec![b' '; 8 << 20])
        };
        request.path.contains("/manifests/").then_some(reply)
    });
    assert_eq!(manifest(&huge).unwrap_err().kind(), ErrorKind::TooLarge);

    let redirects = Registry::with(Images::default(), |request, _| {
        let reply = Reply::new(307, "").with("location", format!("{}x", request.path));
        request.path.contains("/manifests/").then_some(reply)
    });
    assert_eq!(
        manifest(&redirects).unwrap_err().kind(),
        ErrorKind::Protocol
    );
    assert_eq!(redirects.requests().len(), 6);

    let elsewhere = Registry::with(Images::default(), |request, _| {
        let reply = Reply::new(307, "").with("location", "file:///etc/passwd");
        request.path.contains("/manifests/").then_some(reply)
    });
    assert_eq!(
        manifest(&elsewhere).unwrap_err().kind(),
        ErrorKind::Protocol
    );

    let (images, _, _) = images();
    let silent = Registry::with(images.clone(), move |request, _| {
        let slow = Some((1, Duration::from_secs(3)));
        let reply = Reply {
            slow,
            ..images.answer(request)
        };
        request.path.contains("/manifests/").then_some(reply)
    });
    let start = Instant::now();
    assert_eq!(manifest(&silent).unwrap_err().kind(), ErrorKind::Timeout);
    assert!(start.elapsed() < Duration::from_secs(10));

    let (images, _, _) = self::images();
    let dripping = Registry::with(images.clone(), move |request, _| {
        let slow = Some((1, Duration::from_millis(100)));
        let reply = Reply {
            slow,
            ..images.answer(request)
        };
        request.path.contains("/manifests/").then_some(reply)
    });
    let start = Instant::now();
    assert_eq!(manifest(&dripping).unwrap_err().kind(), ErrorKind::Timeout);
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// Returns a registry that accepts the token `good`, and asks the realm for it.
fn with_tokens(realm: impl Fn() -> String + Send + Sync + 'static) -> Registry {
    let (images, _, _) = images();
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
    assert_eq!(
        asked[0].path,
        "/token?service=s&scope=repository%3Ateam%2Fplugin%3Apull"
    );
    assert_eq!(asked[0].header("authorization"), "");
    assert_eq!(registry.requests().len(), 3);
}

#[test]
fn credentials_reach_only_the_realm_that_may_have_them() {
    let tokens = token_server();
    let realm = format!("http://{}/token", tokens.host());
    let registry = with_tokens(move || realm.clone());
    let (known, _folder) = client(&[registry.host(), tokens.host()], &[&registry.host()]);
    known.manifest(&image(&registry)).unwrap();
    assert_eq!(tokens.requests()[0].header("authorization"), BASIC);

    // The token server is not named: a registry over plain HTTP may not send the password there.
    let stranger = token_server();
    for realm in [
        format!("http://{}/token", stranger.host()),
        format!("https://{}/token", stranger.host()),
    ] {
        let registry = with_tokens(move || realm.clone());
        let (client, _folder) = client(&[registry.host()], &[&registry.host()]);
        let error = client.manifest(&image(&registry)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
        assert!(
            error.to_string().contains("does not get the credentials"),
            "{error}"
        );
    }
    assert_eq!(stranger.requests(), []);
}

#[test]
fn a_redirect_does_not_take_credentials_along() {
    let (images, name, bytes) = images();
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
    let (logged_in, _folder) = client(
        &[registry.host(), store.host()],
        &[&registry.host(), &store.host()],
    );
    let image = image(&registry);
    let size = bytes.len() as u64;
    let name = Digest::parse(&name).unwrap();
    logged_in
        .blob(&image, &name, size)
        .unwrap()
        .finish()
        .unwrap();
    assert_eq!(store.requests()[0].header("authorization"), "");

    let (wary, _folder) = client(&[registry.host()], &[&registry.host()]);
    let error = wary.blob(&image, &name, size).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Tls, "{error}");
    assert_eq!(store.requests().len(), 1);
}

#[test]
fn a_registry_that_never_accepts_credentials_is_asked_twice() {
    for challenge in [
        "Basic realm=\"r\"",
        "Bearer realm=\"SELF/token\"",
        "Negotiate",
        "",
    ] {
        let (images, _, _) = images();
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
        assert_eq!(
            (error.kind(), error.status()),
            (ErrorKind::Unauthorized, Some(401)),
            "{error}"
        );
        assert!(registry.count("/manifests/") <= 2);
    }
}

#[test]
fn broken_token_servers_are_named() {
    for (reply, kind) in [
        (Reply::new(200, "{}"), ErrorKind::Protocol),
        (Reply::new(200, r#"{"token": "a\nb"}"#), ErrorKind::Protocol),
        (
            Reply {
                is_endless: true,
                ..Reply::new(200, vec![b'x'; 4 << 20])
            },
            ErrorKind::TooLarge,
        ),
        (Reply::new(403, ""), ErrorKind::Denied),
        (Reply::new(500, ""), ErrorKind::Server),
    ] {
        let tokens = Server::start(move |_, _| reply.clone());
        let realm = format!("http://{}/token", tokens.host());
        let registry = with_tokens(move || realm.clone());
        let (client, _folder) = client(&[registry.host(), tokens.host()], &[]);
        let error = client.manifest(&image(&registry)).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(
            error.to_string().contains(&tokens.host())
                || error.to_string().contains(&registry.host())
        );
    }
}

/// Returns the error of a helper with this script.
fn helper(script: &str, config: &str) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docker-credential-test");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (images, _, _) = images();
    let registry = Registry::with(images, |request, _| {
        let is_open = request.header("authorization") == BASIC || request.path == "/v2/";
        (!is_open).then(|| Reply::new(401, "").with("www-authenticate", "Basic realm=\"r\""))
    });
    let config = config.replace("HOST", &registry.host());
    std::fs::write(folder.path().join("config.json"), config).unwrap();
    let search = format!("{}:/usr/bin:/bin", folder.path().display());
    let variables = [
        ("DOCKER_CONFIG", folder.path().to_str().unwrap()),
        ("PATH", &search),
    ];
    let options = Options {
        insecure: vec![registry.host()],
        limits: limits(),
        environment: Environment::from(variables),
        ..Options::default()
    };
    Client::new(options)?.manifest(&image(&registry)).map(drop)
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
            "wants credentials",
        ),
        (
            "echo 'the vault is sealed' >&2; exit 1",
            by_host,
            "docker-credential-test failed: the vault is sealed",
        ),
        ("exec sleep 30", by_host, "no answer within 0.5 s"),
        ("echo '{}'", by_host, "not the JSON"),
        ("", r#"{"credsStore": "../test"}"#, "not that of a program"),
        (
            "",
            r#"{"credsStore": "missing"}"#,
            "docker-credential-missing failed",
        ),
        ("", r#"{"auths": 1}"#, "line 1"),
    ] {
        let error = helper(script, config).unwrap_err().to_string();
        assert!(error.contains(why), "{script} {config}: {error}");
    }
}

#[test]
fn a_mirror_is_asked_first_and_the_registry_if_it_fails() {
    let (images, name, bytes) = images();
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
