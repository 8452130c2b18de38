//! Images for tests: layers, docker-save archives, OCI layouts.

use std::collections::BTreeMap;
use std::io::Write as _;

use tar::{Builder, EntryType, Header};

/// A layer as a tar, entry by entry.
pub(crate) struct Layer(Builder<Vec<u8>>);

impl Layer {
    pub(crate) fn new() -> Self {
        Self(Builder::new(Vec::new()))
    }

    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        self.entry(path, EntryType::Regular, text.as_bytes())
    }

    pub(crate) fn folder(self, path: &str) -> Self {
        self.entry(path, EntryType::Directory, b"")
    }

    pub(crate) fn hard_link(self, path: &str, target: &str) -> Self {
        self.link(path, EntryType::Link, target)
    }

    pub(crate) fn symbolic_link(self, path: &str, target: &str) -> Self {
        self.link(path, EntryType::Symlink, target)
    }

    fn link(mut self, path: &str, kind: EntryType, target: &str) -> Self {
        let mut header = header(kind, 0);
        self.0.append_link(&mut header, path, target).unwrap();
        self
    }

    pub(crate) fn entry(mut self, path: &str, kind: EntryType, bytes: &[u8]) -> Self {
        let mut header = header(kind, bytes.len() as u64);
        self.0.append_data(&mut header, path, bytes).unwrap();
        self
    }

    /// Returns an entry with a path that the builder would refuse.
    pub(crate) fn raw(mut self, path: &[u8], text: &str) -> Self {
        let mut header = header(EntryType::Regular, text.len() as u64);
        header.as_mut_bytes()[..path.len()].copy_from_slice(path);
        header.set_cksum();
        self.0.append(&header, text.as_bytes()).unwrap();
        self
    }

    pub(crate) fn tar(self) -> Vec<u8> {
        self.0.into_inner().unwrap()
    }
}

fn header(kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o755);
    header
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// Parts of an image by path, to be written as a tar or a folder.
#[derive(Default)]
pub(crate) struct Parts(pub(crate) BTreeMap<String, Vec<u8>>);

impl Parts {
    pub(crate) fn with(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.insert(path.to_owned(), bytes.into());
        self
    }

    /// Returns a tar with the parts in the order of their names.
    pub(crate) fn tar(&self) -> Vec<u8> {
        let mut layer = Layer::new();
        for (path, bytes) in &self.0 {
            layer = layer.entry(path, EntryType::Regular, bytes);
        }
        layer.tar()
    }
}

/// Returns an archive as `docker save` writes it: images by name, each with its layers by name.
pub(crate) fn docker(images: &[(&str, &[&str])], layers: &[(&str, Vec<u8>)]) -> Parts {
    let listed = images.iter().map(|(name, files)| {
        serde_json::json!({"Config": "0123456789abcdef.json", "RepoTags": [name], "Layers": files})
    });
    let manifest = serde_json::Value::Array(listed.collect()).to_string();
    let mut parts = Parts::default().with("manifest.json", manifest);
    for (name, tar) in layers {
        parts = parts.with(name, tar.clone());
    }
    parts
}

/// Returns an OCI layout with one index; an image has a name, an optional platform, and layers by
/// digest.
pub(crate) fn oci(images: &[(&str, &[&str])], layers: &[(&str, Vec<u8>)]) -> Parts {
    let mut parts = Parts::default().with("oci-layout", r#"{"imageLayoutVersion":"1.0.0"}"#);
    let mut listed = Vec::new();
    for (number, (name, digests)) in images.iter().enumerate() {
        let described = digests.iter().map(|digest| {
            let media = "application/vnd.oci.image.layer.v1.tar";
            serde_json::json!({"mediaType": media, "digest": format!("sha256:{digest}"), "size": 1})
        });
        let descriptors: Vec<_> = described.collect();
        let manifest = serde_json::json!({"schemaVersion": 2, "layers": descriptors}).to_string();
        parts = parts.with(&format!("blobs/sha256/{number:04}"), manifest);
        listed.push(serde_json::json!({
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "digest": format!("sha256:{number:04}"),
            "annotations": {"org.opencontainers.image.ref.name": name},
        }));
    }
    for (digest, tar) in layers {
        parts = parts.with(&format!("blobs/sha256/{digest}"), tar.clone());
    }
    let index = serde_json::json!({"schemaVersion": 2, "manifests": listed});
    parts.with("index.json", index.to_string())
}
