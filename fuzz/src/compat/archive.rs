//! Reads any bytes as an archive or an image. Every finding must be within it, and nothing may
//! panic. Checksums of headers are corrected first, because otherwise hardly any input would be
//! accepted.

use std::path::PathBuf;
use std::sync::OnceLock;

use nri_compat::check::collect::{Request, collect};
use nri_compat::check::evidence::READERS;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let path = path();
    std::fs::write(path, with_checksums(bytes)).expect("a temporary file can be written");
    let request = Request { paths: vec![path.clone()], threads: 1, ..Request::default() };
    let found = collect(&request, READERS);
    let place = path.display().to_string();
    for sighting in &found.sightings {
        assert!(sighting.place.file == place);
    }
    for skipped in &found.skipped {
        assert!(skipped.place.file == place && !skipped.reason.is_empty());
        assert!(!skipped.reason.starts_with("defect"), "{}", skipped.reason);
    }
}

fn path() -> &'static PathBuf {
    static PATH: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &PATH
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            let path = folder.path().join("file");
            (folder, path)
        })
        .1
}

fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let blocks = bytes.chunks_exact_mut(512);
    for block in blocks.filter(|block| &block[257..262] == b"ustar") {
        block[148..156].fill(b' ');
        let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
        block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    }
    bytes
}
