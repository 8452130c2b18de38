//! The images that manifests name.

use super::request::ImageRequest;

/// The image of a container that may be a plugin, to be checked when all files have been read.
#[derive(Clone, Debug)]
pub(super) struct WantedImage {
    /// The request.
    pub(super) request: ImageRequest,
    /// The reason why the container may be a plugin.
    pub(super) reason: String,
}
