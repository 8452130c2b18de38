//! The credentials that Docker and Podman store in `config.json` and `auth.json`.
//!
//! The files are read in this order, and the first with an entry for the registry is used:
//! `$REGISTRY_AUTH_FILE`; `$DOCKER_CONFIG/config.json`, else `~/.docker/config.json`;
//! `$XDG_RUNTIME_DIR/containers/auth.json`; `~/.config/containers/auth.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::helper;
use super::secret::Credentials;

/// The maximum size of a file in bytes.
const MAX_FILE: u64 = 4 << 20;

/// The name under which Docker stores the credentials of Docker Hub.
const DOCKER_HUB_KEY: &str = "https://index.docker.io/v1/";

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

/// Returns the stored credentials for a repository at this host; `None` if there are none.
///
/// # Errors
///
/// Returns an error if a file or a credential helper cannot be used.
pub(super) fn find(
    host: &str,
    repository: &str,
    environment: &Environment,
    limit: Duration,
) -> Result<Option<Credentials>, Error> {
    for path in files(environment) {
        if let Some(config) = read(&path)?
            && let Some(found) = config.find(host, repository, &path, (environment, limit))?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn files(environment: &Environment) -> Vec<PathBuf> {
    let set = |name| environment.path(name);
    let docker = set("DOCKER_CONFIG").or_else(|| Some(set("HOME")?.join(".docker")));
    let config = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")));
    [
        set("REGISTRY_AUTH_FILE"),
        docker.map(|folder| folder.join("config.json")),
        set("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json")),
        config.map(|folder| folder.join("containers/auth.json")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn read(path: &Path) -> Result<Option<Config>, Error> {
    let size = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, &error.to_string())),
    };
    if size > MAX_FILE {
        return Err(unusable(path, "it is too large"));
    }
    let bytes = std::fs::read(path).map_err(|error| unusable(path, &error.to_string()))?;
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    // The message of the parser could quote a secret, so only its position is shown.
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        let why = format!(
            "it is not valid at line {}, column {}",
            error.line(),
            error.column()
        );
        unusable(path, &why)
    })
}

fn unusable(path: &Path, why: &str) -> Error {
    let message = format!(
        "cannot read the credentials in {}: {why}",
        crate::escape::path(path)
    );
    Error::new(ErrorKind::Configuration, message)
}

impl Config {
    fn find(
        &self,
        host: &str,
        repository: &str,
        path: &Path,
        asking: (&Environment, Duration),
    ) -> Result<Option<Credentials>, Error> {
        let is_hub = is_docker_hub(host);
        let server = if is_hub { DOCKER_HUB_KEY } else { host };
        let helper = self.cred_helpers.get(server).or_else(|| {
            let name = if is_hub { "docker.io" } else { host };
            self.cred_helpers.get(name)
        });
        if let Some(helper) = helper {
            return helper::ask(helper, server, asking);
        }
        if !self.creds_store.is_empty()
            && let Some(found) = helper::ask(&self.creds_store, server, asking)?
        {
            return Ok(Some(found));
        }
        match self.entry(host, repository) {
            Some(entry) => entry.credentials().map_err(|why| unusable(path, why)),
            None => Ok(None),
        }
    }

    /// Returns the most specific entry: Podman also stores credentials for single repositories.
    fn entry(&self, host: &str, repository: &str) -> Option<&AuthEntry> {
        let registry = if is_docker_hub(host) {
            "docker.io"
        } else {
            host
        };
        let mut names = Vec::new();
        let mut path = repository;
        while !path.is_empty() {
            names.push(format!("{registry}/{path}"));
            path = path.rsplit_once('/').map_or("", |(above, _)| above);
        }
        names.push(registry.to_owned());
        let found = names.iter().find_map(|name| self.auths.get(name));
        found.or_else(|| {
            let mut all = self.auths.iter();
            let (_, entry) = all.find(|(key, _)| key_host(key) == host_key(host))?;
            Some(entry)
        })
    }
}

