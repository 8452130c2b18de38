//! Streams copied to temporary files, so that they can be read at any offset.

use std::fs::File;
use std::io::{self, Read, Write as _};

use super::disk::Disk;
use crate::skipped::{SkipKind, Unreadable};

/// The size of the pieces in which streams are copied, in bytes.
const CHUNK: usize = 64 << 10;

/// The maximum size of a stream in bytes.
const MAX_STREAM: u64 = 64 << 30;

/// Copies a stream to an unnamed file, which is deleted when it is closed.
///
/// # Errors
///
/// Returns an error if the stream cannot be read or is too large, or no temporary file can be
/// written.
pub(super) fn to_disk(input: &mut dyn Read) -> Result<Disk, Unreadable> {
    let failed = |error: &io::Error| {
        let reason = format!("cannot be copied to a temporary file: {error}");
        Unreadable::new(SkipKind::Io, reason)
    };
    let mut file = tempfile::tempfile().map_err(|error| failed(&error))?;
    let mut piece = vec![0; CHUNK];
    let mut copied = 0;
    loop {
        let read = match input.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(read_failed(error)),
        };
        copied += read as u64;
        if copied > MAX_STREAM {
            let reason = format!("larger than {} GiB", MAX_STREAM >> 30);
            return Err(Unreadable::new(SkipKind::TooLarge, reason));
        }
        let (filled, _) = piece.split_at(read);
        file.write_all(filled).map_err(|error| failed(&error))?;
    }
    spooled(file)
}

/// Returns a temporary file as content.
pub(super) fn spooled(file: File) -> Result<Disk, Unreadable> {
    let disk = Disk::from_file(file).map_err(Unreadable::from)?;
    disk.ok_or_else(|| Unreadable::new(SkipKind::Io, "the temporary file is not a regular file"))
}

/// Returns the reason why a stream cannot be read further. Decompression libraries report broken
/// data as errors of any kind.
fn read_failed(error: io::Error) -> Unreadable {
    match Unreadable::from(error) {
        Unreadable {
            kind: SkipKind::Io,
            reason,
        } => Unreadable::new(SkipKind::Broken, reason),
        why => why,
    }
}
