//! The paths of lower layers that a layer hides, stored in eight bytes per entry.
//!
//! Paths are stored as keyed hashes, so collisions are practically impossible, even on purpose.

use std::hash::{BuildHasher as _, RandomState};

use super::names::{self, Whiteout};

/// The way in which an entry hides lower layers.
#[derive(Clone, Copy, Hash)]
enum Cover {
    /// The path and everything below it are replaced or removed.
    Whole,
    /// Everything in the folder is removed.
    Opaque,
    /// A folder replaces a file, and does not affect the content of a folder.
    Folder,
    /// The path is a symbolic link.
    Link,
}

/// The paths that a layer hides.
#[derive(Default)]
pub(super) struct Covers {
    keys: RandomState,
    hidden: Vec<u64>,
}

impl Covers {
    /// Adds an entry.
    pub(super) fn add(&mut self, path: &[u8], is_folder: bool) {
        let (by, path) = match names::whiteout(path) {
            Some(Whiteout::Gone(path)) => (Cover::Whole, path),
            Some(Whiteout::Opaque(folder)) => (Cover::Opaque, folder),
            Some(Whiteout::Note) => return,
            None if is_folder => (Cover::Folder, path.to_vec()),
            None => (Cover::Whole, path.to_vec()),
        };
        let hash = self.keys.hash_one((by, path.as_slice()));
        self.hidden.push(hash);
    }

    /// Notes that an entry is a symbolic link.
    pub(super) fn add_link(&mut self, path: &[u8]) {
        let hash = self.keys.hash_one((Cover::Link, path));
        self.hidden.push(hash);
    }

    /// Sorts the entries. Must be called once, after all entries are added.
    pub(super) fn finish(&mut self) {
        self.hidden.sort_unstable();
        self.hidden.dedup();
        self.hidden.shrink_to_fit();
    }

    /// Returns true if a file of a lower layer cannot be seen. `below` are the layers up to that one:
    /// a file that was written through a symbolic link among its folders is elsewhere, so that
    /// replacing or removing the link does not hide it.
    pub(super) fn hide(&self, path: &[u8], below: &[&Self]) -> bool {
        if self.has(Cover::Folder, path) {
            return true;
        }
        let mut rest = path;
        loop {
            let above = names::split(rest).0;
            if self.has(Cover::Whole, rest) || self.has(Cover::Opaque, above) {
                return true;
            }
            if above.is_empty() {
                return false;
            }
            if below.iter().any(|layer| layer.has(Cover::Link, above)) {
                return false;
            }
            rest = above;
        }
    }

    fn has(&self, by: Cover, path: &[u8]) -> bool {
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
                .for_each(|path| assert!(covers.hide(path.as_bytes(), &[]), "{entries:?} {path}"));
            seen.iter()
                .for_each(|path| assert!(!covers.hide(path.as_bytes(), &[]), "{entries:?} {path}"));
        }
    }

    #[test]
    fn a_file_behind_a_link_is_not_hidden_with_the_link() {
        let mut below = covers(&[("lib", false), ("lib/nri/10-a", false)]);
        below.add_link(b"lib");
        below.finish();
        for (upper, is_hidden) in [
            ([("lib", false)], false),
            ([(".wh.lib", false)], false),
            ([("lib/.wh.nri", false)], true),
            ([("lib/nri/10-a", false)], true),
        ] {
            let upper = covers(&upper);
            assert_eq!(upper.hide(b"lib/nri/10-a", &[&below]), is_hidden);
        }
    }
}
