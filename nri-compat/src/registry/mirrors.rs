//! Mirrors, as the machine is configured with them for podman and CRI-O (`registries.conf`) and for
//! containerd (`hosts.toml`).
//!
//! Only what decides where an image is read is taken from these files. What they say about insecure
//! connections is not: `--insecure` decides that.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::environment::Environment;
use super::error::{Error, ErrorKind};
use super::location::Location;
use super::reference::Reference;

/// The maximum size of a file in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The maximum number of mirrors of one image.
const MAX_MIRRORS: usize = 16;

/// A server that has the images of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// The host, with its port if one is given.
    pub(super) host: String,
    /// The name of the repository there.
    pub(super) repository: String,
    /// True if it is asked for digests only.
    pub(super) digests_only: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RegistriesConf {
    registry: Vec<Registry>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Registry {
    prefix: String,
    location: String,
    blocked: bool,
    mirror_by_digest_only: bool,
    mirror: Vec<Mirror>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Mirror {
    location: String,
    pull_from_mirror: String,
}

/// Returns the servers to ask for an image, mirrors first, the registry itself last.
///
/// # Errors
///
/// Returns an error if a configuration cannot be read, or blocks the registry.
pub(super) fn of(image: &Reference, environment: &Environment) -> Result<Vec<Endpoint>, Error> {
    let mut all = match registries_conf(environment) {
        Some(path) => in_registries_conf(&path, image)?,
        None => Vec::new(),
    };
    if all.is_empty() {
        all = in_hosts_toml(image, environment)?;
    }
    all.truncate(MAX_MIRRORS);
    let own = Endpoint {
        host: image.host().to_owned(),
        repository: image.repository().to_owned(),
        digests_only: false,
    };
    if all.iter().all(|one| one.digests_only || one != &own) {
        all.push(own);
    }
    Ok(all)
}

fn registries_conf(environment: &Environment) -> Option<PathBuf> {
    let set = |name| environment.path(name);
    let user = set("HOME").map(|home| home.join(".config/containers/registries.conf"));
    let all = [
        set("CONTAINERS_REGISTRIES_CONF"),
        user,
        Some("/etc/containers/registries.conf".into()),
    ];
    all.into_iter().flatten().find(|path| path.is_file())
}

fn read(path: &Path) -> Result<String, Error> {
    let size = std::fs::metadata(path)
        .map_err(|error| unusable(path, &error.to_string()))?
        .len();
    if size > MAX_FILE {
        return Err(unusable(path, "it is too large"));
    }
    std::fs::read_to_string(path).map_err(|error| unusable(path, &error.to_string()))
}

fn unusable(path: &Path, why: &str) -> Error {
    let message = format!(
        "cannot read {}: {}",
        crate::escape::path(path),
        why.trim_end().replace('\n', " ")
    );
    Error::new(ErrorKind::Configuration, message)
}

fn in_registries_conf(path: &Path, image: &Reference) -> Result<Vec<Endpoint>, Error> {
    let text = read(path)?;
    let conf: RegistriesConf =
        toml::from_str(&text).map_err(|error| unusable(path, error.message()))?;
    let name = format!("{}/{}", image.registry(), image.repository());
    let matching = conf
        .registry
        .iter()
        .filter_map(|one| Some((one, one.rest(&name)?)));
    let Some((registry, rest)) = matching.min_by_key(|(_, rest)| rest.len()) else {
        return Ok(Vec::new());
    };
    if registry.blocked {
        let message = format!(
            "{} is blocked by {}",
            image.registry(),
            crate::escape::path(path)
        );
        return Err(Error::new(ErrorKind::Denied, message));
    }
    let mirrors = registry.mirror.iter().filter_map(|mirror| {
        let digests_only =
            registry.mirror_by_digest_only || mirror.pull_from_mirror == "digest-only";
        endpoint(&mirror.location, rest, digests_only)
    });
    let moved = (!registry.location.is_empty()).then(|| endpoint(&registry.location, rest, false));
    Ok(mirrors.chain(moved.flatten()).collect())
}

/// Returns the server of a location: `mirror.example/cache`.
fn endpoint(location: &str, rest: &str, digests_only: bool) -> Option<Endpoint> {
    let whole = format!("{location}{rest}");
    let (host, repository) = whole.split_once('/')?;
    // Locations follow the grammar of references, so they cannot lead elsewhere.
    let known = Reference::parse(&whole).ok()?;
    (known.registry() == host).then(|| Endpoint {
        host: known.host().to_owned(),
        repository: repository.to_owned(),
        digests_only,
    })
}

impl Registry {
    /// Returns the part of a name after the prefix of this entry; `None` if it has another one.
    fn rest<'n>(&self, name: &'n str) -> Option<&'n str> {
        let prefix = if self.prefix.is_empty() {
            &self.location
        } else {
            &self.prefix
        };
        if let Some(domain) = prefix.strip_prefix("*.") {
            let (host, _) = name.split_once('/')?;
            let is_within = host.strip_suffix(domain)?.ends_with('.');
            return is_within.then(|| name.get(host.len()..)).flatten();
        }
        let rest = name.strip_prefix(prefix.as_str())?;
        (!prefix.is_empty() && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
    }
}

/// Returns the mirrors in `/etc/containerd/certs.d/HOST/hosts.toml`, in their order.
fn in_hosts_toml(image: &Reference, environment: &Environment) -> Result<Vec<Endpoint>, Error> {
    let base = environment.path("CONTAINERD_CERTS_D");
    let base = base.unwrap_or_else(|| "/etc/containerd/certs.d".into());
    let names = [image.registry(), "_default"];
    let mut paths = names.iter().map(|name| base.join(name).join("hosts.toml"));
    match paths.find(|path| path.is_file()) {
        Some(path) => hosts(&read(&path)?, image).map_err(|why| unusable(&path, &why)),
        None => Ok(Vec::new()),
    }
}

fn hosts(text: &str, image: &Reference) -> Result<Vec<Endpoint>, String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Hosts {
        // The table keeps no order, which `toml` would only do with another map.
        host: toml::Table,
    }
    let hosts: Hosts = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let mut all: Vec<(usize, Endpoint)> = Vec::new();
    for (url, host) in &hosts.host {
        let capabilities = host.get("capabilities").and_then(toml::Value::as_array);
        let can = |wanted: &str| {
            capabilities.is_none_or(|all| all.iter().any(|one| one.as_str() == Some(wanted)))
        };
        let full = if url.contains("://") {
            url.clone()
        } else {
            format!("https://{url}")
        };
        let Some(url_parts) = Location::parse(&full).filter(|_| can("pull")) else {
            continue;
        };
        let prefix = url_parts
            .path
            .trim_matches('/')
            .trim_start_matches("v2")
            .trim_matches('/');
        let repository = match prefix {
            "" => image.repository().to_owned(),
            prefix => format!("{prefix}/{}", image.repository()),
        };
        let endpoint = Endpoint {
            host: url_parts.host,
            repository,
            digests_only: !can("resolve"),
        };
        all.push((text.find(url.as_str()).unwrap_or(usize::MAX), endpoint));
    }
    all.sort_by_key(|(position, _)| *position);
    Ok(all.into_iter().map(|(_, endpoint)| endpoint).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str) -> Reference {
        Reference::parse(text).unwrap()
    }

    fn shown(all: &[Endpoint]) -> Vec<String> {
        let mark = |one: &Endpoint| if one.digests_only { " (digests)" } else { "" };
        all.iter()
            .map(|one| format!("{}/{}{}", one.host, one.repository, mark(one)))
            .collect()
    }

    #[test]
    fn the_longest_prefix_of_registries_conf_decides() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("registries.conf");
        let text = r#"
            unqualified-search-registries = ["docker.io"]
            [[registry]]
            location = "r.example"
            [[registry.mirror]]
            location = "wide.example"
            [[registry]]
            prefix = "r.example/team"
            location = "moved.example/x"
            mirror-by-digest-only = true
            [[registry.mirror]]
            location = "mirror.example:5000/cache"
            insecure = true
            [[registry]]
            prefix = "*.bad.example"
            blocked = true
        "#;
        std::fs::write(&path, text).unwrap();
        let mirrors = |name: &str| in_registries_conf(&path, &image(name)).map(|all| shown(&all));
        assert_eq!(
            mirrors("r.example/a").unwrap(),
            ["wide.example/a", "r.example/a"]
        );
        assert_eq!(
            mirrors("r.example/team/a").unwrap(),
            ["mirror.example:5000/cache/a (digests)", "moved.example/x/a"]
        );
        assert_eq!(
            mirrors("r.example/teams/a").unwrap(),
            ["wide.example/teams/a", "r.example/teams/a"]
        );
        assert_eq!(mirrors("other.example/a").unwrap(), [""; 0]);
        assert_eq!(
            mirrors("x.bad.example/a").unwrap_err().kind(),
            ErrorKind::Denied
        );
        std::fs::write(&path, "[[registry]\n").unwrap();
        assert_eq!(
            mirrors("r.example/a").unwrap_err().kind(),
            ErrorKind::Configuration
        );
    }

    #[test]
    fn hosts_toml_keeps_its_order() {
        let text = r#"
            server = "https://r.example"
            [host."https://z.example:5000"]
            capabilities = ["pull"]
            [host."https://a.example/v2/cache"]
            capabilities = ["pull", "resolve"]
            [host."https://push.example"]
            capabilities = ["push"]
        "#;
        let all = hosts(text, &image("r.example/team/a")).unwrap();
        assert_eq!(
            shown(&all),
            ["z.example:5000/team/a (digests)", "a.example/cache/team/a"]
        );
    }
}
