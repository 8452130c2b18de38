//! References to images: `registry.example.com/team/plugin:v1.4@sha256:…`.
//!
//! The grammar is that of
//! [distribution](https://pkg.go.dev/github.com/distribution/reference#pkg-overview), and short
//! names are completed in the same way as by Docker: `plugin` is `docker.io/library/plugin:latest`.

use std::fmt;
use std::sync::OnceLock;

use regex::Regex;

use super::digest::Digest;
use super::error::{Error, ErrorKind};

/// The prefix of references on command lines.
pub(crate) const SCHEME: &str = "docker://";

/// The registry of references that do not name one.
const DOCKER_HUB: &str = "docker.io";

/// The host that serves the images of Docker Hub.
const DOCKER_HUB_API: &str = "registry-1.docker.io";

/// A reference whose name has not been split into registry and repository.
const REFERENCE: &str = r"(?x)^ (?<name> [^@]+?) (?: : (?<tag> [A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))? (?: @ (?<digest> .+))? $";

/// A registry, with its port if one is given.
const REGISTRY: &str = r"(?x)^
    (?: \[ [0-9a-fA-F:]+ \] | [a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])? (?: \. [a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)* )
    (?: : [0-9]{1,5})? $";

/// A repository: components of words that are separated by `.`, `_`, `__` or dashes.
const REPOSITORY: &str = r"(?x)^ [a-z0-9]+ (?: (?: \. | __? | -+ | / ) [a-z0-9]+ )* $";

/// The maximum length of a repository in bytes.
const MAX_REPOSITORY: usize = 255;

/// The maximum length of a reference in bytes.
const MAX_REFERENCE: usize = 1024;

/// A reference to an image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    registry: String,
    repository: String,
    tag: Option<String>,
    digest: Option<Digest>,
}

impl Reference {
    /// Parses a reference, with or without `docker://`.
    ///
    /// ```
    /// use nri_compat::registry::Reference;
    ///
    /// let short = Reference::parse("docker://team/plugin")?;
    /// assert_eq!(short.to_string(), "docker.io/team/plugin:latest");
    /// assert!(Reference::parse("registry.example.com/Team/plugin").is_err());
    /// # Ok::<(), nri_compat::registry::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the text breaks the grammar.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let plain = text.strip_prefix(SCHEME).unwrap_or(text);
        let is_short = plain.len() <= MAX_REFERENCE;
        let parsed = is_short.then(|| parse(plain)).flatten();
        parsed.ok_or_else(|| {
            let shown = crate::escape::short(plain);
            let message = format!("`{shown}` is not an image reference");
            Error::new(ErrorKind::Reference, message).with_help(
                "write REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST, with a repository in lower case",
            )
        })
    }

    /// Returns true if a bare argument clearly means an image: it has a tag or a digest, or a registry
    /// that does not look like the name of a folder. A name without a slash never does.
    pub(crate) fn is_evident(text: &str) -> bool {
        let (Ok(reference), Some((first, _))) = (Self::parse(text), text.split_once('/')) else {
            return false;
        };
        reference.tag.is_some() || reference.digest.is_some() || is_evident_host(first)
    }

    /// Returns the registry, with its port if one is given: `docker.io`.
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// Returns the host to ask for the images of the registry, with its port.
    pub(super) fn host(&self) -> &str {
        if self.registry == DOCKER_HUB {
            DOCKER_HUB_API
        } else {
            &self.registry
        }
    }

    /// Returns the name of the repository in the registry: `library/plugin`.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// Returns the digest, if one is given. It takes precedence over the tag.
    pub fn digest(&self) -> Option<&Digest> {
        self.digest.as_ref()
    }

    /// Returns the tag; `latest` if none is given.
    pub fn tag(&self) -> &str {
        self.tag.as_deref().unwrap_or("latest")
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.repository)?;
        match (&self.tag, &self.digest) {
            (Some(tag), Some(digest)) => write!(f, ":{tag}@{digest}"),
            (None, Some(digest)) => write!(f, "@{digest}"),
            (_, None) => write!(f, ":{}", self.tag()),
        }
    }
}

/// The grammar.
struct Grammar {
    reference: Regex,
    registry: Regex,
    repository: Regex,
}

/// Returns the grammar; `None` if an expression is malformed, which a test excludes.
fn grammar() -> Option<&'static Grammar> {
    static GRAMMAR: OnceLock<Option<Grammar>> = OnceLock::new();
    let build = || {
        Some(Grammar {
            reference: Regex::new(REFERENCE).ok()?,
            registry: Regex::new(REGISTRY).ok()?,
            repository: Regex::new(REPOSITORY).ok()?,
        })
    };
    GRAMMAR.get_or_init(build).as_ref()
}

