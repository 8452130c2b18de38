//! The credentials that Docker and Podman store in `config.json` and `auth.json`, or in the credential
//! helpers that these name.
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

use super::error::Error;
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
struct Config {
    auths: BTreeMap<String, AuthEntry>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AuthEntry {
    auth: String,
    username: String,
    password: String,
    identitytoken: String,
}

/// The answer of a credential helper.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    username: String,
    secret: String,
}

/// Returns the stored credentials for an image; `None` if there are none.
///
/// # Errors
///
/// Returns an error if a file or a credential helper cannot be used, or the helper does not answer within
/// this time limit.
pub(super) fn find(
    image: &Reference,
    environment: &Environment,
    limit: Duration,
) -> Result<Option<Credentials>, Error> {
    for path in files(environment).iter().filter(|path| path.is_file()) {
        let config = Config::read(path)?;
        let by_helper = match config.helper(image) {
            Some(name) => ask(name, key(image), environment, limit)?,
            None => None,
        };
        if by_helper.is_some() {
            return Ok(by_helper);
        }
        if let Some(found) = config.stored(image).map_err(|why| unusable(path, why))? {
            return Ok(Some(found));
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

/// Returns the host of a key, which may be a URL written by older tools.
fn key_host(key: &str) -> &str {
    let url = key
        .strip_prefix("https://")
        .or_else(|| key.strip_prefix("http://"));
    url.map_or(key, |url| url.split('/').next().unwrap_or_default())
}

fn unusable(path: &Path, why: impl std::fmt::Display) -> Error {
    let path = escape::path(path);
    Error::new(
        SkipKind::Io,
        format!("cannot use the credentials in {path}: {why}"),
    )
}

impl Config {
    fn read(path: &Path) -> Result<Self, Error> {
        let text = text_file::read(path, MAX_SIZE, ErrorKind::Fetch);
        let text = text.map_err(|why| Error::new(SkipKind::Io, why.to_string()))?;
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        // The message of the parser could quote a secret, so only its position is shown.
        serde_json::from_str(&text).map_err(|why| {
            let (line, column) = (why.line(), why.column());
            unusable(
                path,
                format!("it is not valid at line {line}, column {column}"),
            )
        })
    }

    /// Returns the name of the helper for an image.
    fn helper(&self, image: &Reference) -> Option<&str> {
        let own = [key(image), image.registry()];
        let own = own.iter().find_map(|name| self.cred_helpers.get(*name));
        let name = own.unwrap_or(&self.creds_store);
        (!name.is_empty()).then_some(name)
    }

    /// Returns the credentials in this file for an image. Podman also stores some for single
    /// repositories.
    fn stored(&self, image: &Reference) -> Result<Option<Credentials>, &'static str> {
        let name = format!("{}/{}", image.registry(), image.repository());
        let ends = name.match_indices('/').map(|(end, _)| end);
        let mut names = ends
            .chain([name.len()])
            .rev()
            .filter_map(|end| name.get(..end));
        let of_host = || {
            let mut all = self.auths.iter();
            let host = key_host(key(image));
            Some(all.find(|(key, _)| key_host(key) == host)?.1)
        };
        let found = names.find_map(|name| self.auths.get(name)).or_else(of_host);
        found.map_or(Ok(None), AuthEntry::credentials)
    }
}

impl AuthEntry {
    fn credentials(&self) -> Result<Option<Credentials>, &'static str> {
        if !self.identitytoken.is_empty() {
            return Ok(Some(Credentials::Identity(self.identitytoken.clone())));
        }
        if self.auth.is_empty() {
            return Ok(Credentials::new(&self.username, &self.password));
        }
        let decoded = STANDARD.decode(self.auth.trim()).ok();
        let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        let decoded = decoded.ok_or("an `auth` is not base64")?;
        let (user, secret) = decoded.split_once(':').ok_or("an `auth` has no `:`")?;
        Ok(Credentials::new(user, secret.trim_matches('\0')))
    }
}

impl Credentials {
    /// Returns the credentials of a user; `None` if the name is empty.
    fn new(user: &str, secret: &str) -> Option<Self> {
        match user {
            "" => None,
            TOKEN_USER => Some(Self::Identity(secret.to_owned())),
            user => {
                let encoded = STANDARD.encode(format!("{user}:{secret}"));
                Some(Self::Basic(format!("Basic {encoded}")))
            }
        }
    }
}

/// Asks a [credential helper](https://github.com/docker/docker-credential-helpers#development), which gets
/// the name of a registry on its standard input; `None` if it has no credentials for it.
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
    helper
        .arg("get")
        .envs(environment.path("PATH").map(|path| ("PATH", path)));
    let ended = subprocess::run(&mut helper, server.as_bytes(), limit, MAX_SIZE)
        .map_err(|error| failed(&error.to_string()))?
        .ok_or_else(|| failed(&format!("no answer within {} s", limit.as_secs_f32())))?;
    if ended.status.success() {
        let answer = serde_json::from_slice::<Answer>(&ended.stdout);
        let answer =
            answer.map_err(|_| failed("its answer is not the JSON of a credential helper"))?;
        return Ok(Credentials::new(&answer.username, &answer.secret));
    }
    let said = [ended.stderr, ended.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    if said.contains(NOT_FOUND) {
        Ok(None)
    } else {
        Err(failed(&said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the credentials of this configuration for an image.
    fn stored(config: &str, image: &str) -> Result<Option<String>, &'static str> {
        let config: Config = serde_json::from_str(config).unwrap();
        let found = config.stored(&Reference::parse(image).unwrap())?;
        Ok(found.map(|found| match found {
            Credentials::Basic(header) | Credentials::Identity(header) => header,
        }))
    }

    #[test]
    fn the_most_specific_entry_is_used() {
        // dTpw is u:p, bjpw is n:p, aDpw is h:p.
        let config = r#"{"auths": {"r.example": {"auth": "dTpw"}, "r.example/team": {"auth": "bjpw"},
            "https://index.docker.io/v1/": {"auth": "aDpw"}, "https://old.example/v2/": {"identitytoken": "t"}}}"#;
        for (image, expected) in [
            ("r.example/a", Some("Basic dTpw")),
            ("r.example/team/a/b", Some("Basic bjpw")),
            ("team/a", Some("Basic aDpw")),
            ("old.example/a", Some("t")),
            ("other.example/a", None),
            ("r.example:5000/a", None),
            ("notdocker.io/a", None),
        ] {
            assert_eq!(
                stored(config, image).unwrap().as_deref(),
                expected,
                "{image}"
            );
        }
    }

    #[test]
    fn broken_entries_are_errors() {
        for (auth, expected) in [
            ("!", Err("an `auth` is not base64")),
            ("dQ==", Err("an `auth` has no `:`")),
            ("OnA=", Ok(None)),
        ] {
            let config = format!(r#"{{"auths": {{"r.example": {{"auth": "{auth}"}}}}}}"#);
            assert_eq!(stored(&config, "r.example/a"), expected, "{auth}");
        }
    }
}
