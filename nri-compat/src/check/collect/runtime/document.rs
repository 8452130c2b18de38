//! Small TOML files of a runtime.

use std::io::Read as _;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of a file in bytes; real ones have a few kilobytes.
const MAX_FILE: u64 = 1 << 20;

/// Returns the text of a file.
pub(super) fn text(file: &Path) -> Result<String, Unreadable> {
    if !file.metadata()?.is_file() {
        return Err(Unreadable::new(SkipKind::SpecialFile, "not a regular file"));
    }
    let mut text = String::new();
    let file = std::fs::File::open(file)?;
    let read = file.take(MAX_FILE + 1).read_to_string(&mut text)?;
    if read as u64 > MAX_FILE {
        return Err(Unreadable::new(SkipKind::TooLarge, "larger than 1 MiB"));
    }
    Ok(text)
}

/// Returns the settings in a text.
///
/// # Errors
///
/// Returns an error if it is not TOML, or a setting has another type; no runtime starts with such a file.
pub(super) fn settings<T: DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        let reason = format!("line {line} is not valid: {}", error.message());
        Unreadable::new(SkipKind::Broken, reason)
    })
}
