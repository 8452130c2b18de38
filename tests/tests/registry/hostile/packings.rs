//! Layers that cost memory, or are packed in a way that is not read: a row each.

use nri_compat::check::collect::{Collected, ImageOptions, ImageRequest, Request, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::sighting::Interface;
use nri_tests::registry::{Image, Images, Registry, layer, plugin, zstd};

use super::PLUGIN;

const TAR: &str = "application/vnd.oci.image.layer.v1.tar";

/// Checks an image of four layers with this media type and content.
fn check(kind: &str, content: &[u8]) -> Collected {
    // Each has another digest, so that threads read them at the same time.
    let layers = (0_u8..4).map(|number| {
        let frame = [b"\x50\x2a\x4d\x18\x01\0\0\0".as_slice(), &[number]].concat();
        (kind.to_owned(), [content, &frame].concat())
    });
    let image =
        Image { layers: layers.collect(), architecture: "amd64".to_owned(), ..Image::default() };
    let mut images = Images::default();
    images.add("a", "v1", &image);
    let registry = Registry::faithful(images);
    let request = Request {
        images: vec![ImageRequest::new(&registry.reference("a:v1"))],
        image_options: ImageOptions { insecure: vec![registry.host()], ..ImageOptions::default() },
        threads: 4,
        ..Request::default()
    };
    collect(&request, READERS)
}

/// Returns a frame with a window of two to the power of `log`.
fn frame(bytes: &[u8], log: u32) -> Vec<u8> {
    let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(log).unwrap();
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns the frames of a tar with the plugin at its end, with these windows.
fn growing(logs: &[u32]) -> Vec<u8> {
    let filler = vec![b'x'; 100_000];
    let tar = layer(&[("filler", &filler), (PLUGIN, &plugin())]);
    let pieces = tar.chunks(tar.len().div_ceil(logs.len()));
    let frames = pieces.zip(logs).map(|(piece, log)| frame(piece, *log));
    frames.collect::<Vec<_>>().concat()
}

#[test]
fn layers_are_read_within_the_limits_or_unknown() {
    let tar = layer(&[(PLUGIN, &plugin())]);
    let many: Vec<u32> = (0..400).map(|number| 10 + number % 16).collect();
    let zstd_label = format!("{TAR}+zstd");
    let cut = zstd(&tar);
    for (what, kind, content, expected) in [
        ("growing windows", zstd_label.as_str(), growing(&[10, 14, 18, 22, 25]), Ok(())),
        ("shrinking windows", &zstd_label, growing(&[25, 20, 15, 10]), Ok(())),
        ("many frames", &zstd_label, growing(&many), Ok(())),
        (
            "a window that is too large after the first frame",
            &zstd_label,
            growing(&[20, 27]),
            Err("too much memory"),
        ),
        (
            "skippable frames first",
            &zstd_label,
            [vec![0x5a, 0x2a, 0x4d, 0x18, 0, 0, 0, 0], zstd(&tar)].concat(),
            Err("compressed with zstd after a frame to skip"),
        ),
        ("a frame that is cut short", &zstd_label, cut[..cut.len() - 9].to_vec(), Err("")),
        (
            "something else after a frame",
            &zstd_label,
            [cut.clone(), b"other bytes".to_vec()].concat(),
            Err(""),
        ),
        (
            "another media type",
            "application/octet-stream",
            tar.clone(),
            Err("the media type application/octet-stream, which is not read"),
        ),
        (
            "lz4",
            TAR,
            [b"\x04\x22\x4d\x18".to_vec(), vec![7; 600]].concat(),
            Err("compressed with lz4, which is not read: unpack it and check the folder"),
        ),
    ] {
        let found = check(kind, &content);
        let seen = &found.sightings;
        match expected {
            Ok(()) => {
                assert!(found.skipped.is_empty(), "{what}: {:?}", found.skipped);
                assert!(
                    seen.iter().any(|one| one.interface == Interface::Funnelled),
                    "{what}: {seen:?}"
                );
            }
            Err(why) => {
                let is_said = |one: &nri_compat::sighting::Sighting| matches!(&one.interface, Interface::Unknown(unknown) if unknown.to_string().contains(why));
                assert!(seen.iter().any(is_said), "{what}: {seen:?}");
            }
        }
    }
}
