//! The contents of compressed files and archives, by their first decompressed bytes.

use std::io::Read as _;
use std::ops::Range;

use super::unread;
use crate::check::content::{Content, File, HEAD, Head, compressed};
use crate::check::evidence::Reader as _;
use crate::check::evidence::program::Program;
use crate::check::evidence::wasm::Wasm;
use crate::skipped::Unreadable;
use crate::unpack::Packing;

/// The size of a header of a tar, in bytes.
const TAR_HEADER: usize = 512;

/// The place of the checksum in a header of a tar.
const TAR_CHECKSUM: Range<usize> = 148..156;

/// The content of a compressed file that is not an archive, as far as it matters.
pub(super) enum PackedContent {
    /// A program.
    Program,
    /// Something that may hold programs and is not read.
    NotRead(Unreadable),
    /// Anything else.
    Other,
}

/// Returns true for an archive, compressed or not.
pub(super) fn is_archive(head: &Head, content: &dyn Content) -> bool {
    if head.packing() == Packing::Not {
        is_tar(head)
    } else {
        is_tar(&unpacked_start(head, content, TAR_HEADER))
    }
}

/// Returns true if the first header is one of a tar, with a correct checksum.
fn is_tar(start: &[u8]) -> bool {
    // Nearly all other files have something other than an octal number there.
    let is_octal = |byte: &u8| matches!(byte, b'0'..=b'7' | b' ' | 0);
    let checksum = start.get(TAR_CHECKSUM);
    if !checksum.is_some_and(|checksum| checksum.iter().all(is_octal)) {
        return false;
    }
    let mut archive = tar::Archive::new(start.get(..TAR_HEADER).unwrap_or_default());
    let first = archive.entries().map(|entries| entries.raw(true).next());
    matches!(first, Ok(Some(Ok(_))))
}

/// Returns the content of a file that is not an archive, if it is compressed.
pub(super) fn content(file: &File<'_>) -> PackedContent {
    if file.head.packing() == Packing::Not {
        return PackedContent::Other;
    }
    let mut start = unpacked_start(&file.head, file.content, HEAD);
    if is_program(file, &start) {
        return PackedContent::Program;
    }
    if unread::may_be_image(&start) {
        start = unpacked_start(&file.head, file.content, unread::ENOUGH);
    }
    match unread::reason_inside(file.head.packing(), &start) {
        Some(why) => PackedContent::NotRead(why),
        None => PackedContent::Other,
    }
}

/// Returns true if a file is a compressed program, by its first decompressed bytes.
fn is_program(file: &File<'_>, start: &[u8]) -> bool {
    let inner = File {
        place: file.place.clone(),
        name: file.name.clone(),
        head: start.to_vec().into(),
        content: &start,
        disk: None,
    };
    Program.recognises(&inner) || Wasm.recognises(&inner)
}

/// Returns the first decompressed bytes of content, at most `most`. Reads more than its head only
/// if that is not enough.
fn unpacked_start(head: &Head, content: &dyn Content, most: usize) -> Vec<u8> {
    let known = head.unpacked();
    let is_all = content.len() <= head.len() as u64 && known.len() < HEAD;
    if is_all || known.len() >= most {
        return known[..known.len().min(most)].to_vec();
    }
    let mut start = Vec::with_capacity(most);
    let unpacked = compressed::reader(content, head.packing());
    // The content before the damage counts.
    let _ = unpacked.map(|unpacked| unpacked.take(most as u64).read_to_end(&mut start));
    start
}
