//! Streams copied to temporary files, so that they can be read at any offset.

use std::fs::File;
use std::io::{self, Read};

use super::disk::Disk;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of a stream in bytes.
const MAX_STREAM: u64 = 64 << 30;

/// Copies a stream to an unnamed file, which is deleted when it is closed.
///
/// # Errors
///
/// Returns an error if the stream cannot be read or is too large, or no temporary file can be
/// written.
pub(super) fn to_disk(input: &mut dyn Read) -> Result<Disk, Unreadable> {
    let mut file = tempfile::tempfile().map_err(failed)?;
    let copied = io::copy(&mut input.take(MAX_STREAM + 1), &mut file).map_err(failed)?;
    if copied > MAX_STREAM {
        let reason = format!("larger than {} GiB", MAX_STREAM >> 30);
        return Err(Unreadable::new(SkipKind::TooLarge, reason));
    }
    spooled(file)
}

/// Returns a temporary file as content.
pub(super) fn spooled(file: File) -> Result<Disk, Unreadable> {
    let disk = Disk::from_file(file).map_err(failed)?;
    disk.ok_or_else(|| Unreadable::new(SkipKind::Io, "the temporary file is not a regular file"))
}

/// Returns the reason why a stream cannot be copied. Only errors of the system can be those of the
/// temporary file.
fn failed(error: io::Error) -> Unreadable {
    let why = Unreadable::of_data(error);
    if why.kind != SkipKind::Io {
        return why;
    }
    let reason = format!("cannot be copied to a temporary file: {}", why.reason);
    Unreadable::new(SkipKind::Io, reason)
}
