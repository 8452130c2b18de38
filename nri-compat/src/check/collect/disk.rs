//! Files on disk as [`Content`].

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::check::content::Content;
use crate::check::head::HEAD;

/// An open regular file.
pub(super) struct Disk {
    file: File,
    len: u64,
    /// True if anybody may execute it.
    pub(super) is_executable: bool,
    /// The identity of the file, whatever its name.
    pub(super) id: FileId,
    /// The number of hard links.
    pub(super) links: u64,
}

/// The device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FileId(u64, u64);

impl Disk {
    /// Opens a regular file; `None` for anything else, which is closed unread.
    ///
    /// Does not block: a name that became a FIFO since it was listed must not stop the scan.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(path);
        match file {
            // A socket, or a device without a driver.
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Ok(None),
            file => Self::from_file(file?),
        }
    }

    /// Wraps an open file; `None` if it is not a regular file.
    pub(super) fn from_file(file: File) -> io::Result<Option<Self>> {
        let metadata = file.metadata()?;
        Ok(metadata.is_file().then(|| Self {
            len: metadata.len(),
            id: FileId(metadata.dev(), metadata.ino()),
            links: metadata.nlink(),
            is_executable: is_executable(&metadata),
            file,
        }))
    }
}

impl Content for Disk {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        // Most files end within their first read; another would only confirm it. Files of pseudo
        // filesystems have no length.
        let left = self.len.saturating_sub(offset);
        let end = if left == 0 {
            buffer.len()
        } else {
            capped(left, buffer.len())
        };
        while let Some(rest) = buffer.get_mut(filled..end).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Returns a length, but not more than `max`.
fn capped(length: u64, max: usize) -> usize {
    usize::try_from(length).map_or(max, |length| length.min(max))
}

/// Reports whether a file is regular and anybody may execute it, which is how runtimes find plugins.
pub(super) fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.mode() & 0o111 != 0
}

/// Returns the first bytes of a content, up to [`HEAD`].
pub(super) fn head(content: &dyn Content) -> io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let read = content.read_at(0, &mut head)?;
    head.truncate(read);
    Ok(head)
}
