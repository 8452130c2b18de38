//! Images by reference: fetched from registries, each layer once, and checked like those in files.

#[cfg(feature = "registry")]
mod entry;
#[cfg(feature = "registry")]
mod fetch;
#[cfg(feature = "registry")]
mod forward;
#[cfg(feature = "registry")]
mod layers;
#[cfg(feature = "registry")]
mod platform;
#[cfg(feature = "registry")]
mod remote;
#[cfg(feature = "registry")]
mod report;

use std::path::PathBuf;

use super::file_outcome::FileOutcome;
use super::scan::Scan;
use super::unjudged::{self, Demand};
use crate::place::Place;

/// The prefix that marks an image reference on the command line and in requests.
const SCHEME: &str = "docker://";

/// An image to check, and the place that its findings are reported under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRequest {
    /// The reference: `registry.example.com/team/plugin:v1`, with or without `docker://`.
    pub reference: String,
    /// The place that names the image: the reference itself, or for example the manifest of a
    /// workload.
    pub place: Place,
}

impl ImageRequest {
    /// Returns a request whose findings are reported under the reference itself.
    pub fn new(reference: &str) -> Self {
        Self {
            reference: reference.to_owned(),
            place: Place::from(shown(reference)),
        }
    }
}

/// Returns a reference without the prefix, safe to print.
fn shown(reference: &str) -> String {
    let name = reference.strip_prefix(SCHEME).unwrap_or(reference);
    crate::escape::bytes(name.as_bytes())
}

/// The way in which images are fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageOptions {
    /// The platform to check, such as `linux/arm64`; otherwise every Linux platform of an image.
    pub platform: Option<String>,
    /// Hosts, with or without port, that are asked over plain HTTP or with certificates that cannot
    /// be verified.
    pub insecure: Vec<String>,
    /// The folder where verified content is kept by digest.
    pub cache: Option<PathBuf>,
    /// True if only the entry point of each image is checked.
    pub quick: bool,
}

/// Checks the images of a request.
pub(super) fn read(scan: &Scan<'_>, images: &[ImageRequest], options: &ImageOptions) {
    if images.is_empty() {
        return;
    }
    #[cfg(feature = "registry")]
    fetch::read(scan, images, options);
    #[cfg(not(feature = "registry"))]
    {
        let _ = options;
        let reason = "this command was built without the feature `registry`";
        images
            .iter()
            .for_each(|image| failed(scan, &image.reference, &image.place, reason));
    }
}

/// Reports an image of which nothing could be read.
fn failed(scan: &Scan<'_>, reference: &str, place: &Place, reason: &str) {
    let reason = format!("cannot fetch {}: {reason}", shown(reference));
    unjudged::report(scan, place, Demand::Named, &reason);
    scan.count(FileOutcome::Evidence);
    scan.not_fetched(reason);
}
