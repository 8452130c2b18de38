//! Compression formats.

/// The compression format of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Not,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

/// The first bytes of zstd frames, except those to skip.
pub(crate) const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes of xz files.
pub(crate) const XZ: &[u8] = b"\xfd7zXZ\0";

/// The first bytes of bzip2 files. A digit follows, and the mark of a block.
const BZIP2: &[u8] = b"BZh";

/// The mark of a block of a bzip2 file.
const BZIP2_BLOCK: &[u8] = b"1AY&SY";

/// A format with its name, the extensions of its files, and the first bytes of these files.
type Format = (
    Packing,
    &'static str,
    &'static [&'static str],
    &'static [u8],
);

const FORMATS: [Format; 4] = [
    (Packing::Gzip, "gzip", &["gz"], &[0x1f, 0x8b, 8]),
    (Packing::Zstd, "zstd", &["zst", "zstd"], ZSTD),
    (Packing::Xz, "xz", &["xz"], XZ),
    (Packing::Bzip2, "bzip2", &["bz2"], BZIP2),
];

/// The number of first bytes that identify every format.
pub(crate) const LONGEST_MAGIC: usize = 10;

impl Packing {
    /// Returns the format of data with these first bytes.
    pub(crate) fn detect(head: &[u8]) -> Self {
        let is = |(packing, .., magic): &&Format| {
            let is_block = || head.get(4..LONGEST_MAGIC) == Some(BZIP2_BLOCK);
            head.starts_with(magic) && (*packing != Self::Bzip2 || is_block())
        };
        let found = FORMATS.iter().find(is);
        found.map_or(Self::Not, |(packing, ..)| *packing)
    }

    /// Returns the extensions of compressed files, without the dot.
    pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
        let extensions = FORMATS.iter().flat_map(|(_, _, extensions, _)| *extensions);
        extensions.copied()
    }

    /// Returns true if the data of a file with this extension ends within the first bytes that identify a format.
    pub(crate) fn is_cut(head: &[u8], extension: Option<&str>) -> bool {
        let is_short = head.len() < LONGEST_MAGIC && Self::detect(head) == Self::Not;
        is_short && Self::extensions().any(|known| Some(known) == extension)
    }

    /// Returns its name; `None` for uncompressed data.
    pub(crate) fn name(self) -> Option<&'static str> {
        let found = FORMATS.iter().find(|(packing, ..)| *packing == self);
        found.map(|(_, name, ..)| *name)
    }
}
