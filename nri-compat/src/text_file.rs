//! Reads text files with a size limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, ErrorKind};

/// Returns the text of the file.
///
/// # Errors
///
/// Returns an error if it cannot be opened or read, is longer than `limit` bytes, or is not UTF-8.
pub(crate) fn read(path: &Path, limit: u64, kind: ErrorKind) -> Result<String, Error> {
    read_from(File::open(path), path, limit, kind)
}

/// Returns the text of an input that was opened, which is shown as `path`.
///
/// # Errors
///
/// Returns the errors of [`read`].
pub(crate) fn read_from(
    opened: io::Result<impl Read>,
    path: &Path,
    limit: u64,
    kind: ErrorKind,
) -> Result<String, Error> {
    let wrong = |why: String| Error::new(kind, format!("cannot read {}: {why}", path.display()));
    let mut bytes = Vec::new();
    let read = opened.and_then(|input| input.take(limit + 1).read_to_end(&mut bytes));
    read.map_err(|error| wrong(error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(wrong(format!("it is longer than {limit} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))
}
