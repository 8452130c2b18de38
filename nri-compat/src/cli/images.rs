//! Images in registries: the references among the arguments of `check`, and the options for them.

use std::path::{Path, PathBuf};

use crate::check::collect::{ImageOptions, ImageRequest};
use crate::error::{Error, ErrorKind};

/// The maximum number of failures that an error lists.
const MAX_LISTED: usize = 3;

/// Options for fetching images.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// The platform of images to check, such as linux/arm64 [default: every Linux platform].
    #[arg(long, value_name = "PLATFORM", help_heading = "Images in registries")]
    platform: Option<String>,
    /// A registry, HOST or HOST:PORT, that is accessed over plain HTTP, or whose certificate is not
    /// verified. May be given several times.
    #[arg(long, value_name = "HOST", help_heading = "Images in registries")]
    insecure: Vec<String>,
    /// Stop at the entry point of an image if that is a plugin, without reading its other files.
    #[arg(long, help_heading = "Images in registries")]
    quick: bool,
}

impl Args {
    pub(super) fn options(&self) -> ImageOptions {
        ImageOptions {
            platform: self.platform.clone(),
            insecure: self.insecure.clone(),
            quick: self.quick,
        }
    }
}

/// Separates image references from paths.
pub(super) fn split(arguments: &[PathBuf]) -> (Vec<ImageRequest>, Vec<PathBuf>) {
    let (images, paths): (Vec<&PathBuf>, Vec<&PathBuf>) =
        arguments.iter().partition(|argument| is_image(argument));
    let images = images
        .iter()
        .map(|image| ImageRequest::new(&image.to_string_lossy()));
    (images.collect(), paths.into_iter().cloned().collect())
}

/// Returns true if an argument is an image: it has the prefix `docker://`, or it is clearly a
/// reference and neither a file with this name nor a folder with its first component exists.
fn is_image(argument: &Path) -> bool {
    let Some(text) = argument.to_str() else {
        return false;
    };
    let is_free = || {
        let first = argument.components().next();
        !argument.exists() && first.is_none_or(|first| !Path::new(first.as_os_str()).exists())
    };
    text.starts_with("docker://") || is_evident(text) && is_free()
}

#[cfg(feature = "registry")]
fn is_evident(text: &str) -> bool {
    crate::registry::Reference::is_evident(text)
}

#[cfg(not(feature = "registry"))]
fn is_evident(_: &str) -> bool {
    false
}

/// Returns true if the name of a missing file is also a valid reference.
#[cfg(feature = "registry")]
pub(super) fn may_be_reference(name: &str) -> bool {
    crate::registry::Reference::parse(name).is_ok()
}

#[cfg(not(feature = "registry"))]
pub(super) fn may_be_reference(_: &str) -> bool {
    false
}

/// Returns the error for images that could not be fetched, which must not count as clean.
pub(super) fn not_fetched(reasons: &[String]) -> Error {
    let listed = reasons
        .iter()
        .take(MAX_LISTED)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    let message = match reasons.len().saturating_sub(MAX_LISTED) {
        0 => listed,
        more => format!("{listed}\nand {more} more"),
    };
    Error::of_lines(ErrorKind::Fetch, message)
}
