//! The first bytes of file formats, in one table: those that are read, and those that only have
//! names in messages.

use std::ops::RangeInclusive;

/// The compression format of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Not,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

/// The use of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A compressed stream that is read.
    Packed(Packing),
    /// A compressed stream that is not read.
    Compressed,
    /// An archive, a package or the image of a disk, which may hold programs and is not read.
    Archive,
    /// A tar archive: it is read, unless it is damaged.
    Tar,
    /// A program.
    Program(ProgramFormat),
}

/// The format of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramFormat {
    /// ELF, the format of Linux.
    Elf,
    /// WebAssembly.
    Wasm,
    /// That of another system: nodes run Linux, so such programs are not read.
    Foreign,
}

/// A file format.
pub(crate) struct Magic {
    /// The position of the bytes that identify it.
    pub(crate) offset: u64,
    pub(crate) bytes: &'static [u8],
    /// Its name, for all but compressions with an article.
    pub(crate) name: &'static str,
    pub(crate) class: Use,
    /// The short name of a format that self-extracting programs have behind their code.
    pub(crate) appended: Option<&'static str>,
    /// The position of another byte, and the values that it has in this format.
    further: Option<(usize, RangeInclusive<u8>)>,
}

impl Magic {
    const fn new(class: Use, offset: u64, bytes: &'static [u8], name: &'static str) -> Self {
        Self { offset, bytes, name, class, appended: None, further: None }
    }

    const fn appended(self, name: &'static str) -> Self {
        Self { appended: Some(name), ..self }
    }

    const fn with(self, position: usize, values: RangeInclusive<u8>) -> Self {
        Self { further: Some((position, values)), ..self }
    }

    /// Returns true if the head of a file has the bytes.
    pub(crate) fn is_in(&self, head: &[u8]) -> bool {
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let has_further = |(position, values): &(usize, RangeInclusive<u8>)| {
            head.get(*position).is_some_and(|byte| values.contains(byte))
        };
        head.get(start..).is_some_and(|rest| rest.starts_with(self.bytes))
            && self.further.as_ref().is_none_or(has_further)
    }
}

/// The first bytes of programs and shared libraries for Linux.
pub(crate) const ELF: &[u8] = b"\x7fELF";

/// The first bytes of WebAssembly modules and components.
pub(crate) const WASM: &[u8] = b"\0asm";

/// The first bytes of gzip files, with the only compression method.
const GZIP: &[u8] = &[0x1f, 0x8b, 8];

/// The first bytes of gzip files without and with the name of the file in them.
pub(crate) const GZIP_STARTS: [&[u8]; 2] = [&[0x1f, 0x8b, 8, 0], &[0x1f, 0x8b, 8, 8]];

/// The first bytes of ZIP files with at least one entry.
pub(crate) const ZIP: &[u8] = b"PK\x03\x04";

/// The mark of the end of a ZIP file, and all of an empty one.
pub(crate) const ZIP_END: &[u8] = b"PK\x05\x06";

/// The final marks of archives that are read from the end, each with the name of its format.
pub(crate) const ENDINGS: &[(&[u8], &str)] =
    &[(ZIP_END, "zip"), (b"MEI\x0c\x0b\x0a\x0b\x0e", "PyInstaller")];

/// The maximum number of architectures in one Mach-O file.
const MAX_ARCHITECTURES: u8 = 40;

