//! Small text files of a runtime, with access to a few TOML keys.

use std::io::Read as _;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of a file in bytes; real ones have a few kilobytes.
const MAX_FILE: u64 = 1 << 20;

/// A parsed file.
pub(super) struct Document<'t>(DeTable<'t>);

/// Returns the text of a file.
pub(super) fn text(file: &Path) -> Result<String, Unreadable> {
    let is_file = file
        .metadata()
        .map_err(|error| Unreadable::from(&error))?
        .is_file();
    if !is_file {
        return Err(Unreadable::new(SkipKind::SpecialFile, "not a regular file"));
    }
    let mut text = String::new();
    let open = std::fs::File::open(file).map_err(|error| Unreadable::from(&error))?;
    let read = open.take(MAX_FILE + 1).read_to_string(&mut text);
    match read {
        Ok(read) if read as u64 > MAX_FILE => {
            Err(Unreadable::new(SkipKind::TooLarge, "larger than 1 MiB"))
        }
        Ok(_) => Ok(text),
        Err(error) => Err(Unreadable::from(&error)),
    }
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, Unreadable> {
        match DeTable::parse(text) {
            Ok(table) => Ok(Self(table.into_inner())),
            Err(error) => Err(Unreadable::new(
                SkipKind::Broken,
                format!("not valid TOML: {}", error.message()),
            )),
        }
    }

    /// Returns the value at a path of keys.
    fn at(&self, keys: &[&str]) -> Option<&DeValue<'t>> {
        let (last, tables) = keys.split_last()?;
        let mut table = &self.0;
        for key in tables {
            table = table.get(*key)?.get_ref().as_table()?;
        }
        Some(table.get(*last)?.get_ref())
    }

    pub(super) fn has(&self, keys: &[&str]) -> bool {
        self.at(keys).is_some()
    }

    /// Returns a text.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is something else; no runtime starts with such a file.
    pub(super) fn string(&self, keys: &[&str]) -> Result<Option<String>, Unreadable> {
        let text = |value: &DeValue<'_>| value.as_str().map(str::to_owned);
        self.typed(keys, "a string", text)
    }

    /// Returns a truth value, with the errors of [`string`](Self::string).
    pub(super) fn flag(&self, keys: &[&str]) -> Result<Option<bool>, Unreadable> {
        self.typed(keys, "true or false", DeValue::as_bool)
    }

    /// Returns the texts of an array, none without it, with the errors of
    /// [`string`](Self::string).
    pub(super) fn strings(&self, keys: &[&str]) -> Result<Vec<String>, Unreadable> {
        let texts = |value: &DeValue<'_>| {
            let items = value.as_array()?.iter();
            items
                .map(|item| item.get_ref().as_str().map(str::to_owned))
                .collect()
        };
        let found = self.typed(keys, "an array of strings", texts)?;
        Ok(found.unwrap_or_default())
    }

    fn typed<T>(
        &self,
        keys: &[&str],
        kind: &str,
        read: impl FnOnce(&DeValue<'t>) -> Option<T>,
    ) -> Result<Option<T>, Unreadable> {
        let Some(value) = self.at(keys) else {
            return Ok(None);
        };
        let wrong = || {
            let key = keys.last().copied().unwrap_or_default();
            Unreadable::new(SkipKind::Broken, format!("`{key}` is not {kind}"))
        };
        read(value).map(Some).ok_or_else(wrong)
    }

    pub(super) fn is_integer(&self, keys: &[&str]) -> bool {
        self.integer(keys).is_some()
    }

    pub(super) fn integer(&self, keys: &[&str]) -> Option<i64> {
        let integer = self.at(keys)?.as_integer()?;
        i64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }
}
