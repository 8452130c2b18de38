//! Archives and programs: the tables in them.

use std::fs;
use std::path::PathBuf;

use nri_compat::check::collect::{Request, collect};
use nri_compat::check::evidence::READERS;

use super::{Decoder, list, numbered};
use crate::documents::json::read;

/// Returns an archive with these files.
fn tar(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, &*content).unwrap();
    }
    archive.into_inner().unwrap()
}

/// Returns an archive with an image, whose table has this content.
fn image(table: &str, content: String) -> Vec<u8> {
    let layout = br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec();
    tar([("oci-layout".to_owned(), layout), (table.to_owned(), content.into_bytes())])
}

fn archives() -> Vec<Vec<u8>> {
    let index = |key: &str, element: &str| {
        image("index.json", format!(r#"{{"{key}":[{}]}}"#, list(element)))
    };
    let annotations = numbered(|nth| format!("\"{nth:x}\":\"\","));
    vec![
        index("manifests", r#"{"digest":""}"#),
        index("manifests", r#"{"digest":"","platform":{}}"#),
        index("layers", r#"{"digest":""}"#),
        index("x", "[]"),
        image(
            "index.json",
            format!(r#"{{"manifests":[{{"digest":"","annotations":{{{annotations}"z":""}}}}]}}"#),
        ),
        image("manifest.json", format!("[{}]", list(r#"{"Config":""}"#))),
        image("manifest.json", format!(r#"[{{"Config":"","Layers":[{}]}}]"#, list(r#""""#))),
        tar((0..super::ELEMENTS / 8).map(|nth| (format!("f{nth:x}"), Vec::new()))),
        // A path that does not fit in a header has one more.
        tar((0..64).map(|nth| (format!("{}{nth}", "long/".repeat(600)), Vec::new()))),
    ]
}

/// Reads an archive as `check` does.
fn check(archive: &[u8]) {
    let path: PathBuf = std::env::temp_dir().join(format!("nri-documents-{}", std::process::id()));
    fs::write(&path, archive).unwrap();
    let request = Request { paths: vec![path.clone()], threads: 1, ..Request::default() };
    drop(collect(&request, READERS));
    fs::remove_file(path).unwrap();
}

/// Returns programs that are full of what readers look for.
fn programs() -> Vec<Vec<u8>> {
    let mut header = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0\x01\0\0\0".to_vec();
    header.resize(64, 0);
    let program = |content: String| [&header[..], content.as_bytes()].concat();
    vec![
        program(list("\u{ff} Go buildinf:")),
        program(list("github.com/containerd/nri/pkg/stub")),
        program(list("/nri.pkg.api.v1alpha1.Plugin/RunPodSandbox")),
        program(list("nri.pkg.api.v1alpha1")),
    ]
}

pub(super) fn decoders() -> Vec<Decoder> {
    vec![
        Decoder {
            name: "archive",
            factor: 80,
            base: 1 << 20,
            decode: check,
            documents: archives(),
        },
        Decoder {
            name: "program",
            factor: 20,
            base: 4 << 20,
            decode: |bytes| read("program", bytes),
            documents: programs(),
        },
    ]
}
