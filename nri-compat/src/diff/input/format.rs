//! The formats of inputs: recognised by their first bytes, read or refused by name.

use encoding_rs::{Encoding, UTF_8};
use nri_schema::compile;

use super::set;
use crate::error::{Error, ErrorKind};
use crate::packing::Packing;
use crate::unpack;

const UNPACK: &str = "unpack it, and name the folder or file";
const BINARY: &str = "write the set in binary, for example with `buf build -o set.binpb`";

/// The formats that are not read: the name with its article, the bytes that identify it and their index, and the
/// remedy.
const FOREIGN: [(&str, &[u8], usize, &str); 4] = [
    ("a zip archive", b"PK\x03\x04", 0, UNPACK),
    ("an empty zip archive", b"PK\x05\x06", 0, UNPACK),
    ("a tar archive", b"ustar", 257, UNPACK),
    ("JSON", b"{", 0, BINARY),
];

/// Returns the bytes, decompressed if necessary.
pub(super) fn unpacked(shown: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    if Packing::detect(&bytes) == Packing::Not {
        return Ok(bytes);
    }
    let decoder = unpack::unpacked(bytes.as_slice());
    set::limited(
        decoder.map_err(|error| set::unreadable(shown, &error))?,
        shown,
    )
}

/// Returns true if the bytes are the text of a proto; false if they may be a `FileDescriptorSet`.
///
/// # Errors
///
/// Returns an error that names the format, if it is another one.
pub(super) fn is_text(shown: &str, bytes: &[u8]) -> Result<bool, Error> {
    for (name, magic, at, help) in FOREIGN {
        if bytes
            .get(at..)
            .is_some_and(|found| found.starts_with(magic))
        {
            return Err(refused(shown, name, help));
        }
    }
    // The compiler reports the first byte that is not UTF-8.
    let is_utf_16 = Encoding::for_bom(bytes).is_some_and(|(found, _)| found != UTF_8);
    let is_text = is_utf_16 || compile::is_text(bytes);
    if is_text && is_text_format(bytes) {
        return Err(refused(shown, "a set in text format or YAML", BINARY));
    }
    Ok(is_text)
}

/// Returns true if the first statement is `file`, the field of a `FileDescriptorSet`, which is no
/// statement of a proto.
fn is_text_format(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let rest = first.and_then(|line| line.strip_prefix("file"));
    rest.is_some_and(|rest| rest.trim_start().starts_with([':', '{']))
}

fn refused(shown: &str, format: &str, help: &str) -> Error {
    let message = format!("{shown} is {format}, not a proto or a binary FileDescriptorSet");
    Error::new(ErrorKind::Schema, message).with_help(help)
}
