//! What sort of archive a file is, by its first bytes.

use crate::check::content::File;
use crate::check::packing::Packing;

/// Size of a header block.
const BLOCK: usize = 512;

/// The largest block of zstd with its headers: nothing is unpacked of less than a block.
const ZSTD: usize = (128 << 10) + 64;

/// How an archive is packed; `None` for a file that is none, packed files that hold no tar among them.
pub(in crate::check::collect) fn of(file: &File<'_>) -> Option<Packing> {
    let head = file.head.as_slice();
    match Packing::of(head) {
        Packing::Not => is_tar(head).then_some(Packing::Not),
        Packing::Gzip => {
            is_tar(&start(flate2::bufread::GzDecoder::new(head))).then_some(Packing::Gzip)
        }
        Packing::Zstd => {
            let mut block = vec![0; ZSTD];
            let read = file.content.read_at(0, &mut block).unwrap_or_default();
            let all = block.get(..read).filter(|all| all.len() > head.len());
            let decoder = zstd::stream::read::Decoder::with_buffer(all.unwrap_or(head)).ok()?;
            is_tar(&start(decoder)).then_some(Packing::Zstd)
        }
    }
}

/// As much of the first block as the head yields.
fn start(mut reader: impl std::io::Read) -> Vec<u8> {
    let (mut block, mut filled) = (vec![0; BLOCK], 0);
    while let Some(rest) = block.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(read) if read > 0 => filled += read,
            _ => break,
        }
    }
    block.truncate(filled);
    block
}

/// A first header with the right checksum.
fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.get(..BLOCK) else {
        return false;
    };
    let sum = block.get(148..156).and_then(octal);
    sum == Some(checksum(block))
}

/// The sum of all bytes of a header, its own field counted as spaces.
pub(super) fn checksum(block: &[u8]) -> u64 {
    let bytes = block.iter().enumerate();
    bytes
        .map(|(place, byte)| match (148..156).contains(&place) {
            true => u64::from(b' '),
            false => u64::from(*byte),
        })
        .sum()
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_matches([' ', '\0']);
    u64::from_str_radix(digits, 8).ok()
}
