//! [`registries.conf`](https://github.com/containers/image/blob/main/docs/containers-registries.conf.5.md)
//! of podman, skopeo and CRI-O, with the files in `registries.conf.d`.
//!
//! The entry with the longest matching prefix decides alone where an image is read: at its mirrors,
//! then at its `location`, which replaces the prefix.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Endpoint, MAX_MIRRORS, read, unusable};
use crate::escape;
use crate::registry::environment::Environment;
use crate::registry::error::{Error, ErrorKind};
use crate::registry::reference::Reference;

/// The file of the machine.
const SYSTEM: &str = "/etc/containers/registries.conf";

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
    pull_from_mirror: Use,
}

/// The references that a mirror is asked for.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Use {
    #[default]
    #[serde(alias = "")]
    All,
    DigestOnly,
    TagOnly,
}

/// An entry with the file that it is from.
struct Entry {
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
            entries.insert(prefix, Entry { registry, file });
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
    let system = Some(PathBuf::from(SYSTEM));
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

impl Entry {
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
            let digests_only =
                registry.mirror_by_digest_only || mirror.pull_from_mirror == Use::DigestOnly;
            let tags_only = mirror.pull_from_mirror == Use::TagOnly;
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
mod tests {
    use super::super::shown;
    use super::*;

    /// A home with configuration files, and nothing else of the machine.
    struct Home(tempfile::TempDir);

    impl Home {
        fn with(files: &[(&str, &str)]) -> Self {
            let home = tempfile::tempdir().unwrap();
            let folder = home.path().join(".config/containers");
            std::fs::create_dir_all(folder.join("registries.conf.d")).unwrap();
            for (name, text) in files {
                std::fs::write(folder.join(name), text).unwrap();
            }
            Self(home)
        }

        fn servers(&self, image: &str) -> Result<Vec<String>, Error> {
            let home = self.0.path().to_str().unwrap();
            let image = Reference::parse(image).unwrap();
            let all = servers(&image, &Environment::from([("HOME", home)]))?;
            Ok(all.map(|all| shown(&all)).unwrap_or_default())
        }
    }

    const WIDE: &str = r#"
        unqualified-search-registries = ["docker.io"]
        [[registry]]
        location = "r.example"
        [[registry.mirror]]
        location = "wide.example/"
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
        [[registry]]
        prefix = "*.any.example"
        [[registry.mirror]]
        location = "tags.example"
        pull-from-mirror = "tag-only"
        [[registry.mirror]]
        location = "digests.example"
        pull-from-mirror = "digest-only"
        [[registry.mirror]]
        location = "all.example"
        pull-from-mirror = "all"
        [[registry]]
        prefix = "*.moved.example/old"
        location = "new.example"
        [[registry]]
        prefix = "docker.io/library"
        location = "hub.example/official"
        [[registry]]
        prefix = "r.example/one/image:v1"
        location = "pinned.example/image"
    "#;

    #[test]
    fn the_longest_prefix_decides_alone() {
        let home = Home::with(&[("registries.conf", WIDE)]);
        let digest = format!("sha256:{}", "0".repeat(64));
        let at = |image: &str| home.servers(&image.replace('D', &digest)).unwrap();
        assert_eq!(
            at("r.example/a"),
            ["wide.example/v2/a/x", "r.example/v2/a/x"]
        );
        assert_eq!(at("r.example/team/a"), ["moved.example/v2/x/a/x"]);
        assert_eq!(
            at("r.example/team/a@D"),
            ["mirror.example:5000/v2/cache/a/x", "moved.example/v2/x/a/x"]
        );
        assert_eq!(at("r.example/teams/a")[0], "wide.example/v2/teams/a/x");
        let tags = [
            "tags.example/v2/a/x",
            "all.example/v2/a/x",
            "x.any.example/v2/a/x",
        ];
        assert_eq!(at("x.any.example/a:v1"), tags);
        let digests = [
            "digests.example/v2/a/x",
            "all.example/v2/a/x",
            "x.any.example/v2/a/x",
        ];
        assert_eq!(at("x.any.example/a:v1@D"), digests);
        assert_eq!(at("any.example/a"), [""; 0]);
        assert_eq!(at("x.moved.example/old/a/b"), ["new.example/v2/a/b/x"]);
        assert_eq!(at("x.moved.example/new"), [""; 0]);
        assert_eq!(at("plugin"), ["hub.example/v2/official/plugin/x"]);
        assert_eq!(at("r.example/one/image:v1"), ["pinned.example/v2/image/x"]);
        assert_eq!(
            at("r.example/one/image:v2")[0],
            "wide.example/v2/one/image/x"
        );
        let blocked = home.servers("x.bad.example/a").unwrap_err();
        assert_eq!(blocked.kind(), ErrorKind::Denied);
        assert!(
            blocked.to_string().contains("(prefix `*.bad.example`)"),
            "{blocked}"
        );
    }

