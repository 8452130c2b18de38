//! [`registries.conf`](https://github.com/containers/image/blob/main/docs/containers-registries.conf.5.md)
//! of Podman, skopeo and CRI-O, with the files in `registries.conf.d`.
//!
//! Only the entry with the longest matching prefix applies. Images are read from its mirrors, then
//! from its `location`, which replaces the prefix.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Endpoint, MAX_MIRRORS, read, unusable};
use crate::escape;
use crate::registry::environment::Environment;
use crate::registry::error::{Error, ErrorKind};
use crate::registry::reference::Reference;

/// The system-wide file.
const SYSTEM_FILE: &str = "/etc/containers/registries.conf";

/// The maximum number of files in a folder of drop-ins.
const MAX_FILES: usize = 1000;

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
    pull_from_mirror: PullFromMirror,
}

/// The references for which a mirror is used.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PullFromMirror {
    #[default]
    #[serde(alias = "")]
    All,
    DigestOnly,
    TagOnly,
}

/// A registry entry and the file that contains it.
struct RegistryEntry {
    registry: Registry,
    file: PathBuf,
}

/// Returns the servers to ask for an image; `None` if no entry matches.
///
/// # Errors
///
/// Returns an error if a file cannot be used, or blocks the image.
pub(super) fn servers(
    image: &Reference,
    environment: &Environment,
) -> Result<Option<Vec<Endpoint>>, Error> {
    let mut entries = BTreeMap::new();
    for file in files(environment)? {
        for (prefix, registry) in registries(&file)? {
            let file = file.clone();
            entries.insert(prefix, RegistryEntry { registry, file });
        }
    }
    let matching = entries
        .iter()
        .filter_map(|(prefix, entry)| Some((prefix, entry, rest(prefix, image)?)));
    match matching.max_by_key(|(prefix, _, _)| prefix.len()) {
        Some((prefix, entry, rest)) => entry.servers(prefix, &rest, image).map(Some),
        None => Ok(None),
    }
}

/// Returns the files in the order in which they are read: a later entry replaces an earlier one with
/// the same prefix.
fn files(environment: &Environment) -> Result<Vec<PathBuf>, Error> {
    let set = |name| environment.path(name);
    let own = set("HOME").map(|home| home.join(".config/containers/registries.conf"));
    let has_own = own.as_ref().is_some_and(|path| path.is_file());
    let system = Some(PathBuf::from(SYSTEM_FILE));
    let named = set("CONTAINERS_REGISTRIES_CONF");
    if let Some(path) = named.as_ref().filter(|path| !path.is_file()) {
        return Err(unusable(path, "CONTAINERS_REGISTRIES_CONF names no file"));
    }
    let drop_ins = |path: &Option<PathBuf>| path.as_ref().map(|path| path.with_extension("conf.d"));
    let folders = match set("CONTAINERS_REGISTRIES_CONF_DIR") {
        Some(folder) => vec![Some(folder)],
        None if has_own && named.is_none() => vec![drop_ins(&own)],
        None => vec![drop_ins(&system), drop_ins(&own)],
    };
    let main = named.or(own.filter(|_| has_own)).or(system);
    let mut files: Vec<PathBuf> = main.into_iter().filter(|path| path.is_file()).collect();
    for folder in folders.into_iter().flatten() {
        files.extend(in_folder(&folder)?);
    }
    Ok(files)
}

/// Returns the drop-ins of a folder in the order of their names.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let is_drop_in = |path: &PathBuf| path.extension().is_some_and(|end| end == "conf");
    let mut files: Vec<PathBuf> = paths
        .filter(|path| is_drop_in(path) && path.is_file())
        .take(MAX_FILES + 1)
        .collect();
    if files.len() > MAX_FILES {
        return Err(unusable(
            folder,
            &format!("it has more than {MAX_FILES} files"),
        ));
    }
    files.sort();
    Ok(files)
}

