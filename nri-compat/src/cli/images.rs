//! Image references among the arguments of `check`.

use std::path::PathBuf;

use crate::check::collect::ImageRequest;

/// Separates image references from paths.
pub(super) fn split(arguments: &[PathBuf]) -> (Vec<ImageRequest>, Vec<PathBuf>) {
    let (images, paths): (Vec<&PathBuf>, Vec<&PathBuf>) = arguments
        .iter()
        .partition(|argument| is_reference(argument));
    let images = images
        .iter()
        .map(|image| ImageRequest::new(&image.to_string_lossy()));
    (images.collect(), paths.into_iter().cloned().collect())
}

fn is_reference(argument: &std::path::Path) -> bool {
    argument.to_string_lossy().starts_with("docker://")
}
