//! The image of sample containers.

use nri::api::Image;

/// The image of the sandbox.
pub(super) const PAUSE: &str = "registry.k8s.io/pause:3.10";
/// The image of the container.
pub(super) const NAME: &str = "docker.io/library/busybox:1.37";
/// The digest of its configuration.
const CONFIG_DIGEST: &str =
    "sha256:7c1c2a9be0d83e1d4f31f0b1c6f4de1b1f5d0a3a8e5c2f4b6d9e0a1b2c3d4e5f";
/// The digest of its index.
const DIGEST: &str = "sha256:1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9eafb0c";

/// Returns the id of the image in CRI-O: the digest of its configuration without the algorithm.
pub(super) fn id() -> &'static str {
    CONFIG_DIGEST.trim_start_matches("sha256:")
}

/// Returns the repository of the image with the digest of its index.
pub(super) fn repository_digest() -> String {
    let repository = NAME.rsplit_once(':').map_or(NAME, |(name, _)| name);
    format!("{repository}@{DIGEST}")
}

/// Returns the image.
pub(super) fn image() -> Image {
    Image {
        name: NAME.to_owned(),
        digest: DIGEST.to_owned(),
        config_digest: CONFIG_DIGEST.to_owned(),
    }
}