/// Returns true for the hosts of Docker Hub.
fn is_docker_hub(host: &str) -> bool {
    matches!(
        host,
        "docker.io" | "index.docker.io" | "registry-1.docker.io"
    )
}

/// Returns the host of a key, which may be a URL written by older tools.
fn key_host(key: &str) -> &str {
    let plain = key
        .strip_prefix("https://")
        .or_else(|| key.strip_prefix("http://"));
    let Some(plain) = plain else {
        return key;
    };
    plain.split('/').next().unwrap_or_default()
}

/// Returns the name of a host that is used in keys.
fn host_key(host: &str) -> &str {
    if is_docker_hub(host) {
        "index.docker.io"
    } else {
        host
    }
}

impl AuthEntry {
    fn credentials(&self) -> Result<Option<Credentials>, &'static str> {
        if !self.identitytoken.is_empty() {
            return Ok(Some(Credentials::Identity(self.identitytoken.clone())));
        }
        let password = |user: &str, password: &str| {
            (!user.is_empty()).then(|| Credentials::Password {
                user: user.to_owned(),
                password: password.to_owned(),
            })
        };
        if self.auth.is_empty() {
            return Ok(password(&self.username, &self.password));
        }
        let decoded = STANDARD.decode(self.auth.trim()).ok();
        let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        let decoded = decoded.ok_or("an `auth` is not base64")?;
        let (user, secret) = decoded.split_once(':').ok_or("an `auth` has no `:`")?;
        Ok(password(user, secret.trim_matches('\0')))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::Reference;
    use super::*;

    const LIMIT: Duration = Duration::from_secs(1);

    fn credentials_in(config: &str, host: &str, image: &str) -> Option<Credentials> {
        let config: Config = serde_json::from_str(config).unwrap();
        let image = Reference::parse(image).unwrap();
        config
            .find(
                host,
                image.repository(),
                Path::new("config.json"),
                (&Environment::of_process(), LIMIT),
            )
            .unwrap()
    }

    fn user(config: &str, host: &str, image: &str) -> Option<String> {
        match credentials_in(config, host, image)? {
            Credentials::Password { user, .. } => Some(user),
            Credentials::Identity(token) => Some(token),
        }
    }

    #[test]
    fn the_most_specific_entry_is_used() {
        // dTpw is u:p, bjpw is n:p, aDpw is h:p.
        let config = r#"{"auths": {"r.example": {"auth": "dTpw"}, "r.example/team": {"auth": "bjpw"},
            "https://index.docker.io/v1/": {"auth": "aDpw"}, "https://old.example/v2/": {"identitytoken": "t"}}}"#;
        let at = |host, image| user(config, host, image);
        assert_eq!(at("r.example", "r.example/a").as_deref(), Some("u"));
        assert_eq!(at("r.example", "r.example/team/a/b").as_deref(), Some("n"));
        assert_eq!(at("registry-1.docker.io", "a").as_deref(), Some("h"));
        assert_eq!(at("old.example", "old.example/a").as_deref(), Some("t"));
        assert_eq!(at("other.example", "other.example/a"), None);
        assert_eq!(at("r.example:5000", "r.example:5000/a"), None);
        assert_eq!(at("notdocker.io", "notdocker.io/a"), None);
    }

    #[test]
    fn errors_about_broken_entries_name_the_file() {
        for auth in ["!", "dTo6", "dQ=="] {
            let text = format!(r#"{{"auths": {{"r.example": {{"auth": "{auth}"}}}}}}"#);
            let config: Config = serde_json::from_str(&text).unwrap();
            let found = config.find(
                "r.example",
                "a",
                Path::new("/x/auth.json"),
                (&Environment::of_process(), LIMIT),
            );
            assert!(auth == "dTo6" || found.unwrap_err().to_string().contains("/x/auth.json"));
        }
        assert_eq!(
            format!("{:?}", Credentials::Identity("secret".into())),
            "Identity"
        );
    }
}
