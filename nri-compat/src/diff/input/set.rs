//! Encoded `FileDescriptorSet`s, as `protoc --descriptor_set_out` and `buf build` write them.

use std::io::Read;
use std::path::Path;

use nri_schema::Schema;

use crate::error::{Error, ErrorKind};

/// The maximum size of an input in bytes.
const MAX_INPUT: u64 = 64 << 20;

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let file = std::fs::File::open(path);
    let shown = path.display().to_string();
    limited(file.map_err(|error| unreadable(&shown, &error))?, &shown)
}

/// Reads standard input to its end.
pub(super) fn read_stdin() -> Result<Vec<u8>, Error> {
    limited(std::io::stdin().lock(), "standard input")
}

/// Returns the name of an input in messages.
pub(super) fn shown(spec: &str) -> String {
    if spec == super::STDIN {
        "standard input".to_owned()
    } else {
        spec.to_owned()
    }
}

/// Reads everything, if it has no more bytes than an input may have.
pub(super) fn limited(from: impl Read, shown: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = from.take(MAX_INPUT + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(shown, &error))?;
    if bytes.len() as u64 > MAX_INPUT {
        let message = format!("{shown} is too large: more than {MAX_INPUT} bytes");
        return Err(Error::new(ErrorKind::Schema, message));
    }
    Ok(bytes)
}

/// Decodes a set. Editions are supported too: no compiler is involved.
pub(super) fn decode(shown: &str, bytes: &[u8]) -> Result<Schema, Error> {
    let schema = Schema::decode(bytes).map_err(|error| Error::from(error).in_input(shown))?;
    if schema.files.is_empty() {
        let message = format!("{shown} is an empty FileDescriptorSet");
        return Err(Error::new(ErrorKind::Schema, message));
    }
    Ok(schema)
}

/// Returns the error for an input without any bytes, such as the output of a command that failed.
pub(super) fn empty(shown: &str) -> Error {
    Error::new(ErrorKind::Schema, format!("{shown} is empty"))
        .with_help("name a proto or a FileDescriptorSet, and check the command that wrote it")
}

pub(super) fn unreadable(shown: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Schema, format!("cannot read {shown}: {error}"))
}
