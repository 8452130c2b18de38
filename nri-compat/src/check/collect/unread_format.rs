//! The formats that may hold programs and are not read: archives, packages, compressed files and images
//! of disks. One table of first bytes recognises them in folders, archives and images alike.

use crate::check::content::Content;
use crate::packing::Packing;
use crate::skipped::{SkipKind, Unreadable};

/// The number of first bytes that are enough to recognise every format.
pub(super) const ENOUGH: usize = 0x1_0048;

/// A format that may hold programs and is not read.
struct UnreadFormat {
    /// The position of its bytes in a file.
    offset: u64,
    magic: &'static [u8],
    kind: SkipKind,
    name: &'static str,
}

/// The formats, by the bytes that identify them.
const FORMATS: [UnreadFormat; 34] = [
    at(0, b"PK\x03\x04", "a ZIP archive"),
    at(0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    at(0, b"Rar!\x1a\x07", "a RAR archive"),
    at(0, b"\xed\xab\xee\xdb", "an RPM package"),
    at(0, b"!<arch>\ndebian", "a Debian package"),
    at(0, b"ADBd", "a package of Alpine Linux"),
    at(0, b"ADBc", "a package of Alpine Linux"),
    at(0, b"070701", "a cpio archive"),
    at(0, b"070702", "a cpio archive"),
    at(0, b"070707", "a cpio archive"),
    at(0, b"\xc7\x71", "a cpio archive"),
    at(0, b"MSCF", "a cabinet"),
    at(0, b"xar!", "an xar archive"),
    at(0, b"hsqs", "a SquashFS image"),
    at(0, b"XFSB", "an XFS file system"),
    at(0x101, b"ustar", "a damaged tar archive"),
    at(0x400, b"\xe2\xe1\xf5\xe0", "an EROFS image"),
    at(0x438, b"\x53\xef", "an ext4 file system"),
    at(0x8001, b"CD001", "an ISO 9660 image"),
    at(0x1_0040, b"_BHRfS_M", "a Btrfs file system"),
    at(0x200, b"EFI PART", "an image of a disk"),
    at(0, b"QFI\xfb", "a disk image in the format qcow2"),
    at(0, b"KDMV", "a disk image in the format VMDK"),
    at(0, b"vhdxfile", "a disk image in the format VHDX"),
    at(0, b"conectix", "a disk image in the format VHD"),
    at(0x40, b"\x7f\x10\xda\xbe", "a disk image in the format VDI"),
    compressed(b"\x04\x22\x4d\x18", "compressed with lz4"),
    compressed(b"\x02\x21\x4c\x18", "compressed with lz4"),
    UnreadFormat {
        offset: 1,
        ..compressed(
            b"\x2a\x4d\x18",
            "compressed with zstd after a frame to skip",
        )
    },
    compressed(b"\x1f\x9d", "compressed with compress"),
    compressed(b"LZIP", "compressed with lzip"),
    compressed(b"\x5d\0\0", "compressed with lzma"),
    compressed(b"\x89LZO\0\r\n\x1a\n", "compressed with lzop"),
    compressed(b"\xff\x06\0\0sNaPpY", "compressed with Snappy"),
];

const fn at(offset: u64, magic: &'static [u8], name: &'static str) -> UnreadFormat {
    UnreadFormat {
        offset,
        magic,
        kind: SkipKind::UnsupportedFormat,
        name,
    }
}

const fn compressed(magic: &'static [u8], name: &'static str) -> UnreadFormat {
    UnreadFormat {
        offset: 0,
        magic,
        kind: SkipKind::UnsupportedCompression,
        name,
    }
}

/// The first entries of ZIP files that hold no programs for nodes: libraries of Java, documents, books.
const OTHER_ZIP_FILES: [&[u8]; 3] = [b"META-INF/", b"[Content_Types].xml", b"mimetype"];

/// The position of the name of the first entry in a ZIP file.
const ZIP_NAME: usize = 30;

/// Returns the reason why content with these first bytes is not read although it may hold programs;
/// `None` for other content.
pub(super) fn reason(head: &[u8], content: &dyn Content) -> Option<Unreadable> {
    let format = unread_format(head, content)?;
    Some(unpack_it(format.kind, format.name))
}

/// Returns the reason why a compressed file is not read although it may hold programs, by its first
/// [`ENOUGH`] decompressed bytes; `None` for other files.
pub(super) fn reason_inside(packing: Packing, start: &[u8]) -> Option<Unreadable> {
    let outer = packing.name()?;
    let inner = match Packing::detect(start).name() {
        Some(inner) => format!("compressed with {inner}"),
        None => unread_format(start, &start)?.name.to_owned(),
    };
    let what = format!("{inner}, within {outer}");
    Some(unpack_it(SkipKind::UnsupportedFormat, &what))
}

fn unread_format(head: &[u8], content: &dyn Content) -> Option<&'static UnreadFormat> {
    let mut formats = FORMATS.iter();
    formats.find(|format| format.is(head, content) && !is_other_zip(head))
}

fn unpack_it(kind: SkipKind, what: &str) -> Unreadable {
    let reason = format!("{what}, which is not read: unpack it and check the folder");
    Unreadable::new(kind, reason)
}

impl UnreadFormat {
    fn is(&self, head: &[u8], content: &dyn Content) -> bool {
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(self.magic.len());
        if let Some(found) = head.get(start..end) {
            return found == self.magic;
        }
        let mut bytes = vec![0; self.magic.len()];
        let read = content.read_at(self.offset, &mut bytes);
        read.is_ok_and(|read| read == bytes.len()) && bytes == self.magic
    }
}

fn is_other_zip(head: &[u8]) -> bool {
    let name = head.get(ZIP_NAME..).unwrap_or_default();
    head.starts_with(b"PK\x03\x04") && OTHER_ZIP_FILES.iter().any(|other| name.starts_with(other))
}
