//! Digests of content: `sha256:…` and `sha512:…`.

use std::fmt;

/// A digest whose algorithm is supported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    algorithm: Algorithm,
    hex: String,
}

/// A hash function that the image specification registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Algorithm {
    Sha256,
    Sha512,
}

impl Algorithm {
    const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
        }
    }

    fn function(self) -> &'static ring::digest::Algorithm {
        match self {
            Self::Sha256 => &ring::digest::SHA256,
            Self::Sha512 => &ring::digest::SHA512,
        }
    }
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
        let (algorithm, hex) = text.split_once(':')?;
        let algorithm = [Algorithm::Sha256, Algorithm::Sha512]
            .into_iter()
            .find(|known| known.name() == algorithm)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_whole = hex.len() == algorithm.function().output_len() * 2;
        (is_whole && hex.bytes().all(is_digit)).then(|| Self {
            algorithm,
            hex: hex.to_owned(),
        })
    }

    /// Returns the SHA-256 digest of these bytes.
    pub fn sha256(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::new(Algorithm::Sha256);
        hasher.add(bytes);
        hasher.finish()
    }

    /// Returns the name of the algorithm: `sha256` or `sha512`.
    pub(crate) fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Returns the hexadecimal digits.
    pub fn hex(&self) -> &str {
        &self.hex
    }

    /// Returns true if these bytes have this digest.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        let mut hasher = self.hasher();
        hasher.add(bytes);
        hasher.finish() == *self
    }

    /// Returns a hasher of the same algorithm.
    pub(super) fn hasher(&self) -> Hasher {
        Hasher::new(self.algorithm)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.algorithm(), self.hex)
    }
}

/// Computes a digest piece by piece.
pub(super) struct Hasher {
    algorithm: Algorithm,
    context: ring::digest::Context,
}

impl Hasher {
    fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            context: ring::digest::Context::new(algorithm.function()),
        }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.context.update(bytes);
    }

    pub(super) fn finish(self) -> Digest {
        let bytes = self.context.finish();
        let hex = bytes.as_ref().iter().map(|byte| format!("{byte:02x}"));
        Digest {
            algorithm: self.algorithm,
            hex: hex.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standards() {
        // FIPS 180-4 and NIST's examples.
        let sha256 = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::sha256(b"abc").to_string(), sha256);
        let sha512 = concat!(
            "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a",
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
        assert!(Digest::parse(sha512).unwrap().matches(b"abc"));
        assert!(!Digest::parse(sha512).unwrap().matches(b"abd"));
    }

    #[test]
    fn other_forms_are_rejected() {
        let hex = "0".repeat(64);
        for text in [
            "",
            "sha256",
            "sha256:",
            &format!("sha256:{}", &hex[1..]),
            &format!("sha512:{hex}"),
            &format!("md5:{hex}"),
            &format!("SHA256:{hex}"),
            &format!("sha256:{}A", &hex[1..]),
            &format!("sha256:{}/", &hex[1..]),
        ] {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }
}
