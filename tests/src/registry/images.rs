//! Generated images.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use serde_json::{Value, json};
use sha2::Digest as _;

use super::http::{Reply, Request};
use crate::hostile::elf;

/// A manifest or index, and its media type.
type Document = (String, Vec<u8>);

/// The content of a registry.
#[derive(Clone, Debug, Default)]
pub struct Images {
    /// Blobs by digest.
    pub blobs: BTreeMap<String, Vec<u8>>,
    /// Manifests and indexes by repository and tag or digest.
    pub manifests: BTreeMap<(String, String), Document>,
}

/// An image to add.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The layers with their media types, lowest first.
    pub layers: Vec<(String, Vec<u8>)>,
    /// The architecture.
    pub architecture: String,
    /// The entry point.
    pub entrypoint: Vec<String>,
    /// True if Docker's media types are used.
    pub is_docker: bool,
}

impl Image {
    /// Returns an image of gzip layers.
    #[must_use]
    pub fn of(layers: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let kind = "application/vnd.oci.image.layer.v1.tar+gzip";
        let layers = layers.into_iter().map(|layer| (kind.to_owned(), layer));
        Self { layers: layers.collect(), architecture: "amd64".to_owned(), ..Self::default() }
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> Vec<u8> {
        let config = json!({
            "architecture": self.architecture,
            "os": "linux",
            "config": {"Entrypoint": self.entrypoint, "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"]},
            "rootfs": {"type": "layers", "diff_ids": self.layers.iter().map(|(_, bytes)| diff_id(bytes)).collect::<Vec<_>>()},
        });
        config.to_string().into_bytes()
    }

    /// Returns the manifest.
    #[must_use]
    pub fn manifest(&self) -> Value {
        let layers = self.layers.iter().map(|(kind, bytes)| descriptor(kind, bytes));
        let (kind, config) = if self.is_docker {
            (
                "application/vnd.docker.distribution.manifest.v2+json",
                "application/vnd.docker.container.image.v1+json",
            )
        } else {
            (
                "application/vnd.oci.image.manifest.v1+json",
                "application/vnd.oci.image.config.v1+json",
            )
        };
        json!({
            "schemaVersion": 2,
            "mediaType": kind,
            "config": descriptor(config, &self.config()),
            "layers": layers.collect::<Vec<_>>(),
        })
    }
}

fn descriptor(kind: &str, bytes: &[u8]) -> Value {
    json!({"mediaType": kind, "digest": digest(bytes), "size": bytes.len()})
}

impl Images {
    /// Adds an image, and returns the digest of its manifest.
    pub fn add(&mut self, repository: &str, tag: &str, image: &Image) -> String {
        for (_, layer) in &image.layers {
            self.blobs.insert(digest(layer), layer.clone());
        }
        let config = image.config();
        self.blobs.insert(digest(&config), config);
        self.document(repository, tag, &image.manifest())
    }

    /// Adds an index of images with their platforms, and returns its digest.
    pub fn index(&mut self, repository: &str, tag: &str, images: &[(&str, &Image)]) -> String {
        let mut manifests = Vec::new();
        for (platform, image) in images {
            let bytes = image.manifest().to_string().into_bytes();
            let name = digest(&bytes);
            self.add(repository, &name, image);
            let (os, architecture) = platform.split_once('/').unwrap_or(("linux", platform));
            let mut entry = descriptor("application/vnd.oci.image.manifest.v1+json", &bytes);
            entry["platform"] = json!({"os": os, "architecture": architecture});
            manifests.push(entry);
        }
        let index = json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": manifests,
        });
        self.document(repository, tag, &index)
    }

    /// Adds any manifest, and returns its digest.
    pub fn document(&mut self, repository: &str, tag: &str, document: &Value) -> String {
        let bytes = document.to_string().into_bytes();
        let name = digest(&bytes);
        let kind = document["mediaType"].as_str().unwrap_or("application/json").to_owned();
        for selector in [tag, &name] {
            let key = (repository.to_owned(), selector.to_owned());
            self.manifests.insert(key, (kind.clone(), bytes.clone()));
        }
        name
    }

    /// Answers a request like a registry.
    #[must_use]
    pub fn answer(&self, request: &Request) -> Reply {
        let path = request.path.split('?').next().unwrap_or_default();
        if path == "/v2/" {
            return Reply::new(200, "{}");
        }
        let path = path.strip_prefix("/v2/").unwrap_or_default();
        if let Some((repository, selector)) = path.split_once("/manifests/") {
            let key = (repository.to_owned(), selector.to_owned());
            return match self.manifests.get(&key) {
                Some((kind, bytes)) => Reply::new(200, bytes.clone())
                    .with("content-type", kind)
                    .with("docker-content-digest", digest(bytes)),
                None => unknown("MANIFEST_UNKNOWN"),
            };
        }
        let blob = path.split_once("/blobs/").and_then(|(_, name)| self.blobs.get(name));
        match (blob, request.range()) {
            (None, _) => unknown("BLOB_UNKNOWN"),
            (Some(blob), None) => Reply::new(200, blob.clone()),
            (Some(blob), Some(from)) => Reply::new(206, &blob[from.min(blob.len())..])
                .with("content-range", format!("bytes {from}-{}/{}", blob.len() - 1, blob.len())),
        }
    }
}

/// Returns the digest of a layer before compression.
fn diff_id(bytes: &[u8]) -> String {
    let mut unpacked = Vec::new();
    match flate2::read::GzDecoder::new(bytes).read_to_end(&mut unpacked) {
        Ok(_) => digest(&unpacked),
        Err(_) => digest(bytes),
    }
}

fn unknown(code: &str) -> Reply {
    let body = json!({"errors": [{"code": code, "message": "not known"}]});
    Reply::new(404, body.to_string())
}

/// Returns the digest of these bytes.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    let hex: String =
        sha2::Sha256::digest(bytes).into_iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// Returns a tar of executable files.
///
/// # Panics
///
/// Panics if a path is too long.
#[must_use]
pub fn layer(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o755);
        tar.append_data(&mut header, path, *bytes).expect("a path that fits");
    }
    tar.into_inner().expect("memory")
}

/// Returns bytes compressed with gzip.
///
/// # Panics
///
/// Panics if memory cannot be written.
#[must_use]
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Returns bytes compressed with zstd.
///
/// # Panics
///
/// Panics if memory cannot be written.
#[must_use]
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(bytes, 3).expect("memory")
}

/// Returns bytes compressed with xz.
///
/// # Panics
///
/// Panics if memory cannot be written.
#[must_use]
pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Returns bytes compressed with bzip2.
///
/// # Panics
///
/// Panics if memory cannot be written.
#[must_use]
pub fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Returns a program of crate `nri` with a deprecated handler.
#[must_use]
pub fn plugin() -> Vec<u8> {
    let text = br#"{"format":1,"name":"a","index":"10","nri":"0.1.0","protocol":"0.12.0","min_protocol":null,"events":["RUN_POD_SANDBOX"],"required":[],"deprecated":["StateChange"]}"#;
    let length = u32::try_from(text.len()).unwrap_or(0);
    let note = [b"NRI-PLUGIN-INFO\x01", &length.to_le_bytes()[..], text].concat();
    elf::with(&note).bytes
}
