//! The records of a pax header, which apply to the next entry.
//!
//! [The format](https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html): `LENGTH KEY=VALUE`, one per line.

use super::sparse::{self, Sparse};
use crate::skipped::{SkipKind, Unreadable};

/// The relevant records.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) link: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    /// The stored parts of a sparse file.
    pub(super) sparse: Option<Sparse>,
    /// The path of a sparse file, which the header itself replaces.
    sparse_path: Option<Vec<u8>>,
    /// The offset of a piece whose length follows.
    offset: Option<u64>,
}

impl Pax {
    /// Parses records.
    ///
    /// # Errors
    ///
    /// Returns an error if a record, a size or the map of a sparse file is wrong, because then the
    /// next entry is not what it seems to be.
    pub(super) fn parse(mut text: &[u8]) -> Result<Self, Unreadable> {
        let mut found = Self::default();
        while let Some((key, value, rest)) = record(text) {
            found.add(key, value)?;
            text = rest;
        }
        if text.iter().any(|byte| *byte != 0) {
            return Err(broken());
        }
        found.path = found.sparse_path.take().or(found.path);
        Ok(found)
    }

    /// Checks the records of a global header, which programs apply to all following entries or to
    /// none.
    ///
    /// # Errors
    ///
    /// Returns an error if they change names or sizes.
    pub(super) fn check_global(text: &[u8]) -> Result<(), Unreadable> {
        if Self::parse(text)? == Self::default() {
            return Ok(());
        }
        let reason = "a global pax header that changes names or sizes";
        Err(Unreadable::new(SkipKind::UnsupportedFormat, reason))
    }

    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<(), Unreadable> {
        let is_name = matches!(key, b"path" | b"linkpath" | b"GNU.sparse.name");
        if is_name && value.contains(&0) {
            return Err(broken());
        }
        // An empty value removes the record.
        let text = || (!value.is_empty()).then(|| value.to_vec());
        match key {
            b"path" => self.path = text(),
            b"linkpath" => self.link = text(),
            b"size" => {
                self.size = match text() {
                    Some(size) => Some(number(&size).ok_or_else(broken)?),
                    None => None,
                }
            }
            b"GNU.sparse.name" => self.sparse_path = text(),
            key => {
                if let Some(key) = key.strip_prefix(b"GNU.sparse.") {
                    self.add_sparse(key, value)?;
                }
            }
        }
        Ok(())
    }

    fn add_sparse(&mut self, key: &[u8], value: &[u8]) -> Result<(), Unreadable> {
        let wrong = sparse::broken;
        let sparse = self.sparse.get_or_insert_default();
        match key {
            b"size" | b"realsize" => sparse.size = number(value).ok_or_else(wrong)?,
            b"major" => sparse.is_listed_in_data = value == b"1",
            b"offset" => self.offset = number(value),
            b"numbytes" => {
                let offset = self.offset.take().ok_or_else(wrong)?;
                sparse.push(offset, number(value).ok_or_else(wrong)?)?;
            }
            b"map" => {
                let mut numbers = value.split(|byte| *byte == b',').map(number);
                while let Some(offset) = numbers.next() {
                    let len = numbers.next().flatten().ok_or_else(wrong)?;
                    sparse.push(offset.ok_or_else(wrong)?, len)?;
                }
            }
            // The number of pieces, and the minor version, are redundant.
            _ => {}
        }
        Ok(())
    }
}

/// Returns the key and value of the first record, and the remaining text.
fn record(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = text.iter().position(|byte| *byte == b' ')?;
    let length = usize::try_from(number(text.get(..space)?)?).ok()?;
    let (record, rest) = text.split_at_checked(length)?;
    let record = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((record.get(..equals)?, record.get(equals + 1..)?, rest))
}

fn broken() -> Unreadable {
    Unreadable::new(SkipKind::Broken, "a pax header is damaged")
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::sparse::Piece;
    use super::Pax;

    #[test]
    fn records_are_read_or_an_error() {
        let pax = Pax::parse(b"12 path=a b\n11 size=12\n7 a=b=\n\0\0").unwrap();
        assert_eq!(pax.path.as_deref(), Some(&b"a b"[..]));
        assert_eq!((pax.size, pax.link), (Some(12), None));
        let removed = Pax::parse(b"10 path=a\n8 path=\n8 size=\n").unwrap();
        assert_eq!(removed, Pax::default());
        for text in [
            &b"5"[..],
            b"0 a=b\n",
            b"1 a=b\n",
            b"99999999999999999999 a=b\n",
            b"6 ab\n",
            b"10 path=a\n99 linkpath=x\n",
            b"10 size=a\n",
            b"11 size=-1\n",
            b"12 path=a\0b\n",
        ] {
            assert!(Pax::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn global_headers_change_nothing() {
        assert!(Pax::check_global(b"13 comment=a\n").is_ok());
        for text in [
            &b"10 path=a\n"[..],
            b"10 size=1\n",
            b"21 GNU.sparse.size=9\n",
        ] {
            assert!(Pax::check_global(text).is_err());
        }
    }

    #[test]
    fn maps_of_sparse_files_are_read_in_every_version() {
        let pieces = [Piece { offset: 1, len: 2 }, Piece { offset: 5, len: 3 }];
        let old = b"21 GNU.sparse.size=9\n23 GNU.sparse.offset=1\n25 GNU.sparse.numbytes=2\n\
            23 GNU.sparse.offset=5\n25 GNU.sparse.numbytes=3\n";
        let map = b"21 GNU.sparse.size=9\n26 GNU.sparse.map=1,2,5,3\n21 GNU.sparse.name=a\n";
        for text in [&old[..], map] {
            let sparse = Pax::parse(text).unwrap().sparse.unwrap();
            assert_eq!((sparse.size, &sparse.pieces[..]), (9, &pieces[..]));
        }
        let new = Pax::parse(
            b"22 GNU.sparse.major=1\n25 GNU.sparse.realsize=9\n9 path=b\n21 GNU.sparse.name=a\n",
        )
        .unwrap();
        assert!(
            new.sparse
                .is_some_and(|sparse| sparse.is_listed_in_data && sparse.size == 9)
        );
        assert_eq!(new.path.as_deref(), Some(&b"a"[..]));
        assert!(Pax::parse(b"24 GNU.sparse.map=1,2,5\n").is_err());
        assert!(Pax::parse(b"25 GNU.sparse.numbytes=3\n").is_err());
    }
}
