//! What the records of a pax header say of the entry that follows.
//!
//! [The format](https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html): `LENGTH KEY=VALUE`, one a line.

/// What is taken from them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) link: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    /// Whether what is stored is not the file as it is.
    pub(super) sparse: bool,
}

impl Pax {
    pub(super) fn parse(mut text: &[u8]) -> Self {
        let mut found = Self::default();
        while let Some((key, value, rest)) = record(text) {
            found.take(key, value);
            text = rest;
        }
        found
    }

    fn take(&mut self, key: &[u8], value: &[u8]) {
        match key {
            b"path" => self.path = Some(value.to_vec()),
            b"linkpath" => self.link = Some(value.to_vec()),
            b"size" => self.size = number(value),
            key if key.starts_with(b"GNU.sparse.") => self.sparse = true,
            _ => {}
        }
    }
}

/// Key and value of the first record, and what follows it.
fn record(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = text.iter().position(|byte| *byte == b' ')?;
    let length = usize::try_from(number(text.get(..space)?)?).ok()?;
    let (record, rest) = text.split_at_checked(length)?;
    let record = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((record.get(..equals)?, record.get(equals + 1..)?, rest))
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Pax;

    #[test]
    fn records_are_taken_until_one_is_broken() {
        let pax = Pax::parse(b"12 path=a b\n11 size=12\n99 linkpath=x\n");
        assert_eq!(pax.path.as_deref(), Some(&b"a b"[..]));
        assert_eq!((pax.size, pax.link), (Some(12), None));
        for text in [
            &b""[..],
            b"5",
            b"0 a=b\n",
            b"1 a=b\n",
            b"99999999999999999999 a=b\n",
            b"6 ab\n",
        ] {
            assert_eq!(Pax::parse(text), Pax::default(), "{text:?}");
        }
    }
}
