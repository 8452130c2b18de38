//! Published images that are known to contain an NRI plugin: `images.toml`.

use std::sync::LazyLock;

use crate::path::last_part;
use nri_schema::version::without_v;
use regex::bytes::Regex;
use serde::Deserialize;

/// The table.
static TABLE: LazyLock<PublishedImages> = LazyLock::new(|| {
    let text = include_str!("../../workloads/images.toml");
    toml::from_str(text).expect("a test reads the table")
});

/// A published image.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishedImage {
    /// The repository, with its registry.
    pub(super) repository: String,
    /// The name of its chart, if that is not the name of the image.
    chart: Option<String>,
    /// A page of the publisher that names it.
    pub(super) source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedImages {
    image: Vec<PublishedImage>,
}

impl PublishedImage {
    /// Returns the name of its chart, which usually is that of the image.
    pub(super) fn chart(&self) -> &str {
        self.chart.as_deref().unwrap_or_else(|| last_part(&self.repository))
    }

    /// Returns the repository without its registry.
    fn path(&self) -> Option<&str> {
        Some(self.repository.split_once('/')?.1)
    }

    /// Returns the folder of its chart in the publisher's sources.
    fn folder(&self) -> Option<&str> {
        let (_, folder) = self.source.split_once("/tree/main/")?;
        Some(folder)
    }
}

/// Returns the published image that a reference names, in its own registry or in a mirror that
/// keeps the path.
pub(super) fn published(reference: &str) -> Option<&'static PublishedImage> {
    let repository = repository(reference);
    let is_mirrored = |path: &str| ends_with_path(repository, path);
    TABLE.image.iter().find(|image| image.path().is_some_and(is_mirrored))
}

/// The addresses of the repository that most published plugins come from: of its sources, images
/// and charts, and of its charts as pages.
const REPOSITORY: [&str; 2] = ["containers/nri-plugins", "containers.github.io/nri-plugins"];

/// Returns the published plugin that a text names as a chart: by its name, by an address whose last
/// component is the name, with or without a version, or by its folder in the publisher's sources.
pub(crate) fn published_chart(text: &str) -> Option<&'static str> {
    let name = text.trim().trim_end_matches('/');
    by_name(name).or_else(|| by_folder(name))
}

/// Returns true if a text names the repository that most published plugins come from.
pub(super) fn names_repository(text: &str) -> bool {
    REPOSITORY.iter().any(|address| text.contains(address))
}

/// Returns true if a text contains the name of a published plugin, or of their repository.
pub(crate) fn mentions_published(text: &[u8]) -> bool {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        let folders = TABLE.image.iter().filter_map(PublishedImage::folder);
        let names: Vec<String> =
            charts().chain(folders).chain(REPOSITORY).map(regex::escape).collect();
        Regex::new(&names.join("|")).expect("the names are few")
    });
    NAMES.is_match(text)
}

/// Returns the names of the charts of all published plugins.
fn charts() -> impl Iterator<Item = &'static str> {
    TABLE.image.iter().map(PublishedImage::chart)
}

fn by_folder(path: &str) -> Option<&'static str> {
    let is_named = |folder: &str| ends_with_path(path, folder);
    let mut images = TABLE.image.iter();
    Some(images.find(|image| image.folder().is_some_and(is_named))?.chart())
}

fn by_name(name: &str) -> Option<&'static str> {
    let name = last_part(name);
    let name = name.strip_suffix(".tgz").unwrap_or(name);
    let is_version = |rest: &str| match rest.strip_prefix('-') {
        Some(version) => without_v(version).starts_with(|c: char| c.is_ascii_digit()),
        None => rest.is_empty() || rest.starts_with([':', '@']),
    };
    let mut names = charts();
    names.find(|known| name.strip_prefix(known).is_some_and(is_version))
}

/// Returns the published plugin whose repository a text contains.
pub(crate) fn images_in(text: &str) -> Option<&'static str> {
    let image =
        TABLE.image.iter().find(|image| image.path().is_some_and(|path| text.contains(path)));
    image.map(|image| image.repository.as_str())
}

/// Returns true for the image of this command, in any registry and path. Its DaemonSet mounts the
/// folders of NRI in order to read them.
pub(crate) fn is_own(reference: &str) -> bool {
    last_part(repository(reference)) == env!("CARGO_PKG_NAME")
}

/// Returns true if the last components of a repository are this path.
fn ends_with_path(repository: &str, path: &str) -> bool {
    let before = repository.strip_suffix(path);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Returns a reference without its tag and digest.
fn repository(reference: &str) -> &str {
    let name = reference.split_once('@').map_or(reference, |(name, _)| name);
    match name.rsplit_once(':') {
        // A port is followed by a path.
        Some((repository, tag)) if !tag.contains('/') => repository,
        Some(_) | None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete_and_sorted() {
        let images = &TABLE.image;
        let names: Vec<&str> = images.iter().map(|image| &*image.repository).collect();
        assert!(names.is_sorted(), "{names:?}");
        for image in images {
            assert!(image.source.starts_with("https://"), "{image:?}");
            assert_eq!(repository(&image.repository), image.repository);
            assert!(image.repository.matches('/').count() >= 2, "{image:?}");
        }
        assert_eq!(published_chart("koordinator-1.6.0.tgz"), Some("koordinator"));
        assert_eq!(published_chart("koordlet"), None);
    }

    #[test]
    fn references_are_compared_by_repository() {
        let dranet = "registry.k8s.io/networking/dranet";
        let same = "D D:v1.2.0 D@sha256:00 D:v1@sha256:00 localhost:5000/networking/dranet:v1 mirror.example.com/D networking/dranet";
        let others = "dranet D-tools registry.k8s.io/xnetworking/dranet D/x registry.k8s.io/dranet";
        for (references, expected) in [(same, Some(dranet)), (others, None), ("", None)] {
            for reference in references.split(' ') {
                let reference = reference.replace('D', dranet);
                let found = published(&reference).map(|image| &*image.repository);
                assert_eq!(found, expected, "{reference}");
            }
        }
    }
}
