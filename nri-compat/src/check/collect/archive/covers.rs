//! The paths of lower layers that a layer hides, in eight bytes per entry.
//!
//! Paths are kept as keyed hashes: that two of them agree by accident is as good as impossible, on purpose too.

use std::hash::{BuildHasher as _, RandomState};

use super::names::{self, Whiteout};

/// How an entry hides what is below it.
#[derive(Clone, Copy, Hash)]
enum By {
    /// Its path and everything below are replaced or gone.
    Whole,
    /// Everything in the folder is gone.
    Opaque,
    /// A folder takes the place of a file, and leaves a folder's content as it is.
    Folder,
}

/// All that a layer hides.
#[derive(Default)]
pub(super) struct Covers {
    keys: RandomState,
    hidden: Vec<u64>,
}

impl Covers {
    /// Takes in an entry.
    pub(super) fn add(&mut self, path: &[u8], is_folder: bool) {
        let (by, path) = match names::whiteout(path) {
            Some(Whiteout::Gone(path)) => (By::Whole, path),
            Some(Whiteout::Opaque(folder)) => (By::Opaque, folder),
            Some(Whiteout::Note) => return,
            None if is_folder => (By::Folder, path.to_vec()),
            None => (By::Whole, path.to_vec()),
        };
        let hash = self.keys.hash_one((by, path.as_slice()));
        self.hidden.push(hash);
    }

    /// To be called once, when all entries are in.
    pub(super) fn finish(&mut self) {
        self.hidden.sort_unstable();
        self.hidden.dedup();
        self.hidden.shrink_to_fit();
    }

    /// Returns true if a file of a lower layer cannot be seen.
    pub(super) fn hide(&self, path: &[u8]) -> bool {
        if self.has(By::Folder, path) {
            return true;
        }
        let mut rest = path;
        loop {
            let above = names::split(rest).0;
            if self.has(By::Whole, rest) || self.has(By::Opaque, above) {
                return true;
            }
            if above.is_empty() {
                return false;
            }
            rest = above;
        }
    }

    fn has(&self, by: By, path: &[u8]) -> bool {
        let hash = self.keys.hash_one((by, path));
        self.hidden.binary_search(&hash).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(entries: &[(&str, bool)]) -> Covers {
        let mut covers = Covers::default();
        for (path, is_folder) in entries {
            covers.add(path.as_bytes(), *is_folder);
        }
        covers.finish();
        covers
    }

    #[test]
    fn layers_hide_what_the_specification_says() {
        for (entries, hidden, seen) in [
            (
                &[("usr/bin/.wh.a", false)][..],
                &["usr/bin/a", "usr/bin/a/b"][..],
                &["usr/bin/b", "usr/bin"][..],
            ),
            (
                &[("usr/.wh.bin", false)],
                &["usr/bin/a", "usr/bin/x/y"],
                &["usr/b"],
            ),
            (
                &[("usr/bin/.wh..wh..opq", false)],
                &["usr/bin/a", "usr/bin/x/y"],
                &["usr/x"],
            ),
            (&[(".wh..wh..opq", false)], &["usr/bin/a", "a"], &[]),
            (
                &[("usr", true), ("usr/bin", true)],
                &["usr/bin", "usr"],
                &["usr/bin/a"],
            ),
            (&[("usr/bin", false)], &["usr/bin", "usr/bin/a"], &["usr/a"]),
            (&[("usr/bin/a", false)], &["usr/bin/a"], &["usr/bin/b", "a"]),
        ] {
            let covers = covers(entries);
            hidden
                .iter()
                .for_each(|path| assert!(covers.hide(path.as_bytes()), "{entries:?} {path}"));
            seen.iter()
                .for_each(|path| assert!(!covers.hide(path.as_bytes()), "{entries:?} {path}"));
        }
    }
}
