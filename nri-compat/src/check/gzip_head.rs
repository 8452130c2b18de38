//! The first bytes of gzip files, decompressed with one decoder per thread: a scan meets tens of
//! thousands of them, and preparing a decoder takes longer than decompressing a few lines.

use std::cell::RefCell;

use flate2::{Decompress, FlushDecompress, Status};

/// The size of the fixed part of a header, in bytes.
const FIXED: usize = 10;

// Flags of a header, from RFC 1952.
const HAS_CHECKSUM: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;

/// Decompresses the beginning of a gzip file up to one of these sizes, which ascend: the first at
/// which `is_enough` holds, or else the last. `None` if the file ends before, or is damaged: that is
/// left to a complete decoder.
pub(super) fn first(
    file: &[u8],
    sizes: &[usize],
    is_enough: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    thread_local! {
        static DECODER: RefCell<Decompress> = RefCell::new(Decompress::new(false));
    }
    let data = file.get(header_length(file)?..)?;
    DECODER.with_borrow_mut(|decoder| {
        decoder.reset(false);
        let mut first = Vec::new();
        for size in sizes {
            first.reserve_exact(size.checked_sub(first.len())?);
            let read = usize::try_from(decoder.total_in()).ok()?;
            let status =
                decoder.decompress_vec(data.get(read..)?, &mut first, FlushDecompress::None);
            if !matches!(status, Ok(Status::Ok)) || first.len() < *size {
                return None;
            }
            if is_enough(&first) {
                break;
            }
        }
        Some(first)
    })
}

/// Returns the length of the header.
fn header_length(file: &[u8]) -> Option<usize> {
    let flags = *file.get(3)?;
    let mut length = FIXED;
    if flags & HAS_EXTRA != 0 {
        let size = file.get(length..length + 2)?;
        length += 2 + usize::from(u16::from_le_bytes(size.try_into().ok()?));
    }
    for text in [HAS_NAME, HAS_COMMENT] {
        if flags & text != 0 {
            length += memchr::memchr(0, file.get(length..)?)? + 1;
        }
    }
    Some(length + if flags & HAS_CHECKSUM == 0 { 0 } else { 2 })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, GzBuilder};

    use super::*;

    fn packed(builder: GzBuilder, text: &[u8]) -> Vec<u8> {
        let mut encoder = builder.write(Vec::new(), Compression::default());
        encoder.write_all(text).expect("written");
        encoder.finish().expect("finished")
    }

    #[test]
    fn every_form_of_header_is_skipped() {
        let text = b"0123456789\n".repeat(200);
        for builder in [
            GzBuilder::new(),
            GzBuilder::new().filename("name"),
            GzBuilder::new().comment("comment").extra("extra"),
            GzBuilder::new()
                .filename("a")
                .comment("b")
                .extra("c")
                .mtime(1),
        ] {
            let file = packed(builder, &text);
            let found = first(&file, &[100, 1000], |_| false).expect("enough");
            assert_eq!(found, &text[..1000]);
            let found = first(&file, &[100, 1000], |_| true).expect("enough");
            assert_eq!(found, &text[..100]);
        }
    }

    #[test]
    fn damaged_and_short_files_are_left_to_a_complete_decoder() {
        let file = packed(GzBuilder::new().filename("name"), b"0123456789");
        assert_eq!(first(&file, &[11], |_| true), None);
        for end in 0..file.len() {
            assert_eq!(first(&file[..end], &[11], |_| true), None);
        }
        let mut damaged = file;
        damaged[15] = 0xff;
        assert_eq!(first(&damaged, &[11], |_| true), None);
        // The decoder still works.
        let file = packed(GzBuilder::new(), &[b'a'; 64]);
        assert_eq!(first(&file, &[11], |_| true), Some(vec![b'a'; 11]));
    }
}
