//! The credentials that Docker and Podman store in `config.json` and `auth.json`, or in the
//! credential helpers that these name.
//!
//! The files are read in this order, and the first with an entry for the registry is used:
//! `$REGISTRY_AUTH_FILE`; `$DOCKER_CONFIG/config.json`, else `~/.docker/config.json`;
//! `$XDG_RUNTIME_DIR/containers/auth.json`; `~/.config/containers/auth.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::Error;
use super::options::Environment;
use super::reference::{DOCKER_HUB, Reference};
use crate::error::ErrorKind;
use crate::escape;
use crate::skipped::SkipKind;
use crate::{subprocess, text_file};

/// The maximum size of a file or of the answer of a helper in bytes.
const MAX_SIZE: u64 = 4 << 20;

/// The name under which Docker stores the credentials of Docker Hub.
const DOCKER_HUB_KEY: &str = "https://index.docker.io/v1/";

/// The user name that stands for an identity token.
const TOKEN_USER: &str = "<token>";

/// The message of a helper that does not know a host.
const NOT_FOUND: &str = "credentials not found";

/// The credentials for a registry.
pub(super) enum Credentials {
    /// The value of an `Authorization` header with user and password.
    Basic(String),
    /// A token that a token server exchanges for others.
    Identity(String),
}

/// The relevant part of a configuration file.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CredentialsFile {
    auths: BTreeMap<String, AuthEntry>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AuthEntry {
    /// User and password with a colon between them, in base64.
    auth: String,
    username: String,
    password: String,
    identitytoken: String,
}

/// The answer of a credential helper.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperAnswer {
    username: String,
    secret: String,
}

