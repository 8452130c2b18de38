//! Data appended to a program, such as the compressed program in a self-extracting one.

use super::Image;
use super::window::Part;
use crate::check::evidence::Unreadable;
use crate::packing::{XZ, ZSTD};

/// The first bytes of archives and compressed streams, with their names.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (&[0x1f, 0x8b, 8], "gzip"),
    (ZSTD, "zstd"),
    (XZ, "xz"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"PK\x03\x04", "zip"),
    (b"hsqs", "squashfs"),
    (b"\x7fELF", "another program"),
    (b"\x04\x22\x4d\x18", "lz4"),
];
/// The final marks of archives that are read from the end.
const ENDINGS: &[(&[u8], &str)] = &[
    (b"PK\x05\x06", "zip"),
    (b"MEI\x0c\x0b\x0a\x0b\x0e", "PyInstaller"),
];
/// The number of bytes of appended data, after padding, that are searched for its start.
const BEGINNING: u64 = 4096;
/// The maximum distance of an archive's mark from its end in bytes: a zip file may end with a
/// comment of 64 KiB.
const ENDING: u64 = (1 << 16) + 64;

/// Data appended to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appended {
    /// The format, if it is a known one.
    pub(crate) format: Option<&'static str>,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// Returns the data appended to a program; `None` if there is none, or only padding.
///
/// It must have a known format in files other than ELF, to which tables of symbols and signatures are
/// appended, and in ELF files without section headers, where the sections that are not loaded look
/// like appended data.
pub(crate) fn appended(image: &Image<'_>, is_elf: bool) -> Result<Option<Appended>, Unreadable> {
    let offset = image.headers.end;
    let size = image.content.len().saturating_sub(offset);
    if size == 0 {
        return Ok(None);
    }
    let beginning = image.part(offset, BEGINNING.min(size))?;
    let from_end = image.content.len() - ENDING.min(size);
    let ending = image.part(from_end, ENDING)?;
    let format = begins(&beginning).or_else(|| ends(&ending));
    let is_data = |part: &Part<'_>| part.iter().any(|byte| *byte != 0);
    let any_counts = is_elf && !image.headers.stripped;
    let counts = format.is_some() || any_counts && (is_data(&beginning) || is_data(&ending));
    Ok(counts.then_some(Appended {
        format,
        offset,
        size,
    }))
}

fn begins(bytes: &Part<'_>) -> Option<&'static str> {
    let padding = bytes.iter().take_while(|byte| **byte == 0).count();
    let bytes = bytes.get(padding..)?;
    let mut all = BEGINNINGS.iter();
    all.find(|(mark, _)| bytes.starts_with(mark))
        .map(|(_, kind)| *kind)
}

fn ends(bytes: &Part<'_>) -> Option<&'static str> {
    let mut all = ENDINGS.iter();
    all.find(|(mark, _)| memchr::memmem::find(bytes, mark).is_some())
        .map(|(_, kind)| *kind)
}
