//! A folder of verified content by digest, laid out like the blobs of an OCI image layout.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::digest::Digest;
use super::error::{Error, ErrorKind};

/// The size in bytes of the pieces in which content is verified.
const PIECE_BYTES: usize = 256 << 10;

/// A folder with content by digest.
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens a folder, and creates it if necessary.
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let blobs = folder.join("blobs");
        fs::create_dir_all(&blobs).map_err(|error| {
            let message = format!(
                "cannot use the cache {}: {error}",
                crate::escape::path(folder)
            );
            Error::new(ErrorKind::Configuration, message)
        })?;
        Ok(Self { folder: blobs })
    }

    /// Returns the content with this digest. It is read and verified first, and removed if it is
    /// damaged.
    pub(super) fn get(&self, digest: &Digest) -> Option<File> {
        let path = self.path(digest);
        let mut file = File::open(&path).ok()?;
        let mut hasher = digest.hasher();
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            match file.read(&mut piece).ok()? {
                0 => break,
                read => hasher.add(piece.get(..read).unwrap_or_default()),
            }
        }
        if hasher.finish() != *digest {
            let _ = fs::remove_file(&path);
            return None;
        }
        file.rewind().ok()?;
        Some(file)
    }

    /// Returns a file to write content to, which becomes visible with [`Unfinished::keep`]. Returns
    /// `None` if the folder cannot be written; the check then continues without the cache.
    pub(super) fn start(&self, digest: &Digest) -> Option<Unfinished> {
        let path = self.path(digest);
        let folder = path.parent()?;
        fs::create_dir_all(folder).ok()?;
        let file = NamedTempFile::with_prefix_in(".unfinished-", folder).ok()?;
        Some(Unfinished { file, path })
    }

    /// Stores verified bytes.
    pub(super) fn store(&self, digest: &Digest, bytes: &[u8]) {
        if let Some(mut unfinished) = self.start(digest)
            && unfinished.add(bytes)
        {
            unfinished.keep();
        }
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.folder.join(digest.algorithm()).join(digest.hex())
    }
}

/// Content that has not been verified yet. It is removed when dropped.
pub(super) struct Unfinished {
    file: NamedTempFile,
    path: PathBuf,
}

impl Unfinished {
    /// Appends bytes. Returns false if they cannot be written.
    pub(super) fn add(&mut self, bytes: &[u8]) -> bool {
        self.file.write_all(bytes).is_ok()
    }

    /// Makes the content visible under its digest.
    pub(super) fn keep(self) {
        // Another process may have stored the same content in the meantime.
        let _ = self.file.persist(self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_content_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("new")).unwrap();
        let digest = Digest::of(b"content");
        assert!(cache.get(&digest).is_none());
        drop(cache.start(&digest));
        assert!(cache.get(&digest).is_none());
        cache.store(&digest, b"content");
        let mut text = String::new();
        cache
            .get(&digest)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "content");
        fs::write(cache.path(&digest), b"Content").unwrap();
        assert!(cache.get(&digest).is_none());
        assert!(!cache.path(&digest).exists());
    }
}
