//! Digests of content, and references to images: `registry.example.com/team/plugin:v1.4@sha256:…`.
//!
//! The grammar is that of
//! [distribution](https://pkg.go.dev/github.com/distribution/reference#pkg-overview), and short
//! names are completed in the same way as by Docker: `plugin` is `docker.io/library/plugin:latest`.
//!
//! `oci_spec::distribution::Reference` is less strict. It accepts tags in any alphabet, digests in
//! upper case and ports of any length, and refuses IPv6 addresses.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use ring::digest::{Context, SHA256};

use super::Error;
use crate::arguments::IMAGE_SCHEME;
use crate::pattern::regex;
use crate::skipped::SkipKind;

/// The registry of references that do not name one.
pub(super) const DOCKER_HUB: &str = "docker.io";

/// The host that serves the images of Docker Hub.
const DOCKER_HUB_API: &str = "registry-1.docker.io";

/// The maximum length of a repository in bytes.
const MAX_REPOSITORY: usize = 255;

/// The maximum length of a reference in bytes.
const MAX_REFERENCE: usize = 1024;

/// A reference. Its first component may be a registry, with a port, or a part of the repository.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    let grammar = r"(?x)^
        (?: (?<first>
            (?: \[ [0-9a-fA-F:]+ \]
              | [a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])? (?: \. [a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)* )
            (?: : [0-9]{1,5})? ) / )?
        (?<rest> [a-z0-9]+ (?: (?: \. | __? | -+ | / ) [a-z0-9]+ )*)
        (?: : (?<tag> [A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?
        (?: @ (?<digest> .+))? $";
    regex(grammar)
});

/// The SHA-256 digest of content: `sha256:…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(String);

impl Digest {
    /// Parses a digest. Its digits must be in lower case, as the [image
    /// specification](https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests)
    /// requires. Returns `None` for another form or algorithm.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("sha256:")?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (hex.len() == 64 && hex.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// Returns a hasher for content.
    pub(super) fn hasher() -> Context {
        Context::new(&SHA256)
    }

    /// Returns true if the bytes that this hasher has seen have this digest.
    pub(super) fn is_of(&self, hasher: Context) -> bool {
        let bytes = hasher.finish();
        let hex = bytes.as_ref().iter().map(|byte| format!("{byte:02x}"));
        self.0.ends_with(&hex.collect::<String>())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A reference to an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    registry: String,
    repository: String,
    tag: Option<String>,
    /// It takes precedence over the tag.
    pub(super) digest: Option<Digest>,
}

impl Reference {
    /// Parses a reference, with or without `docker://`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text breaks the grammar.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let plain = text.strip_prefix(IMAGE_SCHEME).unwrap_or(text);
        parse(plain).ok_or_else(|| {
            let message = format!("`{}` is not an image reference", crate::escape::short(plain));
            Error::new(SkipKind::Io, message).with_help(
                "write REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST, with a repository in lower case",
            )
        })
    }

    /// Returns true if a bare argument clearly means an image: it has a tag or a digest, or a
    /// registry that does not look like the name of a folder. A name without a slash never does.
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
        match self.registry() {
            DOCKER_HUB => DOCKER_HUB_API,
            registry => registry,
        }
    }

    /// Returns the name of the repository in the registry: `library/plugin`.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// Returns the reference to a part of the image with this digest.
    pub(crate) fn with_digest(&self, digest: Digest) -> Self {
        Self { digest: Some(digest), ..self.clone() }
    }

    /// Returns the tag; `latest` if none is given.
    pub(super) fn tag(&self) -> &str {
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

fn parse(text: &str) -> Option<Reference> {
    let is_short = text.len() <= MAX_REFERENCE;
    let parts = is_short.then(|| REFERENCE.captures(text)).flatten()?;
    let part = |name| parts.name(name).map(|part| part.as_str());
    let (registry, repository) = completed(part("first"), part("rest")?);
    let digest = match part("digest") {
        Some(digest) => Some(Digest::parse(digest)?),
        None => None,
    };
    (repository.len() <= MAX_REPOSITORY).then(|| Reference {
        registry: registry.to_owned(),
        repository,
        tag: part("tag").map(str::to_owned),
        digest,
    })
}

/// Returns the registry and the repository of a name, by the rules of Docker for short names.
fn completed<'n>(first: Option<&'n str>, rest: &str) -> (&'n str, String) {
    match first {
        None | Some(DOCKER_HUB | "index.docker.io") => {
            let folder = if rest.contains('/') { "" } else { "library/" };
            (DOCKER_HUB, format!("{folder}{rest}"))
        }
        Some(first) if is_host(first) => (first, rest.to_owned()),
        Some(first) => (DOCKER_HUB, format!("{first}/{rest}")),
    }
}

/// Returns true if the first component of a name is a registry.
fn is_host(first: &str) -> bool {
    first.contains(['.', ':'])
        || first == "localhost"
        || first.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Returns true if the first component of an argument is more likely a registry than a folder such
/// as `conf.d`.
fn is_evident_host(first: &str) -> bool {
    let is_domain = || {
        let last = first.rsplit_once('.').map_or("", |(_, last)| last);
        last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let is_address = || first.parse::<std::net::IpAddr>().is_ok();
    first == "localhost" || first.contains(':') || is_domain() || is_address()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        // FIPS 180-4.
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let digest = Digest::parse(text).unwrap();
        for (bytes, is_it) in [(b"abc", true), (b"abd", false)] {
            let mut hasher = Digest::hasher();
            hasher.update(bytes);
            assert_eq!(digest.is_of(hasher), is_it);
        }
        let upper = text.replace("ba", "BA");
        for broken in [&text[1..], &text[..text.len() - 1], &upper] {
            assert_eq!(Digest::parse(broken), None);
        }
    }

    #[test]
    fn short_names_are_completed() {
        let digest = format!("r.example/a:t@sha256:{}", "a".repeat(64));
        for (text, whole) in [
            ("plugin", "docker.io/library/plugin:latest"),
            ("docker.io/plugin", "docker.io/library/plugin:latest"),
            ("index.docker.io/team/plugin:1", "docker.io/team/plugin:1"),
            ("team_a/plugin", "docker.io/team_a/plugin:latest"),
            ("localhost/plugin", "localhost/plugin:latest"),
            ("localhost:5000/a/b__c:1.0", "localhost:5000/a/b__c:1.0"),
            ("docker://r.example/a", "r.example/a:latest"),
            ("docker://team/plugin", "docker.io/team/plugin:latest"),
            ("[::1]:5000/a:x", "[::1]:5000/a:x"),
            ("Registry/a", "Registry/a:latest"),
            (&digest, &digest),
        ] {
            assert_eq!(Reference::parse(text).expect(text).to_string(), whole);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let words = "a/B a/../b r.example/a___b r.example/-a a:-x a:\u{4dc} a@sha256:12 -r.example/a \
            user:password@r.example/a r.example/a\u{1b}[31m";
        let long = [format!("a:{}", "x".repeat(129)), format!("a/{}", "a".repeat(256))];
        let broken = words.split(' ').chain(long.iter().map(String::as_str));
        for text in broken.chain(["", "r.example/a\n"]) {
            let error = Reference::parse(text).expect_err(text).to_string();
            assert!(error.contains("is not an image reference"), "{error}");
            assert!(!error.contains(['\u{1b}', '\n']), "{error}");
        }
    }

    #[test]
    fn an_argument_is_an_image_only_if_it_cannot_be_a_path() {
        let images = "registry.example.com/team/plugin 127.0.0.1:5000/plugin localhost/plugin team/plugin:v1";
        let paths =
            "plugins/foo conf.d/foo main.go:12 ./plugins/foo:v1 ../registry.example.com/a:1";
        for (arguments, expected) in [(images, true), (paths, false)] {
            for text in arguments.split(' ') {
                assert_eq!(Reference::is_evident(text), expected, "{text}");
            }
        }
    }
}
