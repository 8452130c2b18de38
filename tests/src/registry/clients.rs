//! Clients of registries, and an image to fetch.

use std::time::Duration;

use nri_compat::registry::{Client, Environment, Limits, Reference, RegistryOptions};
use serde_json::json;

use super::{Image, Images, Registry, digest, gzip, layer, plugin};

/// The value of an `Authorization` header for `user` with the password `password`.
pub const BASIC: &str = "Basic dXNlcjpwYXNzd29yZA==";

/// Returns limits with short times.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(5),
        idle: Duration::from_millis(500),
        total: Duration::from_secs(5),
        pause: Duration::from_millis(5),
        longest_pause: Duration::from_secs(2),
        attempts: 3,
    }
}

/// Returns `team/plugin:v1` with one layer of bytes that do not compress, and the digest and the
/// bytes of the layer.
#[must_use]
pub fn one_image() -> (Images, String, Vec<u8>) {
    let mut filler = vec![0; 1 << 20];
    fastrand::Rng::with_seed(1).fill(&mut filler);
    let bytes = gzip(&layer(&[("opt/nri/plugins/10-a", &plugin()), ("filler", &filler)]));
    let mut images = Images::default();
    images.add("team/plugin", "v1", &Image::of([bytes.clone()]));
    (images, digest(&bytes), bytes)
}

/// Returns a client with user and password for the hosts in `logged_in`, and the folder with its
/// configuration.
///
/// # Panics
///
/// Panics if no temporary file can be written.
#[must_use]
pub fn client(insecure: &[String], logged_in: &[&str]) -> (Client, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let auths: serde_json::Map<_, _> =
        logged_in.iter().map(|host| ((*host).to_owned(), json!({"auth": &BASIC[6..]}))).collect();
    let config = json!({"auths": auths}).to_string();
    std::fs::write(folder.path().join("config.json"), config).expect("a temporary file");
    let path = folder.path().to_str().expect("a path in UTF-8");
    let client = with_environment(insecure, Environment::from([("DOCKER_CONFIG", path)]));
    (client, folder)
}

/// Returns a client with these variables.
#[must_use]
pub fn with_environment(insecure: &[String], environment: Environment) -> Client {
    let options = RegistryOptions { insecure: insecure.to_vec(), limits: limits(), environment };
    Client::new(options)
}

/// Returns the reference of the image of [`one_image`].
///
/// # Panics
///
/// Panics if the host is not valid.
#[must_use]
pub fn image(registry: &Registry) -> Reference {
    Reference::parse(&registry.reference("team/plugin:v1")).expect("a reference")
}
