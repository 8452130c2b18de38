//! Folders of releases: single programs in every compression, and what may hold programs and is not
//! read.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use nri_tests::examples::{example, nri_compat};
use serde_json::Value;

fn check(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(nri_compat())
        .arg("check")
        .arg(folder)
        .args(["--target", "containerd@2.4", "--format", "json"])
        .args(arguments)
        .output()
        .expect("the command starts")
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Returns a program in every compression, each with its extension.
fn compressed(program: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 0);
    gzip.write_all(program).expect("in memory");
    bzip2.write_all(program).expect("in memory");
    xz.write_all(program).expect("in memory");
    vec![
        ("gz", gzip.finish().expect("in memory")),
        ("bz2", bzip2.finish().expect("in memory")),
        ("xz", xz.finish().expect("in memory")),
        ("zst", zstd::encode_all(program, 1).expect("in memory")),
    ]
}

#[test]
fn compressed_programs_are_read_like_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = fs::read(example("legacy")).expect("the example is built");
    for (extension, bytes) in compressed(&program) {
        let path = folder.path().join(format!("10-agent.{extension}"));
        fs::write(&path, &bytes).expect("written");
        for arguments in [folder.path(), &path] {
            let output = check(arguments, &[]);
            let report = report(&output);
            let subject = &report["subjects"][0];
            assert_eq!(output.status.code(), Some(100), "{extension}: {report:#}");
            assert_eq!(subject["verdicts"][0]["verdict"], "deprecated", "{extension}");
            assert_eq!(report["skipped"].as_array().map(Vec::len), Some(0), "{extension}");
        }
        // The missing part may be a plugin.
        fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        let report = report(&check(folder.path(), &[]));
        assert_eq!(report["skipped"].as_array().map(Vec::len), Some(1), "{extension}");
        fs::remove_file(&path).expect("removed");
    }
}

#[test]
fn what_may_hold_programs_is_listed() {
    let mut iso = vec![0; 0x8001];
    iso.extend_from_slice(b"CD001");
    let mut ext4 = vec![0; 0x438];
    ext4.extend_from_slice(b"\x53\xef");
    for (name, bytes) in [
        ("agent.zip", b"PK\x03\x04\x14\0\0\0\0\0agent".to_vec()),
        ("agent.deb", b"!<arch>\ndebian-binary   ".to_vec()),
        ("agent.rpm", b"\xed\xab\xee\xdb\x03\0".to_vec()),
        ("agent.7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec()),
        ("agent.lz4", b"\x04\x22\x4d\x18\x64\x40".to_vec()),
        ("agent.squashfs", b"hsqs\0\0\0\0".to_vec()),
        ("agent.cpio", b"070701000000".to_vec()),
        ("initrd.gz", compressed(b"070701000000")[0].1.clone()),
        ("image.zip.bz2", compressed(b"PK\x03\x04")[1].1.clone()),
        ("agent.ext4.xz", compressed(&ext4)[2].1.clone()),
        ("agent.iso.zst", compressed(&iso)[3].1.clone()),
        ("agent.gz.gz", compressed(b"\x1f\x8b\x08\0")[0].1.clone()),
        ("agent.iso", iso),
        ("agent.img", ext4),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(name), bytes).expect("written");
        let report = report(&check(folder.path(), &[]));
        let reason = report["skipped"][0]["reason"].as_str().unwrap_or_default();
        assert!(reason.ends_with("unpack it and check the folder"), "{name}: {report:#}");
        for condition in ["skipped", "unknown"] {
            let output = check(folder.path(), &["--fail-on", condition]);
            assert_eq!(output.status.code(), Some(100), "{name}: {condition}");
        }
    }
}

#[test]
fn documents_and_libraries_of_java_are_silent() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, first) in [("a.jar", "META-INF/MANIFEST.MF"), ("a.docx", "[Content_Types].xml")] {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.resize(30, 0);
        bytes.extend_from_slice(first.as_bytes());
        fs::write(folder.path().join(name), bytes).expect("written");
    }
    let text = zstd::encode_all(&b"a changelog"[..], 1).expect("in memory");
    fs::write(folder.path().join("CHANGELOG.zst"), text).expect("written");
    let report = report(&check(folder.path(), &[]));
    assert_eq!(report["skipped"].as_array().map(Vec::len), Some(0), "{report:#}");
}

/// Returns a tar archive with these files.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o755);
        tar.append_data(&mut header, name, *content).expect("in memory");
    }
    tar.into_inner().expect("in memory")
}

/// The same files as in a folder get the same answers in an archive, whatever its compression.
#[test]
fn archives_hide_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = fs::read(example("legacy")).expect("the example is built");
    let mut ext4 = vec![0; 0x438];
    ext4.extend_from_slice(b"\x53\xef");
    let mut iso = vec![0; 0x8001];
    iso.extend_from_slice(b"CD001");
    let lz4: &[u8] = b"\x04\x22\x4d\x18rest";
    for (extension, bytes) in compressed(&program) {
        let name = format!("dist/10-agent.{extension}");
        let tar = archive(&[
            (&name, &bytes),
            ("dist/a.zip", b"PK\x03\x04"),
            ("dist/a.deb", b"!<arch>\ndebian-binary"),
            ("dist/agent.lz4", lz4),
            ("dist/disk.img", &ext4),
            ("dist/disk.iso", &iso),
            ("dist/disk.iso.gz", &compressed(&iso)[0].1),
        ]);
        let packed = zstd::encode_all(tar.as_slice(), 1).expect("in memory");
        for (file, content) in [("a.tar", &tar), ("a.tar.zst", &packed)] {
            let path = folder.path().join(file);
            fs::write(&path, content).expect("written");
            let output = check(folder.path(), &[]);
            let report = report(&output);
            let verdict = &report["subjects"][0]["verdicts"][0]["verdict"];
            assert_eq!(verdict, "deprecated", "{extension} in {file}: {report:#}");
            let skipped = report["skipped"].as_array().expect("a list");
            let reasons: Vec<&str> =
                skipped.iter().map(|one| one["reason"].as_str().unwrap_or_default()).collect();
            assert_eq!(reasons.len(), 6, "{file}: {reasons:?}");
            assert!(reasons.iter().all(|reason| reason.contains("unpack it")), "{reasons:?}");
            fs::remove_file(&path).expect("removed");
        }
    }
}

/// A layer that is a single file, as of artifacts in registries, is not read, and not silent.
#[test]
fn a_layer_that_is_no_archive_is_listed_as_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = folder.path().join("blobs/sha256");
    fs::create_dir_all(&blobs).expect("a folder");
    let layer = serde_json::json!({
        "mediaType": "application/octet-stream",
        "digest": "sha256:aa",
        "annotations": {"org.opencontainers.image.title": "10-agent"},
    });
    let manifest = serde_json::json!({"schemaVersion": 2, "layers": [layer]});
    let index = serde_json::json!({"schemaVersion": 2, "manifests": [{"digest": "sha256:bb"}]});
    let layout = serde_json::json!({"imageLayoutVersion": "1.0.0"});
    for (path, document) in
        [("index.json", &index), ("oci-layout", &layout), ("blobs/sha256/bb", &manifest)]
    {
        fs::write(folder.path().join(path), document.to_string()).expect("written");
    }
    fs::copy(example("legacy"), blobs.join("aa")).expect("copied");
    let report = report(&check(folder.path(), &[]));
    assert_eq!(report["subjects"], serde_json::json!([]), "{report:#}");
    let reason = &report["skipped"][0]["reason"];
    let expected = "layer 1 has the media type application/octet-stream, which is not read";
    assert_eq!(reason, expected);
}
