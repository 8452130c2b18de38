//! Detects the kind of an archive from its first bytes.

use std::io::Read as _;

use super::unpack;
use crate::check::content::{Content, File};
use crate::packing::Packing;

/// The size of a header block, in bytes.
const BLOCK: usize = 512;

/// Returns the compression of an archive; `None` for a file that is not an archive, such as a
/// compressed file other than a tar.
pub(in crate::check::collect) fn of(file: &File<'_>) -> Option<Packing> {
    let packing = Packing::of(&file.head);
    let is_archive = match packing {
        Packing::Not => is_tar(&file.head),
        Packing::Gzip | Packing::Zstd | Packing::Xz | Packing::Bzip2 => {
            starts_with_tar(file, packing)
        }
    };
    is_archive.then_some(packing)
}

/// Returns true if decompression yields a tar header. Reads more than the head only if the head is
/// not enough.
fn starts_with_tar(file: &File<'_>, packing: Packing) -> bool {
    let head = file.head.unpacked();
    let is_all = file.content.len() <= file.head.len() as u64;
    if head.len() >= BLOCK {
        is_tar(head)
    } else if is_all {
        is_tar(&first_block(&&*file.head, packing, file.head.len().max(1)))
    } else {
        is_tar(&first_block(file.content, packing, unpack::BUFFER))
    }
}

/// Decompresses the first block, or as much of it as there is.
fn first_block(content: &dyn Content, packing: Packing, buffer: usize) -> Vec<u8> {
    let mut block = Vec::with_capacity(BLOCK);
    if let Ok(decoder) = unpack::decoder(content, packing, buffer) {
        // Data decompressed before an error counts.
        let _ = decoder.take(BLOCK as u64).read_to_end(&mut block);
    }
    block
}

/// Returns true if the checksum of the first header is correct.
fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.get(..BLOCK) else {
        return false;
    };
    let sum = block.get(148..156).and_then(octal);
    sum.is_some_and(|sum| has_checksum(block, sum))
}

/// Returns true if this is the sum of all bytes of a header, with its checksum field counted as
/// spaces. Some old programs add signed bytes.
pub(super) fn has_checksum(block: &[u8], sum: u64) -> bool {
    let bytes = block.iter().enumerate().map(|(place, byte)| {
        let is_own = (148..156).contains(&place);
        if is_own { b' ' } else { *byte }
    });
    let unsigned: i64 = bytes.clone().map(i64::from).sum();
    let signed: i64 = bytes.map(|byte| i64::from(byte.cast_signed())).sum();
    i64::try_from(sum).is_ok_and(|sum| sum == unsigned || sum == signed)
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_matches([' ', '\0']);
    u64::from_str_radix(digits, 8).ok()
}
