//! OCI image layouts: an index, manifests and blobs in one tar archive, as `skopeo`, `oras` and
//! `ctr image import` read them.

use std::fmt::Write as _;
use std::io;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::archive::{Entry, tar};

pub(super) const INDEX: &str = "application/vnd.oci.image.index.v1+json";
pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Returns the SHA-256 sum in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The blobs of a layout.
#[derive(Default)]
pub(super) struct Layout {
    blobs: Vec<Entry>,
}

impl Layout {
    /// Adds a blob, and returns its descriptor.
    pub(super) fn add(&mut self, media_type: &str, content: Vec<u8>) -> Value {
        let sum = sha256(&content);
        let size = content.len();
        let path = format!("blobs/sha256/{sum}");
        if !self.blobs.iter().any(|blob| blob.path == path) {
            self.blobs.push(Entry::file(path, content));
        }
        json!({ "mediaType": media_type, "digest": format!("sha256:{sum}"), "size": size })
    }

    /// Adds a manifest of a configuration and layers, and returns its descriptor.
    pub(super) fn manifest(&mut self, config: &Value, layers: &[Value]) -> Value {
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": config,
            "layers": layers,
        });
        self.add(MANIFEST, manifest.to_string().into_bytes())
    }

    /// Adds an index of manifests, and returns its descriptor.
    pub(super) fn index(&mut self, manifests: &[Value]) -> Value {
        self.add(INDEX, index(manifests).to_string().into_bytes())
    }

    /// Returns the layout as a tar archive: `named` is the descriptor of what it contains, `name`
    /// its full reference.
    pub(super) fn finish(mut self, mut named: Value, name: &str, time: u64) -> io::Result<Vec<u8>> {
        let tag = name.rsplit_once(':').map_or(name, |(_, tag)| tag);
        named["annotations"] = json!({
            "io.containerd.image.name": name,
            "org.opencontainers.image.ref.name": tag,
        });
        let version = json!({ "imageLayoutVersion": "1.0.0" });
        self.blobs.push(Entry::file("oci-layout", version.to_string()));
        self.blobs.push(Entry::file("index.json", index(&[named]).to_string()));
        tar(self.blobs, time)
    }
}

fn index(manifests: &[Value]) -> Value {
    json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": manifests })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_blobs_are_stored_once() {
        let mut layout = Layout::default();
        let first = layout.add("a", b"1".to_vec());
        assert_eq!(first, layout.add("a", b"1".to_vec()));
        assert_eq!(layout.blobs.len(), 1);
        assert_eq!(
            first["digest"],
            "sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
        );
    }
}
