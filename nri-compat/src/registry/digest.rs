//! Digests of content: `sha256:…` and `sha512:…`.

use std::fmt;

use ring::digest::{Algorithm, Context, SHA256, SHA512};

/// A digest whose algorithm the image specification registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    algorithm: &'static Algorithm,
    text: String,
}

impl Digest {
    /// Parses a digest. Its digits must be in lower case, as the
    /// [image specification](https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests)
    /// requires. Returns `None` for another form or algorithm.
    ///
    /// ```
    /// use nri_compat::registry::Digest;
    ///
    /// let text = format!("sha256:{}", "0".repeat(64));
    /// assert_eq!(Digest::parse(&text).unwrap().to_string(), text);
    /// assert!(Digest::parse("sha256:../../etc/passwd").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (algorithm, hex) = match text.split_once(':')? {
            ("sha256", hex) => (&SHA256, hex),
            ("sha512", hex) => (&SHA512, hex),
            _ => return None,
        };
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_whole = hex.len() == algorithm.output_len() * 2;
        (is_whole && hex.bytes().all(is_digit)).then(|| Self {
            algorithm,
            text: text.to_owned(),
        })
    }

    /// Returns true if these bytes have this digest.
    pub(super) fn matches(&self, bytes: &[u8]) -> bool {
        let mut hasher = self.hasher();
        hasher.update(bytes);
        self.is_of(hasher)
    }

    /// Returns a hasher of the same algorithm.
    pub(super) fn hasher(&self) -> Context {
        Context::new(self.algorithm)
    }

    /// Returns true if the bytes that this hasher has seen have this digest.
    pub(super) fn is_of(&self, hasher: Context) -> bool {
        let bytes = hasher.finish();
        let hex = bytes.as_ref().iter().map(|byte| format!("{byte:02x}"));
        self.text.ends_with(&hex.collect::<String>())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standards() {
        // FIPS 180-4 and NIST's examples.
        for text in [
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            concat!(
                "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a",
                "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ] {
            assert!(Digest::parse(text).unwrap().matches(b"abc"));
            assert!(!Digest::parse(text).unwrap().matches(b"abd"));
            assert_eq!(Digest::parse(&text[..text.len() - 1]), None);
            let (algorithm, hex) = text.split_once(':').unwrap();
            let upper = format!("{algorithm}:{}", hex.to_uppercase());
            assert_eq!(Digest::parse(&upper), None);
        }
    }
}
