//! The hash of which fingerprints consist.

/// Returns the fingerprint of the parts, in their order, as 32 hexadecimal digits.
pub(super) fn fingerprint_of(parts: &[&str]) -> String {
    // A zero byte after each part distinguishes `a`, `bc` from `ab`, `c`.
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    format!("{:032x}", fnv(bytes))
}

/// Computes the 128-bit FNV-1a hash, a fixed function that needs no crate. It is not cryptographic,
/// which a baseline does not need.
/// <http://www.isthe.com/chongo/tech/comp/fnv/>
fn fnv(bytes: impl Iterator<Item = u8>) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.fold(OFFSET, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_fnv() {
        assert_eq!(
            fnv("foobar".bytes()),
            0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18
        );
    }
}
