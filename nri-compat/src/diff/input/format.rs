//! The formats of inputs: recognised by their first bytes, read or refused by name.

use flate2::read::MultiGzDecoder;
use nri_codegen::compile;

use super::set;
use crate::error::{Error, ErrorKind};

/// A format that is not read, with its remedy.
struct Foreign {
    /// The name with its article.
    name: &'static str,
    /// The index of the bytes that identify it.
    at: usize,
    magic: &'static [u8],
    help: &'static str,
}

const UNPACK: &str = "unpack it, and name the folder or file";
const BINARY: &str = "write the set in binary, for example with `buf build -o set.binpb`";

const FOREIGN: [Foreign; 6] = [
    foreign("a zip archive", 0, b"PK\x03\x04", UNPACK),
    foreign("an empty zip archive", 0, b"PK\x05\x06", UNPACK),
    foreign("a tar archive", 257, b"ustar", UNPACK),
    foreign("compressed with xz", 0, b"\xfd7zXZ\0", UNPACK),
    foreign("compressed with bzip2", 0, b"BZh", UNPACK),
    foreign("JSON", 0, b"{", BINARY),
];

const fn foreign(
    name: &'static str,
    at: usize,
    magic: &'static [u8],
    help: &'static str,
) -> Foreign {
    Foreign {
        name,
        at,
        magic,
        help,
    }
}

const GZIP: &[u8] = &[0x1f, 0x8b, 8];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The byte order marks of UTF-16.
const UTF_16: [&[u8]; 2] = [&[0xff, 0xfe], &[0xfe, 0xff]];

/// Returns the bytes, decompressed if necessary.
pub(super) fn unpacked(shown: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    if bytes.starts_with(GZIP) {
        set::limited(MultiGzDecoder::new(bytes.as_slice()), shown)
    } else if bytes.starts_with(ZSTD) {
        let decoder = zstd::Decoder::new(bytes.as_slice());
        let unreadable = |error| Error::new(ErrorKind::Schema, format!("{shown}: {error}"));
        set::limited(decoder.map_err(unreadable)?, shown)
    } else {
        Ok(bytes)
    }
}

/// Returns true if the bytes are the text of a proto; false if they may be a `FileDescriptorSet`.
///
/// # Errors
///
/// Returns an error that names the format, if it is another one.
pub(super) fn is_text(shown: &str, bytes: &[u8]) -> Result<bool, Error> {
    let is_foreign = |format: &&Foreign| {
        let found = bytes.get(format.at..);
        found.is_some_and(|found| found.starts_with(format.magic))
    };
    if let Some(format) = FOREIGN.iter().find(is_foreign) {
        return Err(refused(shown, format.name, format.help));
    }
    // The compiler reports the first byte that is not UTF-8.
    let is_utf_16 = UTF_16.iter().any(|mark| bytes.starts_with(mark));
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