/// Every known format.
pub(crate) const FORMATS: &[Magic] = &[
    Magic::new(Use::Packed(Packing::Gzip), 0, GZIP, "gzip").appended("gzip"),
    Magic::new(Use::Packed(Packing::Zstd), 0, b"\x28\xb5\x2f\xfd", "zstd").appended("zstd"),
    Magic::new(Use::Packed(Packing::Xz), 0, b"\xfd7zXZ\0", "xz").appended("xz"),
    // A digit follows, and the mark of a block.
    Magic::new(Use::Packed(Packing::Bzip2), 0, b"BZh", "bzip2").appended("bzip2"),
    Magic::new(Use::Archive, 0, ZIP, "a ZIP archive").appended("zip"),
    Magic::new(Use::Archive, 0, b"7z\xbc\xaf\x27\x1c", "a 7z archive").appended("7z"),
    Magic::new(Use::Archive, 0, b"Rar!\x1a\x07", "a RAR archive"),
    Magic::new(Use::Archive, 0, b"\xed\xab\xee\xdb", "an RPM package"),
    Magic::new(Use::Archive, 0, b"!<arch>\ndebian", "a Debian package"),
    Magic::new(Use::Archive, 0, b"ADBd", "a package of Alpine Linux"),
    Magic::new(Use::Archive, 0, b"ADBc", "a package of Alpine Linux"),
    Magic::new(Use::Archive, 0, b"070701", "a cpio archive"),
    Magic::new(Use::Archive, 0, b"070702", "a cpio archive"),
    Magic::new(Use::Archive, 0, b"070707", "a cpio archive"),
    Magic::new(Use::Archive, 0, b"\xc7\x71", "a cpio archive"),
    Magic::new(Use::Archive, 0, b"MSCF", "a cabinet"),
    Magic::new(Use::Archive, 0, b"xar!", "an xar archive"),
    Magic::new(Use::Archive, 0, b"hsqs", "a SquashFS image").appended("squashfs"),
    Magic::new(Use::Archive, 0, b"XFSB", "an XFS file system"),
    Magic::new(Use::Tar, 0x101, b"ustar", "a tar archive"),
    Magic::new(Use::Archive, 0x400, b"\xe2\xe1\xf5\xe0", "an EROFS image"),
    Magic::new(Use::Archive, 0x438, b"\x53\xef", "an ext4 file system"),
    Magic::new(Use::Archive, 0x8001, b"CD001", "an ISO 9660 image"),
    Magic::new(Use::Archive, 0x1_0040, b"_BHRfS_M", "a Btrfs file system"),
    Magic::new(Use::Archive, 0x200, b"EFI PART", "an image of a disk"),
    Magic::new(Use::Archive, 0, b"QFI\xfb", "a disk image in the format qcow2"),
    Magic::new(Use::Archive, 0, b"KDMV", "a disk image in the format VMDK"),
    Magic::new(Use::Archive, 0, b"vhdxfile", "a disk image in the format VHDX"),
    Magic::new(Use::Archive, 0, b"conectix", "a disk image in the format VHD"),
    Magic::new(Use::Archive, 0x40, b"\x7f\x10\xda\xbe", "a disk image in the format VDI"),
    Magic::new(Use::Program(ProgramFormat::Elf), 0, ELF, "a program").appended("another program"),
    Magic::new(Use::Program(ProgramFormat::Wasm), 0, WASM, "a WebAssembly module"),
    Magic::new(FOREIGN, 0, b"\xcf\xfa\xed\xfe", "a program for macOS"),
    Magic::new(FOREIGN, 0, b"\xce\xfa\xed\xfe", "a program for macOS"),
    Magic::new(FOREIGN, 0, b"\xfe\xed\xfa\xcf", "a program for macOS"),
    Magic::new(FOREIGN, 0, b"\xfe\xed\xfa\xce", "a program for macOS"),
    // The number of architectures follows. A Java class starts alike, and its version number is
    // larger.
    Magic::new(FOREIGN, 0, b"\xca\xfe\xba\xbe\0\0\0", "a program for macOS")
        .with(7, 1..=MAX_ARCHITECTURES),
    Magic::new(FOREIGN, 0, b"\xca\xfe\xba\xbf\0\0\0", "a program for macOS")
        .with(7, 1..=MAX_ARCHITECTURES),
    // The number of bytes on its last page of 512 follows, unlike in a text.
    Magic::new(FOREIGN, 0, b"MZ", "a program for Windows").with(3, 0..=1),
    Magic::new(Use::Compressed, 0, b"\x04\x22\x4d\x18", "lz4").appended("lz4"),
    Magic::new(Use::Compressed, 0, b"\x02\x21\x4c\x18", "lz4"),
    Magic::new(Use::Compressed, 1, b"\x2a\x4d\x18", "zstd after a frame to skip"),
    Magic::new(Use::Compressed, 0, b"\x1f\x9d", "compress"),
    Magic::new(Use::Compressed, 0, b"LZIP", "lzip"),
    Magic::new(Use::Compressed, 0, b"\x5d\0\0", "lzma"),
    Magic::new(Use::Compressed, 0, b"\x89LZO\0\r\n\x1a\n", "lzop"),
    Magic::new(Use::Compressed, 0, b"\xff\x06\0\0sNaPpY", "Snappy"),
];

const FOREIGN: Use = Use::Program(ProgramFormat::Foreign);

/// The mark of a block of a bzip2 file, after a digit.
const BZIP2_BLOCK: &[u8] = b"1AY&SY";

/// The number of first bytes that identify every compression that is read.
pub(crate) const LONGEST_MAGIC: usize = 10;

impl ProgramFormat {
    /// Returns the format of a program with these first bytes; `None` if it is not a program.
    pub(crate) fn detect(head: &[u8]) -> Option<Self> {
        FORMATS.iter().find_map(|magic| match magic.class {
            Use::Program(format) => magic.is_in(head).then_some(format),
            Use::Packed(_) | Use::Compressed | Use::Archive | Use::Tar => None,
        })
    }
}

impl Packing {
    /// Returns the format of data with these first bytes.
    pub(crate) fn detect(head: &[u8]) -> Self {
        let found = packed().find(|(_, magic)| magic.is_in(head)).map(|(packing, _)| packing);
        match found {
            Some(Self::Bzip2) if head.get(4..LONGEST_MAGIC) != Some(BZIP2_BLOCK) => Self::Not,
            Some(packing) => packing,
            None => Self::Not,
        }
    }

    /// Returns its name; `None` for uncompressed data.
    pub(crate) fn name(self) -> Option<&'static str> {
        packed().find(|(packing, _)| *packing == self).map(|(_, magic)| magic.name)
    }

    /// Returns the extensions of compressed files, without the dot.
    pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
        packed().flat_map(|(packing, _)| packing.own_extensions()).copied()
    }

    const fn own_extensions(self) -> &'static [&'static str] {
        match self {
            Self::Not => &[],
            Self::Gzip => &["gz"],
            Self::Zstd => &["zst", "zstd"],
            Self::Xz => &["xz"],
            Self::Bzip2 => &["bz2"],
        }
    }

    /// Returns true if the data of a file with this extension, or data that begins like a
    /// compressed file, ends within the first bytes that identify a format.
    pub(crate) fn is_cut(head: &[u8], extension: Option<&str>) -> bool {
        let is_short = head.len() < LONGEST_MAGIC && Self::detect(head) == Self::Not;
        let begins = |magic: &[u8]| magic.starts_with(head) || head.starts_with(magic);
        let is_begun = head.len() > 4 && packed().any(|(_, magic)| begins(magic.bytes));
        is_short && (is_begun || Self::extensions().any(|known| Some(known) == extension))
    }
}

/// Returns the compressions that are read.
fn packed() -> impl Iterator<Item = (Packing, &'static Magic)> {
    FORMATS.iter().filter_map(|magic| match magic.class {
        Use::Packed(packing) => Some((packing, magic)),
        Use::Compressed | Use::Archive | Use::Tar | Use::Program(_) => None,
    })
}
