//! The names of images.

use serde_json::Value;

use super::document::text;
use crate::escape;

/// Returns twelve digits of a digest, the usual short form for images without a name.
pub(super) fn short(digest: &str) -> String {
    let hex = digest.rsplit(':').next().unwrap_or_default();
    hex.chars().take(12).collect()
}

/// Returns the name of a descriptor, else that of the enclosing index, with the platform if it is
/// stated.
pub(super) fn name(descriptor: &Value, around: Option<&str>) -> String {
    let keys = [
        "io.containerd.image.name",
        "org.opencontainers.image.ref.name",
    ];
    let annotations = descriptor.get("annotations").unwrap_or(&Value::Null);
    let own = keys.iter().find_map(|key| text(annotations, key));
    let base = match (own, around) {
        (Some(own), _) => escape::bytes(own.as_bytes()),
        (None, Some(around)) => around.to_owned(),
        (None, None) => {
            let digest = short(text(descriptor, "digest").unwrap_or("(no digest)"));
            escape::bytes(digest.as_bytes())
        }
    };
    match (descriptor.get("platform").and_then(platform), around) {
        (Some(platform), Some(_)) => format!("{base} ({platform})"),
        (Some(_) | None, _) => base,
    }
}

pub(super) fn platform(value: &Value) -> Option<String> {
    let (os, architecture) = (text(value, "os")?, text(value, "architecture")?);
    let variant = text(value, "variant").map(|variant| format!("/{variant}"));
    let name = format!("{os}/{architecture}{}", variant.unwrap_or_default());
    Some(escape::bytes(name.as_bytes()))
}

/// Returns true for an attestation, which BuildKit stores next to the image that it describes. Its
/// platform is unknown, so that no runtime takes it for an image.
pub(super) fn is_attestation(descriptor: &Value) -> bool {
    let annotations = descriptor.get("annotations");
    let is_marked = annotations.is_some_and(|all| all.get("vnd.docker.reference.type").is_some());
    let platform = descriptor.get("platform").and_then(platform);
    is_marked && platform.as_deref() == Some("unknown/unknown")
}
