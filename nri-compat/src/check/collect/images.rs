//! Images by reference.

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
        let name = reference.strip_prefix(SCHEME).unwrap_or(reference);
        Self {
            reference: reference.to_owned(),
            place: Place::from(crate::escape::bytes(name.as_bytes())),
        }
    }
}

/// Checks the images of a request.
pub(super) fn read(scan: &Scan<'_>, images: &[ImageRequest]) {
    for image in images {
        let reason =
            "cannot fetch the image: this command was built without the feature `registry`";
        scan.count(unjudged::report(scan, &image.place, Demand::Named, reason));
    }
}