/// Returns the entries of a file by prefix.
fn registries(file: &Path) -> Result<Vec<(String, Registry)>, Error> {
    let conf: RegistriesConf =
        toml::from_str(&read(file)?).map_err(|error| unusable(file, error.message()))?;
    let prefixed = |mut registry: Registry| {
        registry.location = location(&registry.location)?;
        let prefix = location(&registry.prefix)?;
        match (prefix.as_str(), registry.location.as_str()) {
            ("", "") => Err("a registry has neither a prefix nor a location".to_owned()),
            ("", location) => Ok((location.to_owned(), registry)),
            (prefix, "") if !prefix.starts_with("*.") && !registry.blocked => {
                Err(format!("the registry `{prefix}` has no location"))
            }
            _ => Ok((prefix, registry)),
        }
    };
    let all = conf.registry.into_iter().map(prefixed);
    all.collect::<Result<_, String>>()
        .map_err(|why| unusable(file, &why))
}

/// Returns a location without trailing slashes.
fn location(text: &str) -> Result<String, String> {
    if text.starts_with("http://") || text.starts_with("https://") {
        return Err(format!("`{text}` has a scheme; write it without one"));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Returns the part of the name of an image after a prefix, without tag and digest; `None` if it has
/// another prefix.
fn rest(prefix: &str, image: &Reference) -> Option<String> {
    let selector = match image.digest() {
        Some(digest) => format!("@{digest}"),
        None => format!(":{}", image.tag()),
    };
    let name = format!("{}/{}{selector}", image.registry(), image.repository());
    let rest = match prefix.strip_prefix("*.") {
        Some(_) => {
            let domain = prefix.trim_start_matches('*');
            let (host, rest) = name.split_once(domain)?;
            (!host.contains('/')).then_some(rest)?
        }
        None => name.strip_prefix(prefix)?,
    };
    let is_whole = rest.is_empty() || rest.starts_with([':', '/', '@']);
    is_whole.then(|| rest.strip_suffix(&selector).unwrap_or_default().to_owned())
}

impl RegistryEntry {
    fn servers(&self, prefix: &str, rest: &str, image: &Reference) -> Result<Vec<Endpoint>, Error> {
        let registry = &self.registry;
        if registry.blocked {
            let file = escape::path(&self.file);
            let message = format!(
                "{} is blocked in {file} (prefix `{prefix}`)",
                image.registry()
            );
            return Err(Error::new(ErrorKind::Denied, message)
                .with_help("check an image from a registry that is not blocked"));
        }
        let mirrors = registry.mirror.iter().filter(|mirror| {
            let digests_only = registry.mirror_by_digest_only
                || mirror.pull_from_mirror == PullFromMirror::DigestOnly;
            let tags_only = mirror.pull_from_mirror == PullFromMirror::TagOnly;
            if image.digest().is_some() {
                !tags_only
            } else {
                !digests_only
            }
        });
        let mirrors = mirrors.take(MAX_MIRRORS);
        let mut all: Vec<Endpoint> = mirrors
            .map(|mirror| self.endpoint(&mirror.location, rest))
            .collect::<Result<_, _>>()?;
        all.push(match registry.location.as_str() {
            "" => Endpoint::of(image),
            location => self.endpoint(location, rest)?,
        });
        Ok(all)
    }

    /// Returns the server of a location: `mirror.example/cache`. Locations follow the grammar of
    /// references, so they cannot lead elsewhere.
    fn endpoint(&self, text: &str, rest: &str) -> Result<Endpoint, Error> {
        let wrong = |why: &str| {
            let shown = escape::bytes(text.as_bytes());
            unusable(&self.file, &format!("the location `{shown}` {why}"))
        };
        let whole = format!(
            "{}{rest}",
            location(text).map_err(|why| unusable(&self.file, &why))?
        );
        let known = Reference::parse(&whole).map_err(|_| wrong("is not a host with a path"))?;
        if !whole.starts_with(&format!("{}/", known.registry())) {
            return Err(wrong("does not start with a host"));
        }
        if whole != format!("{}/{}", known.registry(), known.repository()) {
            return Err(wrong("has a tag or a digest, which is not supported"));
        }
        Ok(Endpoint::new(known.host(), known.repository()))
    }
}

#[cfg(test)]
mod tests;
