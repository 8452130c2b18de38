//! Walks folders. One walker serves all commands, which differ in the links that they follow.

use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, IntoIter, WalkDir};

/// The treatment of links to folders in a walk. Links to files are listed in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderLinks {
    /// They are listed, and not followed, which rules out cycles.
    Listed,
    /// They are followed, unless they lead to a folder above. The entries of each folder are sorted
    /// by name.
    Followed,
}

/// The reason why a part of a folder is not walked.
#[derive(Debug)]
pub(crate) enum NotWalked {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is a link to a folder above.
    LeadsAbove,
}

/// The entries of a folder and its subfolders.
pub(crate) struct Entries<F> {
    entries: IntoIter,
    folder: PathBuf,
    /// The resolved path of the folder, if links are followed.
    root: Option<PathBuf>,
    enters: F,
}

/// Returns the entries of a folder and of the subfolders that `enters` accepts, and the paths that
/// are not walked.
pub(crate) fn entries<F: FnMut(&DirEntry) -> bool>(
    folder: &Path,
    links: FolderLinks,
    enters: F,
) -> Entries<F> {
    let tree = WalkDir::new(folder);
    let (walk, root) = match links {
        FolderLinks::Listed => (tree, None),
        FolderLinks::Followed => {
            let root = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            (tree.follow_links(true).sort_by_file_name(), Some(root))
        }
    };
    Entries { entries: walk.into_iter(), folder: folder.to_owned(), root, enters }
}

impl<F> Entries<F> {
    /// Returns true for a link that is followed to a folder above.
    fn leads_above(&self, entry: &DirEntry) -> bool {
        let Some(root) = self.root.as_ref().filter(|_| entry.depth() > 0) else {
            return false;
        };
        let target = entry.path_is_symlink().then(|| entry.path().canonicalize());
        matches!(&target, Some(Ok(target)) if root.starts_with(target))
    }
}

impl<F: FnMut(&DirEntry) -> bool> Iterator for Entries<F> {
    type Item = Result<DirEntry, (PathBuf, NotWalked)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.entries.next()? {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(&self.folder).to_owned();
                    // Without an error of the system, it is a circular link.
                    let why = error.into_io_error();
                    return Some(Err((
                        path,
                        why.map_or(NotWalked::LeadsAbove, NotWalked::Unreadable),
                    )));
                }
            };
            if self.leads_above(&entry) {
                self.entries.skip_current_dir();
                return Some(Err((entry.into_path(), NotWalked::LeadsAbove)));
            }
            if (self.enters)(&entry) {
                return Some(Ok(entry));
            }
            if entry.file_type().is_dir() {
                self.entries.skip_current_dir();
            }
        }
    }
}
