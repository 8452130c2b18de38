//! The names of images.

use super::document::{Descriptor, Platform};
use crate::escape;

/// Returns twelve digits of a digest, the usual short form for images without a name.
pub(super) fn short(digest: &str) -> String {
    let hex = digest.rsplit(':').next().unwrap_or_default();
    hex.chars().take(12).collect()
}

/// Returns the name of a descriptor, else that of the enclosing index, with the platform if it is
/// stated.
pub(super) fn name(descriptor: &Descriptor, around: Option<&str>) -> String {
    let keys = [
        "io.containerd.image.name",
        "org.opencontainers.image.ref.name",
    ];
    let own = keys.iter().find_map(|key| descriptor.annotation(key));
    let base = match (own, around) {
        (Some(own), _) => escape::bytes(own.as_bytes()),
        (None, Some(around)) => around.to_owned(),
        (None, None) if descriptor.digest.is_empty() => "(no digest)".to_owned(),
        (None, None) => escape::bytes(short(&descriptor.digest).as_bytes()),
    };
    match (&descriptor.platform, around) {
        (Some(platform), Some(_)) => format!("{base} ({platform})"),
        (Some(_) | None, _) => base,
    }
}

/// Returns true for an attestation, which BuildKit stores next to the image that it describes. Its
/// platform is unknown, so that no runtime takes it for an image.
pub(super) fn is_attestation(descriptor: &Descriptor) -> bool {
    let is_unknown = |platform: &Platform| platform.to_string() == "unknown/unknown";
    descriptor.annotation("vnd.docker.reference.type").is_some()
        && descriptor.platform.as_ref().is_some_and(is_unknown)
}