fn parse(text: &str) -> Option<Reference> {
    let grammar = grammar()?;
    let parts = grammar.reference.captures(text)?;
    let part = |name| parts.name(name).map(|part| part.as_str());
    let (registry, repository) = split(part("name")?);
    let port = registry.rsplit_once(':').map(|(_, port)| port);
    let is_port = |port: &str| port.ends_with(']') || port.parse::<u16>().is_ok();
    let is_valid = grammar.registry.is_match(registry)
        && port.is_none_or(is_port)
        && repository.len() <= MAX_REPOSITORY
        && grammar.repository.is_match(&repository);
    let digest = match part("digest") {
        Some(digest) => Some(Digest::parse(digest)?),
        None => None,
    };
    is_valid.then(|| Reference {
        registry: registry.to_owned(),
        repository,
        tag: part("tag").map(str::to_owned),
        digest,
    })
}

/// Separates the registry from the repository, and completes short names, by the rules of Docker.
fn split(name: &str) -> (&str, String) {
    let is_host = |first: &str| {
        first.contains(['.', ':'])
            || first == "localhost"
            || first.bytes().any(|byte| byte.is_ascii_uppercase())
    };
    let (registry, rest) = match name.split_once('/') {
        Some(("index.docker.io", rest)) => (DOCKER_HUB, rest),
        Some((first, rest)) if is_host(first) => (first, rest),
        Some(_) | None => (DOCKER_HUB, name),
    };
    let is_official = registry == DOCKER_HUB && !rest.contains('/');
    let folder = if is_official { "library/" } else { "" };
    (registry, format!("{folder}{rest}"))
}

/// Returns true if the first component of an argument is more likely a registry than a folder such
/// as `conf.d`.
fn is_evident_host(first: &str) -> bool {
    let host = first.rsplit_once(':').map_or(first, |(host, _)| host);
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_domain = host.contains('.')
        && last.len() >= 2
        && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    host == "localhost"
        || first.contains(':')
        || is_domain
        || host.parse::<std::net::IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_completed() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for (text, whole) in [
            ("plugin", "docker.io/library/plugin:latest"),
            ("docker.io/plugin", "docker.io/library/plugin:latest"),
            ("index.docker.io/team/plugin:1", "docker.io/team/plugin:1"),
            ("team/plugin", "docker.io/team/plugin:latest"),
            ("localhost/plugin", "localhost/plugin:latest"),
            ("localhost:5000/a/b__c:1.0", "localhost:5000/a/b__c:1.0"),
            ("docker://r.example/a", "r.example/a:latest"),
            ("[::1]:5000/a:x", "[::1]:5000/a:x"),
            ("Registry/a", "Registry/a:latest"),
            (
                &format!("r.example/a:t@{digest}"),
                &format!("r.example/a:t@{digest}"),
            ),
        ] {
            assert_eq!(Reference::parse(text).expect(text).to_string(), whole);
        }
        assert_eq!(
            Reference::parse("a").unwrap().host(),
            "registry-1.docker.io"
        );
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "a//b",
            "a/B",
            "a/../b",
            "r.example/a___b",
            "r.example/-a",
            "a:",
            "a:-x",
            "a:\u{4dc}",
            &format!("a:{}", "x".repeat(129)),
            "a@sha256:12",
            "a@b@c",
            "r.example:99999/a",
            "r..example/a",
            "-r.example/a",
            "user:password@r.example/a",
            &format!("r.example/{}", "a".repeat(256)),
            "r.example/a\u{1b}[31m",
            "r.example/a\n",
        ] {
            let error = Reference::parse(text).expect_err(text).to_string();
            assert!(error.contains("is not an image reference"), "{error}");
            assert!(!error.contains(['\u{1b}', '\n']), "{error}");
        }
    }

    #[test]
    fn an_argument_is_an_image_only_if_it_cannot_be_a_path() {
        for (text, evident) in [
            ("registry.example.com/team/plugin", true),
            ("registry.example.com/team/plugin:v1", true),
            ("127.0.0.1:5000/plugin", true),
            ("localhost/plugin", true),
            ("team/plugin:v1", true),
            ("plugins/foo", false),
            ("conf.d/foo", false),
            ("main.go:12", false),
            ("plugin", false),
            ("./plugins/foo:v1", false),
            ("/opt/nri/plugins/10-a", false),
            ("../registry.example.com/a:1", false),
        ] {
            assert_eq!(Reference::is_evident(text), evident, "{text}");
        }
    }
}
