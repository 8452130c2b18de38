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

/// The first bytes of each format that are the same in all its files, by the extensions of these.
const MAGIC: [(&[&str], &[u8]); 4] = [
    (&["gz"], &[0x1f, 0x8b, 8]),
    (&["zst", "zstd"], &[0x28, 0xb5, 0x2f, 0xfd]),
    (&["xz"], &[0xfd, b'7', b'z', b'X', b'Z', 0]),
    (&["bz2"], b"BZh"),
];

/// The number of first bytes that identify every format.
pub(crate) const LONGEST_MAGIC: usize = 10;

impl Packing {
    /// Returns the format of data with these first bytes.
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x31,
                0x41,
                0x59,
                0x26,
                0x53,
                0x59,
                ..,
            ] => Self::Bzip2,
            // A stream without blocks, which others may follow.
            [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x17,
                0x72,
                0x45,
                0x38,
                0x50,
                0x90,
                ..,
            ] => Self::Bzip2,
            _ => Self::Not,
        }
    }

    /// Returns true if the data ends within the first bytes that identify a format. Without the
    /// extension of that format, bytes that may be text do not count.
    pub(crate) fn is_cut(head: &[u8], extension: Option<&str>) -> bool {
        if head.len() >= LONGEST_MAGIC || Self::of(head) != Self::Not {
            return false;
        }
        let has = |endings: &[&str]| extension.is_some_and(|ending| endings.contains(&ending));
        let begins = |magic: &[u8]| magic.starts_with(head) || head.starts_with(magic);
        let named = MAGIC.iter().find(|(endings, _)| has(endings));
        match named {
            Some((_, magic)) => begins(magic),
            None if may_be_text(head) => head.len() > 4 && head.starts_with(b"BZh"),
            None => MAGIC.iter().any(|(_, magic)| begins(magic)),
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

/// Returns true if a text may begin with these bytes.
fn may_be_text(head: &[u8]) -> bool {
    head.iter().all(|byte| byte.is_ascii() && *byte != 0x1f)
}
