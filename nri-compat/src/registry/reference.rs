//! References to images: `registry.example.com/team/plugin:v1.4@sha256:…`.
//!
//! The grammar is that of
//! [distribution](https://pkg.go.dev/github.com/distribution/reference#pkg-overview), and short
//! names are completed in the same way as by Docker: `plugin` is `docker.io/library/plugin:latest`.

use std::fmt;

use super::digest::Digest;
use super::error::{Error, ErrorKind};

/// The prefix of references on command lines.
pub(crate) const SCHEME: &str = "docker://";

/// The registry of references that do not name one.
const DOCKER_HUB: &str = "docker.io";

/// The host that serves the images of Docker Hub.
const DOCKER_HUB_API: &str = "registry-1.docker.io";

/// The maximum length of a repository in bytes.
const MAX_REPOSITORY: usize = 255;

/// The maximum length of a tag in bytes.
const MAX_TAG: usize = 128;

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
    /// Returns an error that names the part that breaks the grammar.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let plain = text.strip_prefix(SCHEME).unwrap_or(text);
        parts(plain).map_err(|why| wrong(plain, why))
    }

    /// Returns true if a bare argument clearly means an image: it has a tag or a digest, or a registry
    /// that does not look like the name of a folder. A name without a slash never does.
    pub(crate) fn is_evident(text: &str) -> bool {
        let (Ok(reference), Some((first, _))) = (Self::parse(text), text.split_once('/')) else {
            return false;
        };
        let is_named = reference.tag.is_some() && text.ends_with(&format!(":{}", reference.tag()));
        is_named || reference.digest.is_some() || is_evident_host(first)
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

    /// Returns the last part of the path of the manifest: the digest, else the tag.
    pub(super) fn selector(&self) -> String {
        match &self.digest {
            Some(digest) => digest.to_string(),
            None => self.tag().to_owned(),
        }
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

fn wrong(text: &str, why: String) -> Error {
    let shown: String = text.chars().take(MAX_REPOSITORY).collect();
    let message = format!(
        "`{}` is not an image reference: {why}",
        crate::escape::bytes(shown.as_bytes())
    );
    Error::new(ErrorKind::Reference, message)
        .with_help("write REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST")
}

fn parts(text: &str) -> Result<Reference, String> {
    let (name, digest) = match text.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (text, None),
    };
    let digest = digest.map(|digest| {
        Digest::parse(digest)
            .ok_or("its digest is not `sha256:` with 64 digits, or `sha512:` with 128")
    });
    let (name, tag) = match name.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (name, None),
    };
    if tag.is_some_and(|tag| !is_tag(tag)) {
        return Err(format!(
            "its tag is not 1 to {MAX_TAG} letters, digits, `_`, `.` or `-`"
        ));
    }
    let (registry, repository) = registry(name)?;
    check(&repository)?;
    Ok(Reference {
        registry,
        repository,
        tag: tag.map(str::to_owned),
        digest: digest.transpose()?,
    })
}

/// Separates the registry from the repository, and completes short names.
fn registry(name: &str) -> Result<(String, String), String> {
    let (first, rest) = match name.split_once('/') {
        Some((first, rest)) if is_host(first) => (first, rest),
        _ => (DOCKER_HUB, name),
    };
    if !is_valid_host(first) {
        return Err(format!(
            "`{}` is not a host",
            crate::escape::bytes(first.as_bytes())
        ));
    }
    let registry = if first == "index.docker.io" {
        DOCKER_HUB
    } else {
        first
    };
    let is_official = registry == DOCKER_HUB && !rest.contains('/');
    let repository = if is_official {
        format!("library/{rest}")
    } else {
        rest.to_owned()
    };
    Ok((registry.to_owned(), repository))
}

/// Returns true if the first component of a name is a registry, by the rules of Docker.
fn is_host(first: &str) -> bool {
    let has_sign = first.contains(['.', ':']) || first == "localhost";
    has_sign || first.bytes().any(|byte| byte.is_ascii_uppercase())
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

fn is_valid_host(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_address = || {
        let inner = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        inner.is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    port.is_none_or(|port| !port.starts_with('+') && port.parse::<u16>().is_ok())
        && (is_address() || name.split('.').all(is_label))
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=MAX_TAG).contains(&tag.len())
        && tag.bytes().next().is_some_and(is_word)
        && tag
            .bytes()
            .all(|byte| is_word(byte) || byte == b'.' || byte == b'-')
}

/// Checks the components of a repository.
fn check(repository: &str) -> Result<(), String> {
    if repository.len() > MAX_REPOSITORY {
        return Err(format!(
            "its repository is longer than {MAX_REPOSITORY} bytes"
        ));
    }
    match repository
        .split('/')
        .find(|component| !is_component(component))
    {
        None => Ok(()),
        Some("") => Err("a component of its path is empty".to_owned()),
        Some(wrong) if wrong.bytes().any(|byte| byte.is_ascii_uppercase()) => Err(format!(
            "`{}` has upper case letters",
            crate::escape::bytes(wrong.as_bytes())
        )),
        Some(wrong) => Err(format!(
            "`{}` is not a path component",
            crate::escape::bytes(wrong.as_bytes())
        )),
    }
}

/// Returns true if a component consists of words that are separated by `.`, `_`, `__` or dashes.
fn is_component(component: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = component.as_bytes();
    let mut words = bytes.split(|byte| is_letter(byte));
    let ends = [bytes.first(), bytes.last()];
    ends.iter().all(|end| end.is_some_and(is_letter))
        && words.all(|between| {
            matches!(between, b"" | b"." | b"_" | b"__") || between.iter().all(|byte| *byte == b'-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        Reference::parse(text)
            .map_or_else(|error| error.to_string(), |reference| reference.to_string())
    }

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
                &format!("r.example/a@{digest}"),
                &format!("r.example/a@{digest}"),
            ),
            (
                &format!("r.example/a:t@{digest}"),
                &format!("r.example/a:t@{digest}"),
            ),
        ] {
            assert_eq!(parsed(text), whole);
        }
        assert_eq!(
            Reference::parse("a").unwrap().host(),
            "registry-1.docker.io"
        );
    }

    #[test]
    fn errors_name_the_wrong_part() {
        for (text, part) in [
            ("", "path is empty"),
            ("a//b", "path is empty"),
            ("a/B", "upper case"),
            ("a/../b", "not a path component"),
            ("r.example/a___b", "not a path component"),
            ("r.example/-a", "not a path component"),
            ("a:", "tag"),
            ("a:-x", "tag"),
            (&format!("a:{}", "x".repeat(129)), "tag"),
            ("a@sha256:12", "digest"),
            ("a@b@c", "digest"),
            ("r.example:99999/a", "not a host"),
            ("r..example/a", "not a host"),
            ("user:password@r.example/a", "digest"),
            (&format!("r.example/{}", "a".repeat(256)), "longer than 255"),
            ("r.example/a\u{1b}[31m", "\\u{1b}"),
        ] {
            let error = Reference::parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains('\u{1b}'));
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