    #[test]
    fn drop_ins_replace_entries_in_the_order_of_their_names() {
        let entry = |location: &str| {
            format!("[[registry]]\nprefix = \"r.example\"\nlocation = \"{location}\"\n")
        };
        let mut files = vec![
            ("registries.conf.d/20-b.conf", entry("b.example")),
            ("registries.conf.d/10-a.conf", entry("a.example")),
            ("registries.conf.d/30-c.conf.bak", entry("c.example")),
            (
                "registries.conf.d/15-other.conf",
                "[aliases]\n\"a\" = \"b.example/a\"\n".to_owned(),
            ),
        ];
        for _ in 0..2 {
            let all: Vec<_> = files
                .iter()
                .map(|(name, text)| (*name, text.as_str()))
                .collect();
            assert_eq!(
                Home::with(&all).servers("r.example/a").unwrap(),
                ["b.example/v2/a/x"]
            );
            files.push(("registries.conf", entry("main.example")));
        }
        files.push(("registries.conf.d/99-z.conf", "[[registry]\n".to_owned()));
        let all: Vec<_> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let error = Home::with(&all).servers("r.example/a").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains("99-z.conf"), "{error}");
    }

    #[test]
    fn variables_name_the_file_and_the_folder() {
        let home = Home::with(&[
            ("other.conf", "[[registry]]\nlocation = \"r.example\"\n"),
            (
                "registries.conf.d/a.conf",
                "[[registry]]\nprefix = \"s.example\"\nlocation = \"t.example\"\n",
            ),
        ]);
        let folder = home.0.path().join(".config/containers");
        let (file, drop_ins) = (folder.join("other.conf"), folder.join("registries.conf.d"));
        let at = |file: &Path, image: &str| {
            let environment = Environment::from([
                ("CONTAINERS_REGISTRIES_CONF", file.to_str().unwrap()),
                ("CONTAINERS_REGISTRIES_CONF_DIR", drop_ins.to_str().unwrap()),
            ]);
            servers(&Reference::parse(image).unwrap(), &environment)
        };
        assert_eq!(
            shown(&at(&file, "r.example/a").unwrap().unwrap()),
            ["r.example/v2/a/x"]
        );
        assert_eq!(
            shown(&at(&file, "s.example/a").unwrap().unwrap()),
            ["t.example/v2/a/x"]
        );
        let error = at(&folder.join("missing.conf"), "r.example/a")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("missing.conf: CONTAINERS_REGISTRIES_CONF names no file"),
            "{error}"
        );
    }

    #[test]
    fn entries_that_lead_nowhere_are_errors() {
        for (entry, why) in [
            ("", "neither a prefix nor a location"),
            ("prefix = \"r.example\"", "has no location"),
            ("location = \"https://r.example\"", "has a scheme"),
            (
                "prefix = \"r.example\"\nlocation = \"mirror\"",
                "does not start with a host",
            ),
            (
                "prefix = \"r.example\"\nlocation = \"m.example/A\"",
                "is not a host with a path",
            ),
            (
                "prefix = \"r.example/a\"\nlocation = \"m.example/a:v1\"",
                "has a tag",
            ),
            (
                "location = \"r.example\"\n[[registry.mirror]]\nlocation = \"\"",
                "is not a host",
            ),
            (
                "location = \"r.example\"\n[[registry.mirror]]\nlocation = \"m.example\"\npull-from-mirror = \"never\"",
                "unknown variant",
            ),
        ] {
            let home = Home::with(&[("registries.conf", &format!("[[registry]]\n{entry}\n"))]);
            let error = home.servers("r.example/a").expect_err(entry);
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(why), "{entry}: {error}");
        }
    }
}
