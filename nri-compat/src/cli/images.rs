//! Images in registries among the arguments of `check`.

use std::path::{Path, PathBuf};

use crate::arguments::IMAGE_SCHEME;
use crate::check::collect::ImageRequest;

/// Separates image references from paths.
pub(super) fn split(arguments: &[PathBuf]) -> (Vec<ImageRequest>, Vec<PathBuf>) {
    let (images, paths): (Vec<&PathBuf>, Vec<&PathBuf>) =
        arguments.iter().partition(|argument| is_image(argument));
    let requests = images.iter().map(|image| ImageRequest::new(&image.to_string_lossy()));
    (requests.collect(), paths.into_iter().cloned().collect())
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
    text.starts_with(IMAGE_SCHEME) || is_evident(text) && is_free()
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
