//! The image: the programs and the certificates of public authorities, nothing else.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::archive::{Entry, gzip, tar};
use super::layout::{Layout, sha256};
use super::{Processor, Programs, ReleaseBuild};
use crate::error::{TaskError, writing};

/// The user of distroless images named `nonroot`.
const USER: &str = "65532:65532";

impl ReleaseBuild<'_> {
    /// Writes the image for the processors that programs were built for.
    pub(super) fn image(&self, built: &[Programs]) -> Result<(), TaskError> {
        let name = format!("nri-compat-{}-image.tar", self.metadata.version);
        let path = self.out.join(name);
        let mut layout = Layout::default();
        let mut manifests = Vec::new();
        for programs in built {
            let files = programs.entries(|program| format!("usr/bin/{program}"))?;
            let manifest = self.manifest(&mut layout, programs.processor, files);
            manifests.push(manifest.map_err(writing(&path))?);
        }
        let index = layout.index(&manifests);
        let reference = self.reference("nri-compat");
        let archive = layout.finish(index, &reference, self.metadata.time);
        self.write(&path, &archive.map_err(writing(&path))?)
    }

    /// Returns the reference of an image or chart in the registry.
    pub(super) fn reference(&self, name: &str) -> String {
        format!("{}/{name}:{}", self.metadata.registry, self.metadata.version)
    }

    /// Adds the image for one processor, and returns its descriptor.
    fn manifest(
        &self,
        layout: &mut Layout,
        processor: Processor,
        mut entries: Vec<Entry>,
    ) -> io::Result<Value> {
        entries.push(Entry::file("etc/ssl/certs/ca-certificates.crt", certificates()));
        let files = tar(entries, self.metadata.time)?;
        let content = self.config(processor.oci, &sha256(&files)).to_string().into_bytes();
        let layer = layout.add("application/vnd.oci.image.layer.v1.tar+gzip", gzip(&files)?);
        let config = layout.add("application/vnd.oci.image.config.v1+json", content);
        let mut manifest = layout.manifest(&config, &[layer]);
        manifest["platform"] = json!({ "architecture": processor.oci, "os": "linux" });
        Ok(manifest)
    }

    fn config(&self, architecture: &str, layer: &str) -> Value {
        let metadata = &self.metadata;
        json!({
            "created": metadata.timestamp(),
            "architecture": architecture,
            "os": "linux",
            "config": {
                "User": USER,
                "Env": ["PATH=/usr/bin"],
                "Entrypoint": ["/usr/bin/nri-compat"],
                "Labels": {
                    "org.opencontainers.image.description": metadata.description,
                    "org.opencontainers.image.licenses": metadata.license,
                    "org.opencontainers.image.source": metadata.address,
                    "org.opencontainers.image.title": "nri-compat",
                    "org.opencontainers.image.version": metadata.version,
                },
            },
            "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{layer}")] },
        })
    }
}

/// Returns the certificates of public authorities in PEM, from a crate, so that the image does not
/// depend on the machine.
fn certificates() -> String {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(|certificate| pem(certificate)).collect()
}

fn pem(certificate: &[u8]) -> String {
    const COLUMNS: usize = 64;
    let text = STANDARD.encode(certificate);
    let mut lines = vec!["-----BEGIN CERTIFICATE-----"];
    let mut rest = text.as_str();
    while !rest.is_empty() {
        // Base64 is ASCII, so that each place is between two characters.
        let (line, further) = rest.split_at(rest.len().min(COLUMNS));
        lines.push(line);
        rest = further;
    }
    lines.push("-----END CERTIFICATE-----\n");
    lines.join("\n")
}
