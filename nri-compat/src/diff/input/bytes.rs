//! The bytes of inputs: read within a limit, unpacked, and recognised by their first bytes.

use std::io::Read;
use std::path::Path;

use encoding_rs::{Encoding, UTF_8};
use nri_schema::{Schema, compile};

use crate::error::{Error, ErrorKind};
use crate::magic::{FORMATS, Magic, Packing, Use, ZIP_END};
use crate::unpack;

/// The maximum size of an input in bytes.
const MAX_INPUT: u64 = 64 << 20;

const UNPACK: &str = "unpack it, and name the folder or file";
const BINARY: &str = "write the set in binary, for example with `buf build -o set.binpb`";

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let shown = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| unreadable(&shown, &error))?;
    limited(file, &shown)
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

/// Returns the bytes, decompressed if necessary. There is at least one.
pub(super) fn unpacked(shown: &str, mut bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    if Packing::detect(&bytes) != Packing::Not {
        let decoder =
            unpack::unpacked(bytes.as_slice()).map_err(|error| unreadable(shown, &error))?;
        bytes = limited(decoder, shown)?;
    }
    if bytes.is_empty() {
        return Err(empty(shown));
    }
    Ok(bytes)
}

/// Returns true if the bytes are the text of a proto; false if they may be a `FileDescriptorSet`.
///
/// # Errors
///
/// Returns an error that names the format, if it is another one.
pub(super) fn is_text(shown: &str, bytes: &[u8]) -> Result<bool, Error> {
    if let Some(archive) = archive(bytes) {
        return Err(refused(shown, archive, UNPACK));
    }
    if bytes.starts_with(b"{") {
        return Err(refused(shown, "JSON", BINARY));
    }
    // The compiler reports the first byte that is not UTF-8.
    let is_utf_16 = Encoding::for_bom(bytes).is_some_and(|(found, _)| found != UTF_8);
    let is_text = is_utf_16 || compile::is_text(bytes);
    if is_text && is_text_format(bytes) {
        return Err(refused(shown, "a set in text format or YAML", BINARY));
    }
    Ok(is_text)
}

/// Returns the name of the archive that these bytes begin; `None` if they begin none.
fn archive(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(ZIP_END) {
        return Some("an empty ZIP archive");
    }
    // A set may have the bytes of a file system somewhere inside.
    let is_archive = |magic: &&Magic| match magic.class {
        Use::Archive => magic.offset == 0,
        Use::Tar => true,
        Use::Packed(_) | Use::Compressed | Use::Program(_) => false,
    };
    let found = FORMATS.iter().filter(is_archive).find(|magic| magic.is_in(bytes));
    found.map(|magic| magic.name)
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

/// Decodes a `FileDescriptorSet`. Editions are supported too: no compiler is involved.
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

fn unreadable(shown: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Schema, format!("cannot read {shown}: {error}"))
}
