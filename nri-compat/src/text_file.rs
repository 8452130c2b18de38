//! Reads text files with a size limit.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, ErrorKind};

/// Returns the text of the file.
///
/// # Errors
///
/// Returns an error if it cannot be opened or read, is longer than `limit` bytes, or is not UTF-8.
pub(crate) fn read(path: &Path, limit: u64, kind: ErrorKind) -> Result<String, Error> {
    let wrong = |why: String| Error::new(kind, format!("cannot read {}: {why}", path.display()));
    let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
    let mut bytes = Vec::new();
    let mut taken = file.take(limit + 1);
    let count = taken.read_to_end(&mut bytes);
    let count = count.map_err(|error| wrong(error.to_string()))?;
    if count as u64 > limit {
        return Err(wrong(format!("it is longer than {limit} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))
}
