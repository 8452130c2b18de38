//! Reads numbers at an offset of untrusted bytes; `None` beyond their end.

/// The layout of numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// True if pointers have 64 bits, false if 32.
    pub(crate) wide: bool,
    /// True if the most significant byte comes first.
    pub(crate) big: bool,
}

impl Layout {
    /// Returns the number of bytes in a pointer.
    pub(crate) fn word(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// Reads a number of 16 bits.
    pub(crate) fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        u16::try_from(self.number::<2>(bytes, at)?).ok()
    }

    /// Reads a number of 32 bits.
    pub(crate) fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        u32::try_from(self.number::<4>(bytes, at)?).ok()
    }

    /// Reads a number of 64 bits.
    pub(crate) fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        self.number::<8>(bytes, at)
    }

    fn number<const SIZE: usize>(self, bytes: &[u8], at: usize) -> Option<u64> {
        let chunk: &[u8; SIZE] = bytes.get(at..)?.first_chunk()?;
        let append = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.big { chunk.iter().fold(0, append) } else { chunk.iter().rfold(0, append) })
    }

    /// Reads a pointer, or a number as wide as one.
    pub(crate) fn pointer(self, bytes: &[u8], at: usize) -> Option<u64> {
        if self.wide { self.u64(bytes, at) } else { self.u32(bytes, at).map(u64::from) }
    }
}

/// Reads a LEB128 number of at most ten bytes, and returns its length.
pub(crate) fn leb128(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (place, byte) in bytes.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7f);
        value |= bits.checked_shl(7 * u32::try_from(place).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((value, place + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_with_the_bytes() {
        let little = Layout { wide: true, big: false };
        let big = Layout { wide: false, big: true };
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(little.pointer(&bytes, 0), Some(0x0807_0605_0403_0201));
        assert_eq!(little.pointer(&bytes, 1), None);
        assert_eq!(big.pointer(&bytes, 4), Some(0x0506_0708));
        assert_eq!(big.u16(&bytes, usize::MAX), None);
    }

    #[test]
    fn leb128_is_bounded() {
        assert_eq!(leb128(&[0xe5, 0x8e, 0x26]), Some((624_485, 3)));
        assert_eq!(leb128(&[0x80]), None);
        assert_eq!(leb128(&[0x80; 20]), None);
    }
}
