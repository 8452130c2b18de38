//! The formats that may hold programs and are not read: archives, packages, compressed files and images
//! of disks. One table of first bytes recognises them in folders, archives and images alike.

use crate::check::content::Content;
use crate::skipped::{SkipKind, Unreadable};
use crate::unpack::Packing;

/// The number of first bytes that are enough to recognise every format.
pub(super) const ENOUGH: usize = 0x1_0048;

/// The formats that may hold programs and are not read: the position of the bytes that identify a format, these
/// bytes, and its name.
const FORMATS: [(u64, &[u8], &str); 26] = [
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
    (0, b"\xed\xab\xee\xdb", "an RPM package"),
    (0, b"!<arch>\ndebian", "a Debian package"),
    (0, b"ADBd", "a package of Alpine Linux"),
    (0, b"ADBc", "a package of Alpine Linux"),
    (0, b"070701", "a cpio archive"),
    (0, b"070702", "a cpio archive"),
    (0, b"070707", "a cpio archive"),
    (0, b"\xc7\x71", "a cpio archive"),
    (0, b"MSCF", "a cabinet"),
    (0, b"xar!", "an xar archive"),
    (0, b"hsqs", "a SquashFS image"),
    (0, b"XFSB", "an XFS file system"),
    (0x101, b"ustar", "a damaged tar archive"),
    (0x400, b"\xe2\xe1\xf5\xe0", "an EROFS image"),
    (0x438, b"\x53\xef", "an ext4 file system"),
    (0x8001, b"CD001", "an ISO 9660 image"),
    (0x1_0040, b"_BHRfS_M", "a Btrfs file system"),
    (0x200, b"EFI PART", "an image of a disk"),
    (0, b"QFI\xfb", "a disk image in the format qcow2"),
    (0, b"KDMV", "a disk image in the format VMDK"),
    (0, b"vhdxfile", "a disk image in the format VHDX"),
    (0, b"conectix", "a disk image in the format VHD"),
    (0x40, b"\x7f\x10\xda\xbe", "a disk image in the format VDI"),
];

/// The compressions that are not read, in the same form.
const COMPRESSIONS: [(u64, &[u8], &str); 8] = [
    (0, b"\x04\x22\x4d\x18", "lz4"),
    (0, b"\x02\x21\x4c\x18", "lz4"),
    (1, b"\x2a\x4d\x18", "zstd after a frame to skip"),
    (0, b"\x1f\x9d", "compress"),
    (0, b"LZIP", "lzip"),
    (0, b"\x5d\0\0", "lzma"),
    (0, b"\x89LZO\0\r\n\x1a\n", "lzop"),
    (0, b"\xff\x06\0\0sNaPpY", "Snappy"),
];

/// The first entries of ZIP files that hold no programs for nodes: libraries of Java, documents, books.
const OTHER_ZIP_FILES: [&[u8]; 3] = [b"META-INF/", b"[Content_Types].xml", b"mimetype"];

/// The position of the name of the first entry in a ZIP file.
const ZIP_NAME: usize = 30;

/// Returns the reason why content with these first bytes is not read although it may hold programs;
/// `None` for other content.
pub(super) fn reason(head: &[u8], content: &dyn Content) -> Option<Unreadable> {
    let (kind, name) = unread_format(head, content)?;
    Some(unpack_it(kind, &name))
}

/// Returns the reason why a compressed file is not read although it may hold programs, by its first
/// [`ENOUGH`] decompressed bytes; `None` for other files.
pub(super) fn reason_inside(packing: Packing, start: &[u8]) -> Option<Unreadable> {
    let outer = packing.name()?;
    let inner = match Packing::detect(start).name() {
        Some(inner) => format!("compressed with {inner}"),
        None => unread_format(start, &start)?.1,
    };
    let what = format!("{inner}, within {outer}");
    Some(unpack_it(SkipKind::UnsupportedFormat, &what))
}

fn unread_format(head: &[u8], content: &dyn Content) -> Option<(SkipKind, String)> {
    let is = |(offset, magic, _): &&(u64, &[u8], &str)| has_bytes(head, content, *offset, magic);
    if let Some((.., name)) = FORMATS.iter().find(is) {
        return (!is_other_zip(head)).then(|| (SkipKind::UnsupportedFormat, (*name).to_owned()));
    }
    let (.., name) = COMPRESSIONS.iter().find(is)?;
    Some((SkipKind::UnsupportedCompression, format!("compressed with {name}")))
}

/// Returns true if content with these first bytes has `magic` at this position.
fn has_bytes(head: &[u8], content: &dyn Content, offset: u64, magic: &[u8]) -> bool {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    if let Some(found) = head.get(start..start.saturating_add(magic.len())) {
        return found == magic;
    }
    if !may_be_image(head) {
        return false;
    }
    let mut bytes = vec![0; magic.len()];
    let read = content.read_at(offset, &mut bytes);
    read.is_ok_and(|read| read == bytes.len()) && bytes == magic
}

/// Returns true unless the first bytes are a text, as those of most files are: no image of a disk begins with one.
pub(super) fn may_be_image(head: &[u8]) -> bool {
    head.contains(&0)
}

fn unpack_it(kind: SkipKind, what: &str) -> Unreadable {
    let reason = format!("{what}, which is not read: unpack it and check the folder");
    Unreadable::new(kind, reason)
}

fn is_other_zip(head: &[u8]) -> bool {
    let name = head.get(ZIP_NAME..).unwrap_or_default();
    head.starts_with(b"PK\x03\x04") && OTHER_ZIP_FILES.iter().any(|other| name.starts_with(other))
}
