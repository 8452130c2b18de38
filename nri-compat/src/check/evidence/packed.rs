//! Packed data in a program, which was not read and may be another program.
//!
//! Not each kind of packing has a reader. Packed data looks random, and data that was made letters
//! for a source file has few different ones. Neither code nor texts nor tables look so over a long
//! distance.

use super::Unreadable;
use super::binary::Image;
use super::binary::window::windows;
use crate::check::content::File;
use crate::skipped::{SkipKind, Skipped};

/// The number of bytes that are looked at together.
const BLOCK: usize = 16 << 10;

/// The number of blocks in a row from which on data counts: 256 KiB that begin anywhere have this
/// many whole blocks.
const MIN_BLOCKS: u64 = 15;

/// The minimum entropy of packed data in bits per byte. Code has up to 6.5, and data packed with
/// lz4 has about 7.
const MIN_ENTROPY: f64 = 6.8;

/// The minimum entropy of packed data in hexadecimal digits or base64.
const MIN_ENTROPY_OF_LETTERS: f64 = 3.8;

/// The beginnings of the names of sections whose content is known: code, symbols, and information
/// for debuggers, which linkers pack.
const KNOWN: [&str; 6] = [".text", ".debug", ".zdebug", ".gnu_debugdata", ".symtab", ".strtab"];

/// Returns an entry for the packed data in a program, if there is any.
pub(in crate::check) fn skipped(file: &File<'_>) -> Option<Skipped> {
    if !file.head.starts_with(crate::magic::ELF) {
        return None;
    }
    let why = match packed_bytes(&Image::read(file)) {
        Ok(0) => return None,
        Ok(bytes) => {
            let size = crate::report::bytes(bytes);
            let reason = format!("carries {size} of packed data, which was not read");
            Unreadable::new(SkipKind::UnsupportedCompression, reason)
                .with_help("if it is another program, check that one as well")
        }
        Err(why) => why,
    };
    Some(Skipped::unreadable(file.place.clone(), why))
}

fn packed_bytes(image: &Image<'_>) -> Result<u64, Unreadable> {
    let is_known = |name: &str| KNOWN.iter().any(|known| name.starts_with(known));
    let mut all = 0;
    for part in image.outside(is_known) {
        let (mut row, mut packed) = (0, 0);
        windows(image.content, part, 0, |_, bytes| {
            for block in bytes.chunks_exact(BLOCK) {
                row = if looks_packed(block) { row + 1 } else { 0 };
                packed += match row {
                    MIN_BLOCKS => MIN_BLOCKS,
                    row if row > MIN_BLOCKS => 1,
                    _ => 0,
                };
            }
            None::<()>
        })?;
        all += packed * BLOCK as u64;
    }
    Ok(all)
}

fn looks_packed(block: &[u8]) -> bool {
    let mut counts = [0_u32; 256];
    block.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let entropy = entropy(&counts, block.len());
    entropy >= MIN_ENTROPY || entropy >= MIN_ENTROPY_OF_LETTERS && has_only_digits(&counts)
}

/// Returns true for hexadecimal digits or base64, with line ends.
fn has_only_digits(counts: &[u32; 256]) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_\r\n".contains(&byte);
    (0..=u8::MAX).zip(counts).all(|(byte, count)| *count == 0 || is_digit(byte))
}

/// Returns the entropy in bits per byte.
fn entropy(counts: &[u32; 256], bytes: usize) -> f64 {
    let bytes = bytes as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / bytes);
    shares.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// Returns bytes that look like code: few of them are frequent.
    fn code(size: u32) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 24
        };
        (0..size).map(|_| u8::try_from(next() & next() & 0x7f).unwrap_or_default()).collect()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut packer =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(bytes).expect("in memory");
        packer.finish().expect("in memory")
    }

    fn share_of_packed(bytes: &[u8]) -> f64 {
        let blocks = bytes.chunks_exact(BLOCK);
        blocks.clone().filter(|block| looks_packed(block)).count() as f64 / blocks.count() as f64
    }

    #[test]
    fn packed_data_is_told_from_code_and_texts() {
        let code = code(4 << 20);
        let compressed = zlib(&code);
        let hex: Vec<u8> =
            compressed.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect();
        for packed in [&compressed, &hex] {
            assert!(share_of_packed(packed) > 0.99);
        }
        let text = b"a sentence of a help, with words and spaces; ".repeat(1 << 14);
        for plain in [&code[..], &text, &[0; 1 << 20], &b"0123".repeat(1 << 16)] {
            assert!(share_of_packed(plain) < 0.01);
        }
    }
}
