//! The entries of a git tree, with links resolved inside the tree.

use std::collections::BTreeMap;

/// The maximum number of links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// An entry of a tree other than a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The id of its content.
    pub(super) object: String,
    /// The content of a symbolic link: the path that it leads to.
    pub(super) link: Option<String>,
}

/// The files and links of a tree, by their paths.
#[derive(Debug, Default)]
pub(super) struct Tree(pub(super) BTreeMap<String, Entry>);

/// The object that a path leads to, with its path without links.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    File(String),
    /// Empty for the whole tree.
    Folder(String),
}

impl Tree {
    /// Reads the output of `git ls-tree -r -z`. Entries that are no files, such as submodules, and
    /// those with a path that no file system takes, are left out.
    pub(super) fn parse(listing: &[u8]) -> Self {
        let entries = listing.split(|byte| *byte == 0);
        Self(entries.filter_map(entry).collect())
    }

    /// Follows the links in a path; `None` if nothing is there, or a link leads out of the tree.
    pub(super) fn find(&self, path: &str) -> Option<Found> {
        let mut ahead: Vec<String> = parts(path);
        let mut at: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(part) = ahead.pop() {
            match part.as_str() {
                ".." => {
                    at.pop()?;
                    continue;
                }
                _ => at.push(part),
            }
            let entry = self.0.get(&at.join("/"));
            if let Some(target) = entry.and_then(|entry| entry.link.as_deref()) {
                links += 1;
                if links > MAX_LINKS || target.starts_with('/') {
                    return None;
                }
                at.pop();
                ahead.extend(parts(target));
            }
        }
        let path = at.join("/");
        if self.0.contains_key(&path) {
            Some(Found::File(path))
        } else {
            self.has_folder(&path).then_some(Found::Folder(path))
        }
    }

    /// Returns the id of the content of the file that a path leads to.
    pub(super) fn object(&self, path: &str) -> Option<String> {
        match self.find(path)? {
            Found::File(path) => self.0.get(&path).map(|entry| entry.object.clone()),
            Found::Folder(_) => None,
        }
    }

    fn has_folder(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        let mut following = self.0.range(inside.clone()..);
        path.is_empty()
            || following
                .next()
                .is_some_and(|(name, _)| name.starts_with(&inside))
    }
}

/// Returns the parts of a path, the last one first.
fn parts(path: &str) -> Vec<String> {
    let parts = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".");
    parts.rev().map(str::to_owned).collect()
}

/// A repository inside another one, of which the latter only knows the commit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Submodule {
    pub(super) path: String,
    pub(super) commit: String,
    /// The path in the submodule.
    pub(super) rest: String,
}

/// Returns the submodule that contains `path`, from the output of `git ls-tree -r -z`.
pub(super) fn submodule(listing: &[u8], path: &str) -> Option<Submodule> {
    listing.split(|byte| *byte == 0).find_map(|line| {
        let line = String::from_utf8_lossy(line);
        let (commit, folder) = line.strip_prefix("160000 commit ")?.split_once('\t')?;
        let rest = path.strip_prefix(folder)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| Submodule {
            path: folder.to_owned(),
            commit: commit.to_owned(),
            rest: rest.trim_start_matches('/').to_owned(),
        })
    })
}

/// Reads `MODE TYPE OBJECT\tPATH`.
fn entry(line: &[u8]) -> Option<(String, Entry)> {
    let line = String::from_utf8_lossy(line);
    let (about, path) = line.split_once('\t')?;
    let [mode, "blob", object] = about.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    let entry = Entry {
        object: object.to_owned(),
        // Replaced by the content when it was read.
        link: (mode == "120000").then(String::new),
    };
    path.split('/')
        .all(is_plain)
        .then(|| (path.to_owned(), entry))
}

#[cfg(test)]
mod tests {
    use super::{Entry, Found, Tree, submodule};

    fn tree(entries: &[(&str, Option<&str>)]) -> Tree {
        let entry = |(path, link): &(&str, Option<&str>)| {
            let (object, link) = ((*path).to_owned(), link.map(str::to_owned));
            ((*path).to_owned(), Entry { object, link })
        };
        Tree(entries.iter().map(entry).collect())
    }

    #[test]
    fn links_stay_in_the_tree() {
        let tree = tree(&[
            ("a/b.proto", None),
            ("d", Some(".")),
            ("file", Some("a/b.proto")),
            ("folder", Some("./a")),
            ("a/up", Some("../folder/b.proto")),
            ("out", Some("../x")),
            ("absolute", Some("/etc/passwd")),
            ("tricky", Some("d/d/../../../etc/passwd")),
            ("loop", Some("loop")),
            ("dangling", Some("nowhere")),
        ]);
        let file = || Some(Found::File("a/b.proto".to_owned()));
        for path in ["a/b.proto", "file", "folder/b.proto", "a/up", "./d/a//up"] {
            assert_eq!(tree.find(path), file(), "{path}");
        }
        for (path, folder) in [("", ""), ("d", ""), ("folder", "a"), ("a/", "a")] {
            assert_eq!(tree.find(path), Some(Found::Folder(folder.to_owned())));
        }
        for path in [
            "out", "absolute", "tricky", "loop", "dangling", "..", "b", "a/b",
        ] {
            assert_eq!(tree.find(path), None, "{path}");
        }
    }

    #[test]
    fn listings_are_read() {
        let listing = b"100644 blob 1\ta b/c.proto\x00120000 blob 2\tlink\x00160000 commit 3\tmodule\x00100644 blob 4\t../x\0";
        let tree = Tree::parse(listing);
        let names: Vec<&str> = tree.0.keys().map(String::as_str).collect();
        assert_eq!(names, ["a b/c.proto", "link"]);
        assert!(tree.0["link"].link.is_some());
        let found = submodule(listing, "module/a.proto");
        let found = found.map(|found| (found.path, found.commit, found.rest));
        let expected = ["module", "3", "a.proto"].map(str::to_owned);
        assert_eq!(found, Some(expected.into()));
        assert_eq!(submodule(listing, "modules/a.proto"), None);
    }
}
