//! Compressed archives and layers.

use std::io::Write as _;

use crate::common::image::{Layer, gzip, oci, zstd};
use crate::common::{answers, collected, paths, skipped};

pub(crate) fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns a zstd frame that decoders pass over.
fn skippable(length: u32) -> Vec<u8> {
    let mut frame = vec![0x53, 0x2a, 0x4d, 0x18];
    frame.extend(length.to_le_bytes());
    frame.extend(vec![1; length as usize]);
    frame
}

/// Returns a gzip member whose header has a long comment.
fn gzip_with_comment(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::GzBuilder::new()
        .comment(vec![b'x'; 20_000])
        .write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_archives_and_layers_are_read() {
    let large = format!("MARK {}", "x".repeat(300_000));
    let tar = Layer::new().file("bin/10-a", "MARK a").file("bin/20-b", &large).tar();
    let (start, end) = tar.split_at(tar.len() / 2);
    for (what, packed) in [
        ("gzip", gzip(&tar)),
        ("gzip, two members", [gzip(start), gzip(end)].concat()),
        ("gzip, long header", gzip_with_comment(&tar)),
        ("zstd", zstd(&tar)),
        ("zstd, two frames", [zstd(start), zstd(end)].concat()),
        (
            "zstd, skippable between and last",
            [zstd(start), skippable(70_000), zstd(end), skippable(9)].concat(),
        ),
        ("xz", xz(&tar)),
        ("xz, two streams", [xz(start), xz(end)].concat()),
        ("bzip2", bzip2(&tar)),
        ("bzip2, two streams", [bzip2(start), bzip2(end)].concat()),
    ] {
        let found = collected(&packed);
        assert_eq!(
            paths(&found),
            ["it: /bin/10-a", "it: /bin/20-b"],
            "{what}: {:?}",
            found.skipped
        );
        assert_eq!(skipped(&found), [""; 0], "{what}");
        let image = oci(&[("p", &["aaaa"])], &[("aaaa", packed)]);
        for bytes in [image.tar(), xz(&image.tar())] {
            let in_image = collected(&bytes);
            assert_eq!(paths(&in_image), ["it: p: /bin/10-a", "it: p: /bin/20-b"], "{what}");
            assert_eq!(skipped(&in_image), [""; 0], "{what}");
        }
    }
}

#[test]
fn zstd_after_a_frame_to_skip_is_listed() {
    let tar = Layer::new().file("bin/10-a", "MARK a").tar();
    let packed = [skippable(5), zstd(&tar)].concat();
    let image = oci(&[("p", &["aaaa"])], &[("aaaa", packed.clone())]);
    for bytes in [packed, image.tar()] {
        let found = answers(&collected(&bytes)).concat();
        assert!(found.contains("zstd after a frame to skip"), "{found}");
    }
}

#[test]
fn compressed_archives_that_end_early_are_unknown() {
    let noise: String = (0_u32..400_000)
        .map(|n| char::from(b'a' + (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 26))
        .collect();
    let tar = Layer::new()
        .file("bin/10-a", "MARK a")
        .file("bin/x", &noise)
        .file("bin/20-b", "MARK b")
        .tar();
    for (what, packed) in
        [("gzip", gzip(&tar)), ("zstd", zstd(&tar)), ("xz", xz(&tar)), ("bzip2", bzip2(&tar))]
    {
        let found = collected(&packed[..packed.len() / 2]);
        assert_eq!(answers(&found).len(), 1, "{what}: {found:?}");
        assert!(answers(&found)[0].starts_with("it: not all of it could be read: "), "{what}");
    }
}

#[test]
fn an_archive_within_an_archive_is_recognised_behind_its_first_bytes() {
    let noise: Vec<u8> =
        (0_u32..60_000).map(|n| (n.wrapping_mul(2_654_435_761) >> 23) as u8).collect();
    let inner =
        Layer::new().entry("noise", tar::EntryType::Regular, &noise).file("x", "MARK x").tar();
    for packed in [zstd(&inner), bzip2(&inner), xz(&inner), gzip(&inner)] {
        let tar = Layer::new().entry("a", tar::EntryType::Regular, &packed).tar();
        assert_eq!(skipped(&collected(&tar)), ["it: /a: an archive within an archive, not opened"]);
    }
}
