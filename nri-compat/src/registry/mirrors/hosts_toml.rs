//! [`hosts.toml`](https://github.com/containerd/containerd/blob/main/docs/hosts.md) of containerd.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::{API, Endpoint, MAX_MIRRORS, read, unusable};
use crate::registry::environment::Environment;
use crate::registry::error::Error;
use crate::registry::location::{Location, split_port};
use crate::registry::reference::Reference;

/// The default folder of containerd.
const DEFAULT_FOLDER: &str = "/etc/containerd/certs.d";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Hosts {
    server: String,
    capabilities: Vec<String>,
    override_path: bool,
    host: BTreeMap<Spanned<String>, Host>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Host {
    capabilities: Vec<String>,
    override_path: bool,
}

/// Returns the servers to ask for an image; `None` if there is no file for its registry.
///
/// # Errors
///
/// Returns an error if the file cannot be used.
pub(super) fn servers(
    image: &Reference,
    environment: &Environment,
) -> Result<Option<Vec<Endpoint>>, Error> {
    let base = environment.path("CONTAINERD_CERTS_D");
    match file(
        &base.unwrap_or_else(|| DEFAULT_FOLDER.into()),
        image.registry(),
    ) {
        Some(path) => parse(&read(&path)?, image)
            .map(Some)
            .map_err(|why| unusable(&path, &why)),
        None => Ok(None),
    }
}

/// Returns the file for a registry, else the default one.
fn file(base: &Path, registry: &str) -> Option<PathBuf> {
    // Some file systems do not allow colons in names.
    let plain = split_port(registry).map(|(host, port)| format!("{host}_{port}_"));
    let names = plain
        .into_iter()
        .chain([registry.to_owned(), "_default".to_owned()]);
    let mut paths = names.map(|name| base.join(name).join("hosts.toml"));
    paths.find(|path| path.is_file())
}

fn parse(text: &str, image: &Reference) -> Result<Vec<Endpoint>, String> {
    let hosts: Hosts = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let mut mirrors: Vec<_> = hosts.host.iter().collect();
    mirrors.sort_by_key(|(url, _)| url.span().start);
    let mut all = Vec::new();
    for (url, host) in mirrors.into_iter().take(MAX_MIRRORS) {
        all.extend(host.endpoint(url.as_ref(), image)?);
    }
    let own = Host {
        capabilities: hosts.capabilities,
        override_path: hosts.override_path,
    };
    if hosts.server.is_empty() {
        all.extend(own.able(Endpoint::of(image)));
    } else {
        all.extend(own.endpoint(&hosts.server, image)?);
    }
    if all.is_empty() {
        return Err("none of its hosts may pull".to_owned());
    }
    Ok(all)
}

impl Host {
    /// Returns the server at a URL; `None` if nothing is pulled from it.
    fn endpoint(&self, url: &str, image: &Reference) -> Result<Option<Endpoint>, String> {
        let full = if url.contains("://") {
            url.to_owned()
        } else {
            format!("https://{url}")
        };
        let location = Location::parse(&full).filter(|location| !location.path.contains('?'));
        let location = location.ok_or_else(|| {
            format!(
                "`{}` is not a URL of a registry",
                crate::escape::bytes(url.as_bytes())
            )
        })?;
        let path = location.path.trim_end_matches('/');
        let base = if self.override_path || path.ends_with(API) {
            path.to_owned()
        } else {
            format!("{path}{API}")
        };
        let is_mirror = location.host != image.registry() && location.host != image.host();
        Ok(self.able(Endpoint {
            namespace: is_mirror.then(|| image.registry().to_owned()),
            ..within_api(&location.host, &base, image.repository())
        }))
    }

    /// Returns the endpoint with the restrictions of its capabilities; `None` if it cannot be pulled
    /// from.
    fn able(&self, endpoint: Endpoint) -> Option<Endpoint> {
        let can = |wanted| {
            self.capabilities.is_empty()
                || self
                    .capabilities
                    .iter()
                    .any(|capability| capability == wanted)
        };
        can("pull").then(|| Endpoint {
            digests_only: !can("resolve"),
            ..endpoint
        })
    }
}

/// Returns a server whose API has this path. The part after `/v2` belongs to the name of the
/// repository, which the server expects in the scope of a token.
fn within_api(host: &str, base: &str, repository: &str) -> Endpoint {
    match base
        .strip_prefix(API)
        .and_then(|rest| rest.strip_prefix('/'))
    {
        Some(project) => Endpoint::new(host, &format!("{project}/{repository}")),
        None => Endpoint {
            base: base.to_owned(),
            ..Endpoint::new(host, repository)
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    fn at(text: &str) -> Result<Vec<String>, String> {
        let image = Reference::parse("r.example:5000/team/a").unwrap();
        parse(text, &image).map(|all| shown(&all))
    }

    #[test]
    fn hosts_keep_their_order_and_the_server_is_last() {
        let text = r#"
            server = "https://z.example"
            [host."https://z.example:5000"]
            capabilities = ["pull"]
            [host."a.example/proxy/"]
            capabilities = ["pull", "resolve"]
            skip_verify = true
            [host."https://b.example/v2"]
            [host."https://harbor.example/v2/project"]
            override_path = true
            [host."https://flat.example/api"]
            override_path = true
            [host."https://push.example"]
            capabilities = ["push"]
            [host."https://r.example:5000"]
        "#;
        assert_eq!(
            at(text).unwrap(),
            [
                "z.example:5000/v2/team/a/x?ns=r.example:5000 (digests)",
                "a.example/proxy/v2/team/a/x?ns=r.example:5000",
                "b.example/v2/team/a/x?ns=r.example:5000",
                "harbor.example/v2/project/team/a/x?ns=r.example:5000",
                "flat.example/api/team/a/x?ns=r.example:5000",
                "r.example:5000/v2/team/a/x",
                "z.example/v2/team/a/x?ns=r.example:5000",
            ]
        );
        let own = [
            "m.example/v2/team/a/x?ns=r.example:5000",
            "r.example:5000/v2/team/a/x",
        ];
        assert_eq!(at("[host.\"http://m.example\"]").unwrap(), own);
        assert_eq!(at("").unwrap(), ["r.example:5000/v2/team/a/x"]);
    }

    #[test]
    fn files_without_usable_servers_are_errors() {
        for (text, why) in [
            ("[host.\"ftp://a.example\"]", "not a URL"),
            ("server = \"https://a.example?b\"", "not a URL"),
            ("[host", "unclosed"),
            ("capabilities = [\"push\"]", "may pull"),
        ] {
            let error = at(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn the_file_of_the_registry_takes_precedence_over_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let at = |registry: &str| {
            let found = file(folder.path(), registry)?;
            Some(found.parent()?.file_name()?.to_str()?.to_owned())
        };
        assert_eq!(at("r.example:5000"), None);
        for name in ["_default", "r.example:5000", "r.example_5000_"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join("hosts.toml"), "").unwrap();
            assert_eq!(at("r.example:5000").as_deref(), Some(name));
        }
        assert_eq!(at("s.example").as_deref(), Some("_default"));
    }
}
