//! The formats that may hold programs and are not read: archives, packages, compressed files and images
//! of disks. One table of first bytes recognises them in folders, archives and images alike.

use crate::check::content::Content;
use crate::packing::Packing;
use crate::skipped::{SkipKind, Unreadable};

/// The number of first bytes that are enough to recognise every format.
pub(super) const ENOUGH: usize = 0x1_0048;

/// A format: the position of the bytes that identify it, these bytes, the class of the reason why it is not read,
/// and its name.
type UnreadFormat = (u64, &'static [u8], SkipKind, &'static str);

const FORMAT: SkipKind = SkipKind::UnsupportedFormat;

const COMPRESSION: SkipKind = SkipKind::UnsupportedCompression;

/// The formats that may hold programs and are not read.
const FORMATS: [UnreadFormat; 34] = [
    (0, b"PK\x03\x04", FORMAT, "a ZIP archive"),
    (0, b"7z\xbc\xaf\x27\x1c", FORMAT, "a 7z archive"),
    (0, b"Rar!\x1a\x07", FORMAT, "a RAR archive"),
    (0, b"\xed\xab\xee\xdb", FORMAT, "an RPM package"),
    (0, b"!<arch>\ndebian", FORMAT, "a Debian package"),
    (0, b"ADBd", FORMAT, "a package of Alpine Linux"),
    (0, b"ADBc", FORMAT, "a package of Alpine Linux"),
    (0, b"070701", FORMAT, "a cpio archive"),
    (0, b"070702", FORMAT, "a cpio archive"),
    (0, b"070707", FORMAT, "a cpio archive"),
    (0, b"\xc7\x71", FORMAT, "a cpio archive"),
    (0, b"MSCF", FORMAT, "a cabinet"),
    (0, b"xar!", FORMAT, "an xar archive"),
    (0, b"hsqs", FORMAT, "a SquashFS image"),
    (0, b"XFSB", FORMAT, "an XFS file system"),
    (0x101, b"ustar", FORMAT, "a damaged tar archive"),
    (0x400, b"\xe2\xe1\xf5\xe0", FORMAT, "an EROFS image"),
    (0x438, b"\x53\xef", FORMAT, "an ext4 file system"),
    (0x8001, b"CD001", FORMAT, "an ISO 9660 image"),
    (0x1_0040, b"_BHRfS_M", FORMAT, "a Btrfs file system"),
    (0x200, b"EFI PART", FORMAT, "an image of a disk"),
    (0, b"QFI\xfb", FORMAT, "a disk image in the format qcow2"),
    (0, b"KDMV", FORMAT, "a disk image in the format VMDK"),
    (0, b"vhdxfile", FORMAT, "a disk image in the format VHDX"),
    (0, b"conectix", FORMAT, "a disk image in the format VHD"),
    (
        0x40,
        b"\x7f\x10\xda\xbe",
        FORMAT,
        "a disk image in the format VDI",
    ),
    (0, b"\x04\x22\x4d\x18", COMPRESSION, "compressed with lz4"),
    (0, b"\x02\x21\x4c\x18", COMPRESSION, "compressed with lz4"),
    (
        1,
        b"\x2a\x4d\x18",
        COMPRESSION,
        "compressed with zstd after a frame to skip",
    ),
    (0, b"\x1f\x9d", COMPRESSION, "compressed with compress"),
    (0, b"LZIP", COMPRESSION, "compressed with lzip"),
    (0, b"\x5d\0\0", COMPRESSION, "compressed with lzma"),
    (
        0,
        b"\x89LZO\0\r\n\x1a\n",
        COMPRESSION,
        "compressed with lzop",
    ),
    (
        0,
        b"\xff\x06\0\0sNaPpY",
        COMPRESSION,
        "compressed with Snappy",
    ),
];

/// The first entries of ZIP files that hold no programs for nodes: libraries of Java, documents, books.
const OTHER_ZIP_FILES: [&[u8]; 3] = [b"META-INF/", b"[Content_Types].xml", b"mimetype"];

/// The position of the name of the first entry in a ZIP file.
const ZIP_NAME: usize = 30;

/// Returns the reason why content with these first bytes is not read although it may hold programs;
/// `None` for other content.
pub(super) fn reason(head: &[u8], content: &dyn Content) -> Option<Unreadable> {
    let (kind, name) = unread_format(head, content)?;
    Some(unpack_it(kind, name))
}

/// Returns the reason why a compressed file is not read although it may hold programs, by its first
/// [`ENOUGH`] decompressed bytes; `None` for other files.
pub(super) fn reason_inside(packing: Packing, start: &[u8]) -> Option<Unreadable> {
    let outer = packing.name()?;
    let inner = match Packing::detect(start).name() {
        Some(inner) => format!("compressed with {inner}"),
        None => unread_format(start, &start)?.1.to_owned(),
    };
    let what = format!("{inner}, within {outer}");
    Some(unpack_it(SkipKind::UnsupportedFormat, &what))
}

fn unread_format(head: &[u8], content: &dyn Content) -> Option<(SkipKind, &'static str)> {
    let mut formats = FORMATS.iter();
    let found = formats.find(|(offset, magic, ..)| has_bytes(head, content, *offset, magic));
    let (.., kind, name) = found.filter(|_| !is_other_zip(head))?;
    Some((*kind, name))
}

/// Returns true if content with these first bytes has `magic` at this position.
fn has_bytes(head: &[u8], content: &dyn Content, offset: u64, magic: &[u8]) -> bool {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    if let Some(found) = head.get(start..start.saturating_add(magic.len())) {
        return found == magic;
    }
    let mut bytes = vec![0; magic.len()];
    let read = content.read_at(offset, &mut bytes);
    read.is_ok_and(|read| read == bytes.len()) && bytes == magic
}

fn unpack_it(kind: SkipKind, what: &str) -> Unreadable {
    let reason = format!("{what}, which is not read: unpack it and check the folder");
    Unreadable::new(kind, reason)
}

fn is_other_zip(head: &[u8]) -> bool {
    let name = head.get(ZIP_NAME..).unwrap_or_default();
    head.starts_with(b"PK\x03\x04") && OTHER_ZIP_FILES.iter().any(|other| name.starts_with(other))
}
