//! Detects the kind of an archive from its first bytes.

use crate::check::collect::compressed;
use crate::check::content::File;
use crate::packing::Packing;

/// The size of a header block, in bytes.
const BLOCK: usize = 512;

/// Returns the compression of an archive; `None` for a file that is not an archive, such as a
/// compressed file other than a tar.
pub(in crate::check::collect) fn archive_packing(file: &File<'_>) -> Option<Packing> {
    let packing = Packing::detect(&file.head);
    let is_archive = if packing == Packing::Not {
        is_tar(&file.head)
    } else {
        is_tar(&compressed::unpacked_head(file, BLOCK))
    };
    is_archive.then_some(packing)
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
fn has_checksum(block: &[u8], sum: u64) -> bool {
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
