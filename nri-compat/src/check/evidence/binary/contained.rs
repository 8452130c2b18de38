//! Data in a program other than its own code: data appended to it, such as the compressed program
//! in a self-extracting one, and programs among its constants, plain or compressed with gzip.
//!
//! A program that embeds another one may start it, so that the handlers of both count.

use std::io::Read as _;
use std::sync::LazyLock;

use memchr::memmem;

use super::Image;
use super::bytes::Layout;
use super::window::{Needles, windows};
use crate::check::evidence::Unreadable;
use crate::magic::{ELF, ENDINGS, FORMATS, GZIP_STARTS, Packing};
use crate::unpack::decoder;

/// The number of bytes of appended data, after padding, that are searched for its start, and of
/// bytes that are enough to see the format of data that begins with them.
const BEGINNING: u64 = 4096;
/// The maximum distance of an archive's mark from its end in bytes: a zip file may end with a
/// comment of 64 KiB.
const ENDING: u64 = (1 << 16) + 64;
/// The number of compressed bytes from which the first bytes of a program are unpacked, and the
/// number of unpacked bytes that are searched for a program.
const PACKED: u64 = 256 << 10;
/// The machine of programs for the kernel (BPF).
const BPF: u16 = 247;

/// Data that is appended to a program.
pub(crate) struct Appended {
    /// The number of its bytes.
    pub(crate) size: u64,
    /// Its format, if it is packed.
    pub(crate) format: Option<&'static str>,
}

/// Returns the data appended to a program; `None` if there is none, or only padding.
///
/// It must have a known format in files without section headers, where the sections that are not
/// loaded look like appended data.
pub(crate) fn appended(image: &Image<'_>) -> Result<Option<Appended>, Unreadable> {
    let offset = image.headers.end;
    let size = image.content.len().saturating_sub(offset);
    if size == 0 {
        return Ok(None);
    }
    let beginning = image.part(offset, BEGINNING.min(size))?;
    let from_end = image.content.len() - ENDING.min(size);
    let ending = image.part(from_end, ENDING)?;
    let format = begins(&beginning).or_else(|| ends(&ending));
    let is_data = |part: &[u8]| part.iter().any(|byte| *byte != 0);
    let counts = !image.headers.stripped && (is_data(&beginning) || is_data(&ending));
    Ok((format.is_some() || counts).then_some(Appended { size, format }))
}

fn begins(bytes: &[u8]) -> Option<&'static str> {
    let padding = bytes.iter().take_while(|byte| **byte == 0).count();
    let bytes = bytes.split_at(padding).1;
    let found = FORMATS.iter().filter(|magic| magic.is_in(bytes));
    found.filter_map(|magic| magic.appended).next()
}

fn ends(bytes: &[u8]) -> Option<&'static str> {
    ENDINGS.iter().find_map(|(mark, kind)| memmem::find(bytes, mark).map(|_| *kind))
}

/// Returns a description of the first program that is embedded in these parts of a program.
pub(crate) fn embedded(
    image: &Image<'_>,
    parts: &[(u64, u64)],
) -> Result<Option<&'static str>, Unreadable> {
    static STARTS: LazyLock<Needles> = LazyLock::new(|| {
        let [unnamed, named] = GZIP_STARTS;
        Needles::new(&[ELF, unnamed, named])
    });
    for part in parts {
        let found = windows(image.content, *part, 8, |at, bytes| {
            let places = STARTS.places(bytes).map(|place| at + place as u64);
            // The file itself begins like a program.
            let mut found = places.filter(|place| *place > 0).map(|place| described(image, place));
            found.find_map(Result::transpose)
        })?;
        if let Some(found) = found {
            return found.map(Some);
        }
    }
    Ok(None)
}

/// Returns a description of the program that begins at this place, if one does.
fn described(image: &Image<'_>, place: u64) -> Result<Option<&'static str>, Unreadable> {
    let head = image.part(place, BEGINNING)?;
    if head.starts_with(ELF) {
        return Ok(is_program(&head).then_some("another program"));
    }
    let packed = image.part(place, PACKED)?;
    let mut unpacked = Vec::new();
    if let Ok(decoder) = decoder(&*packed, Packing::Gzip) {
        // The packed bytes may end early.
        let _ = decoder.take(PACKED).read_to_end(&mut unpacked);
    }
    let has_program = |at| is_program(unpacked.split_at(at).1);
    let found = memmem::find_iter(&unpacked, ELF).any(has_program);
    Ok(found.then_some("another program (gzip)"))
}

/// Returns true for the first bytes of a program or shared library: not for an object file, a
/// program for the kernel, or other data that begins alike.
fn is_program(bytes: &[u8]) -> bool {
    let &[_, _, _, _, class @ (1 | 2), order @ (1 | 2), 1, ..] = bytes else {
        return false;
    };
    let layout = Layout { wide: class == 2, big: order == 2 };
    let number = |at| layout.u16(bytes, at).unwrap_or_default();
    matches!(number(16), 2 | 3) && !matches!(number(18), 0 | BPF)
}
