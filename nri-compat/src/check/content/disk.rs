//! Files on disk as [`Content`], and streams that are copied to temporary files, so that they can
//! be read at any offset.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use crate::check::content::Content;
use crate::skipped::{SkipKind, Unreadable};
use crate::system;

/// The maximum size of a stream in bytes.
const MAX_STREAM: u64 = 64 << 30;

/// An open regular file.
pub(in crate::check) struct Disk {
    file: File,
    len: u64,
    /// True if anybody may execute it.
    pub(in crate::check) is_executable: bool,
    /// The identity of the file, which all its names share.
    pub(in crate::check) id: FileId,
    /// The number of hard links.
    pub(in crate::check) links: u64,
}

/// The device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::check) struct FileId(u64, u64);

impl Disk {
    /// Opens a regular file; `None` for anything else, which is closed unread.
    ///
    /// Does not block: a name that became a FIFO since it was listed must not stop the scan.
    pub(in crate::check) fn open(path: &Path) -> io::Result<Option<Self>> {
        let Some(file) = system::open(path)? else {
            return Ok(None);
        };
        let metadata = file.metadata()?;
        Ok(metadata.is_file().then(|| Self::new(file, &metadata)))
    }

    fn new(file: File, metadata: &Metadata) -> Self {
        let (device, inode) = system::identity(metadata);
        Self {
            len: metadata.len(),
            id: FileId(device, inode),
            links: system::links(metadata),
            is_executable: is_executable(metadata),
            file,
        }
    }
}

/// Copies a stream to an unnamed file, which is deleted when it is closed.
///
/// # Errors
///
/// Returns an error if the stream cannot be read or is too large, or no temporary file can be
/// written.
pub(in crate::check) fn spooled(input: &mut dyn Read) -> Result<Disk, Unreadable> {
    let mut file = tempfile::tempfile().map_err(not_spooled)?;
    let copied = io::copy(&mut input.take(MAX_STREAM + 1), &mut file).map_err(not_spooled)?;
    if copied > MAX_STREAM {
        let reason = format!("larger than {} GiB", MAX_STREAM >> 30);
        return Err(Unreadable::new(SkipKind::TooLarge, reason));
    }
    temporary(file)
}

/// Returns a temporary file as content.
pub(in crate::check) fn temporary(file: File) -> Result<Disk, Unreadable> {
    let metadata = file.metadata().map_err(not_spooled)?;
    Ok(Disk::new(file, &metadata))
}

/// Returns the reason why a stream cannot be copied. Only errors of the system can be those of the
/// temporary file.
fn not_spooled(error: io::Error) -> Unreadable {
    let mut why = Unreadable::of_data(error);
    if why.kind == SkipKind::Io {
        why.reason = format!("cannot be copied to a temporary file: {}", why.reason);
    }
    why
}

impl Content for Disk {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        // Most files end within their first read; another would only confirm it. Files of pseudo
        // filesystems have no length.
        let end = match self.len.saturating_sub(offset) {
            0 => buffer.len(),
            left => usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len())),
        };
        while let Some(rest) = buffer.get_mut(filled..end).filter(|rest| !rest.is_empty()) {
            match system::read_at(&self.file, rest, offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Returns true if a file is regular and anybody may execute it, which is how runtimes find
/// plugins.
pub(in crate::check) fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file() && system::may_execute(metadata)
}
