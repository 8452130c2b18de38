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

/// The first bytes that all gzip files have.
const GZIP: &[u8] = &[0x1f, 0x8b, 8];

/// The first bytes of zstd frames, except those to skip.
pub(crate) const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes of xz files.
pub(crate) const XZ: &[u8] = b"\xfd7zXZ\0";

/// The first bytes of bzip2 files.
const BZIP2: &[u8] = b"BZh";

/// The extensions of the files of each format, and the first bytes of these files.
const FORMATS: [(&[&str], &[u8]); 4] = [
    (&["gz"], GZIP),
    (&["zst", "zstd"], ZSTD),
    (&["xz"], XZ),
    (&["bz2"], BZIP2),
];

/// The number of first bytes that identify every format.
pub(crate) const LONGEST_MAGIC: usize = 10;

impl Packing {
    /// Returns the format of data with these first bytes.
    pub(crate) fn detect(head: &[u8]) -> Self {
        if head.starts_with(GZIP) {
            Self::Gzip
        } else if head.starts_with(ZSTD) || is_skippable_frame(head) {
            Self::Zstd
        } else if head.starts_with(XZ) {
            Self::Xz
        } else if head.strip_prefix(BZIP2).is_some_and(is_bzip2) {
            Self::Bzip2
        } else {
            Self::Not
        }
    }

    /// Returns the extensions of compressed files, without the dot.
    pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
        let extensions = FORMATS.iter().flat_map(|(extensions, _)| *extensions);
        extensions.copied()
    }

    /// Returns true if the data ends within the first bytes that identify a format. Without the
    /// extension of that format, bytes that may be text do not count.
    pub(crate) fn is_cut(head: &[u8], extension: Option<&str>) -> bool {
        if head.len() >= LONGEST_MAGIC || Self::detect(head) != Self::Not {
            return false;
        }
        let has = |endings: &[&str]| extension.is_some_and(|ending| endings.contains(&ending));
        let begins = |magic: &[u8]| magic.starts_with(head) || head.starts_with(magic);
        let named = FORMATS.iter().find(|(endings, _)| has(endings));
        match named {
            Some((_, magic)) => begins(magic),
            None if may_be_text(head) => head.len() > 4 && head.starts_with(BZIP2),
            None => FORMATS.iter().any(|(_, magic)| begins(magic)),
        }
    }

    /// Returns its name; `None` for uncompressed data.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Not => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
            Self::Xz => Some("xz"),
            Self::Bzip2 => Some("bzip2"),
        }
    }
}

/// Returns true for the beginning of a zstd frame to skip.
fn is_skippable_frame(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Returns true if the level and the mark of a block follow, or the mark of the end: a stream without
/// blocks, which others may follow.
fn is_bzip2(rest: &[u8]) -> bool {
    matches!(
        rest,
        [b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..]
    )
}

/// Returns true if a text may begin with these bytes.
fn may_be_text(head: &[u8]) -> bool {
    head.iter().all(|byte| byte.is_ascii() && *byte != 0x1f)
}
