//! Programs within programs: among the constants, plain or compressed with gzip.
//!
//! A program that embeds another one may start it, so that the handlers of both count.

use std::io::Read as _;
use std::sync::LazyLock;

use super::bytes::Layout;
use super::window::{Flow, windows};
use super::{Image, Unreadable};
use crate::check::needles::Needles;
use crate::packing::Packing;
use crate::unpack::decoder;

/// The first bytes of programs, and of gzip streams with and without a file name.
const BEGINNINGS: [&[u8]; 3] = [ELF, &[0x1f, 0x8b, 8, 0], &[0x1f, 0x8b, 8, 8]];
const ELF: &[u8] = b"\x7fELF";
/// The number of bytes that are enough to see what begins with them.
const HEAD: u64 = 4096;
/// The number of compressed bytes from which the first bytes of a program are unpacked.
const PACKED: u64 = 256 << 10;
/// The number of unpacked bytes that are searched for a program.
const UNPACKED: u64 = 256 << 10;
/// The minimum size of a program that can speak the protocol in bytes. Smaller ones are common:
/// probes that find out which machines the kernel can emulate.
const SMALLEST: u64 = 16 << 10;
/// The machine of programs for the kernel (BPF).
const BPF: u16 = 247;

/// Returns a description of the first program that is embedded in these parts of a program.
pub(crate) fn program(
    image: &Image<'_>,
    parts: &[(u64, u64)],
) -> Result<Option<String>, Unreadable> {
    static NEEDLES: LazyLock<Needles> = LazyLock::new(|| Needles::new(&BEGINNINGS));
    for (offset, length) in parts {
        let mut places = Vec::new();
        windows(image.content, *offset, *length, 8, |at, bytes| {
            NEEDLES.each(bytes, |into| {
                places.push(at + into as u64);
                true
            });
            Flow::On
        })?;
        // The file itself begins like a program.
        for place in places.into_iter().filter(|place| *place > 0) {
            let found = described(image, place)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// Returns what begins at this place, if it is a program.
fn described(image: &Image<'_>, place: u64) -> Result<Option<String>, Unreadable> {
    let head = image.part(place, HEAD)?;
    if head.starts_with(ELF) {
        return Ok(is_program(&head).then(|| "another program".to_owned()));
    }
    Ok(in_gzip(&image.part(place, PACKED)?))
}

/// Returns what is in this gzip stream, if it is a program.
fn in_gzip(bytes: &[u8]) -> Option<String> {
    let unpacked = first(decoder(bytes, Packing::Gzip).ok()?);
    let has_program = |at| is_program(unpacked.split_at(at).1);
    let found = memchr::memmem::find_iter(&unpacked, ELF).any(has_program);
    found.then(|| "another program (gzip)".to_owned())
}

/// Reads the first bytes, up to an error: the packed bytes may end early.
fn first(packed: impl std::io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = packed.take(UNPACKED).read_to_end(&mut bytes);
    bytes
}

/// Returns true for the first bytes of a program or shared library of some size: not for an object
/// file, a program for the kernel, or other data that begins alike.
fn is_program(bytes: &[u8]) -> bool {
    let &[_, _, _, _, class @ (1 | 2), order @ (1 | 2), 1, ..] = bytes else {
        return false;
    };
    let layout = Layout {
        wide: class == 2,
        big: order == 2,
    };
    let number = |at| layout.u16(bytes, at).unwrap_or_default();
    matches!(number(16), 2 | 3) && !matches!(number(18), 0 | BPF) && !is_small(bytes, layout)
}

/// Returns true if no segment of an ELF file ends behind [`SMALLEST`]. Segments that are described
/// beyond these bytes do.
fn is_small(bytes: &[u8], layout: Layout) -> bool {
    let word = layout.word();
    let table = layout.pointer(bytes, 24 + word).unwrap_or_default();
    let number = |at| layout.u16(bytes, at).map_or(0, usize::from);
    let (size, count) = (number(38 + 2 * word), number(40 + 2 * word));
    (0..count).all(|segment| {
        let header = usize::try_from(table).unwrap_or(usize::MAX);
        let header = header.saturating_add(segment * size);
        let field = |place: usize| layout.pointer(bytes, header.saturating_add(place * word));
        match (field(1), field(4)) {
            (Some(offset), Some(length)) => offset.saturating_add(length) < SMALLEST,
            _ => false,
        }
    })
}