/// Returns the stored credentials for an image; `None` if there are none.
///
/// # Errors
///
/// Returns an error if a file or a credential helper cannot be used, or the helper does not answer
/// within this time limit.
pub(super) fn find(
    image: &Reference,
    environment: &Environment,
    limit: Duration,
) -> Result<Option<Credentials>, Error> {
    for path in files(environment).iter().filter(|path| path.is_file()) {
        let config = CredentialsFile::read(path)?;
        let by_helper = match config.helper(image) {
            Some(name) => ask(name, key(image), environment, limit)?,
            None => None,
        };
        let found = by_helper.or_else(|| config.stored(image)?.credentials());
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn files(environment: &Environment) -> Vec<PathBuf> {
    let set = |name| environment.path(name);
    let docker = set("DOCKER_CONFIG").or_else(|| Some(set("HOME")?.join(".docker")));
    let config = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")));
    let files = [
        set("REGISTRY_AUTH_FILE"),
        docker.map(|folder| folder.join("config.json")),
        set("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json")),
        config.map(|folder| folder.join("containers/auth.json")),
    ];
    files.into_iter().flatten().collect()
}

/// Returns the name of the registry of an image in helpers and, for Docker Hub, also in files.
fn key(image: &Reference) -> &str {
    match image.registry() {
        DOCKER_HUB => DOCKER_HUB_KEY,
        registry => registry,
    }
}

/// Returns the registry of a key, perhaps with a part of a repository. Older tools write URLs.
fn plain(key: &str) -> &str {
    let url = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://"));
    match url.map_or(key, |url| url.split('/').next().unwrap_or_default()) {
        "index.docker.io" => DOCKER_HUB,
        name => name,
    }
}

impl CredentialsFile {
    fn read(path: &Path) -> Result<Self, Error> {
        let failed = |why: String| Error::new(SkipKind::Io, why);
        let text = text_file::read(path, MAX_SIZE, ErrorKind::Fetch)
            .map_err(|why| failed(why.to_string()))?;
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        // The message of the parser could quote a secret, so only its position is shown.
        serde_json::from_str(&text).map_err(|why| {
            failed(format!(
                "cannot use the credentials in {}: it is not valid at line {}, column {}",
                escape::path(path),
                why.line(),
                why.column()
            ))
        })
    }

    /// Returns the name of the helper for an image.
    fn helper(&self, image: &Reference) -> Option<&str> {
        let own =
            [key(image), image.registry()].iter().find_map(|name| self.cred_helpers.get(*name));
        let name = own.unwrap_or(&self.creds_store);
        (!name.is_empty()).then_some(name)
    }

    /// Returns the entry for an image with the longest name. Podman also stores some for single
    /// repositories.
    fn stored(&self, image: &Reference) -> Option<&AuthEntry> {
        let name = format!("{}/{}/", image.registry(), image.repository());
        let fits = |key: &str| name.starts_with(&format!("{}/", plain(key)));
        let fitting = self.auths.iter().filter(|(key, _)| fits(key));
        let (_, entry) = fitting.max_by_key(|(key, _)| plain(key).len())?;
        Some(entry)
    }
}

impl AuthEntry {
    fn credentials(&self) -> Option<Credentials> {
        if !self.identitytoken.is_empty() {
            return Some(Credentials::Identity(self.identitytoken.clone()));
        }
        match self.auth.trim() {
            "" => of_user(&self.username, &self.password),
            auth => Some(Credentials::Basic(format!("Basic {auth}"))),
        }
    }
}

/// Returns the credentials of a user; `None` if the name is empty.
fn of_user(user: &str, secret: &str) -> Option<Credentials> {
    match user {
        "" => None,
        TOKEN_USER => Some(Credentials::Identity(secret.to_owned())),
        user => {
            let encoded = STANDARD.encode(format!("{user}:{secret}"));
            Some(Credentials::Basic(format!("Basic {encoded}")))
        }
    }
}

/// Asks a [credential helper](https://github.com/docker/docker-credential-helpers#development),
/// which gets the name of a registry on its standard input; `None` if it has no credentials for it.
fn ask(
    name: &str,
    server: &str,
    environment: &Environment,
    limit: Duration,
) -> Result<Option<Credentials>, Error> {
    let failed = |why: &str| {
        let (name, why) = (escape::short(name), escape::short(why));
        let message = format!("the credential helper docker-credential-{name} failed: {why}");
        Error::new(SkipKind::Io, message)
            .with_help("run it by hand, or remove it from the configuration of Docker or Podman")
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if !name.bytes().all(is_plain) {
        return Err(failed("its name is not a valid program name"));
    }
    let mut helper = Command::new(format!("docker-credential-{name}"));
    helper.arg("get").envs(environment.path("PATH").map(|path| ("PATH", path)));
    let ended = subprocess::run(&mut helper, server.as_bytes(), limit, MAX_SIZE)
        .map_err(|error| failed(&error.to_string()))?
        .ok_or_else(|| failed(&format!("no answer within {} s", limit.as_secs_f32())))?;
    if ended.status.success() {
        let answer: HelperAnswer = serde_json::from_slice(&ended.stdout)
            .map_err(|_| failed("its answer is not the JSON of a credential helper"))?;
        return Ok(of_user(&answer.username, &answer.secret));
    }
    let output = [ended.stderr, ended.stdout].concat();
    let said = String::from_utf8_lossy(&output);
    if said.contains(NOT_FOUND) { Ok(None) } else { Err(failed(&said)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_entry_is_used() {
        // dTpw is u:p, bjpw is n:p, aDpw is h:p.
        let config = r#"{"auths": {"r.example": {"auth": "dTpw"}, "r.example/team": {"auth": "bjpw"},
            "https://index.docker.io/v1/": {"auth": "aDpw"}, "https://old.example/v2/": {"identitytoken": "t"},
            "two.example": {"username": "u", "password": "p"}, "no.example": {}}}"#;
        let config: CredentialsFile = serde_json::from_str(config).unwrap();
        for (image, expected) in [
            ("r.example/a", Some("Basic dTpw")),
            ("r.example/team/a/b", Some("Basic bjpw")),
            ("r.example/teams/a", Some("Basic dTpw")),
            ("team/a", Some("Basic aDpw")),
            ("old.example/a", Some("t")),
            ("two.example/a", Some("Basic dTpw")),
            ("no.example/a", None),
            ("other.example/a", None),
            ("r.example:5000/a", None),
            ("notdocker.io/a", None),
        ] {
            let stored = config.stored(&Reference::parse(image).unwrap());
            let found = stored.and_then(AuthEntry::credentials).map(|found| match found {
                Credentials::Basic(header) | Credentials::Identity(header) => header,
            });
            assert_eq!(found.as_deref(), expected, "{image}");
        }
    }
}
