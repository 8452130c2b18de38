//! Additional folders in which imports are looked up.

use std::path::{Path, PathBuf};

use super::files::Root;
use crate::error::{Error, ErrorKind, Problem};

/// Folders in which imports are looked up, like those of `protoc -I`.
#[derive(Clone, Debug)]
pub struct Imports {
    roots: Vec<Root>,
    /// The way to add a folder, for the help of errors.
    option: &'static str,
}

impl Default for Imports {
    fn default() -> Self {
        Imports::new()
    }
}

impl Imports {
    /// Creates an empty list of folders, to which a build script adds some with `Builder::include`.
    #[must_use]
    pub fn new() -> Self {
        Imports::added_with("Builder::include(\"FOLDER\")")
    }

    /// Creates an empty list of folders, to which the user adds some with `option`: the help of
    /// errors names it.
    #[must_use]
    pub fn added_with(option: &'static str) -> Self {
        Imports { roots: Vec::new(), option }
    }

    /// Adds a folder; `spec` is its path, or `PREFIX=PATH` if imports have `PREFIX/` before the
    /// path in the folder.
    pub fn add(&mut self, spec: &str) {
        let (prefix, folder) = match spec.split_once('=') {
            Some((prefix, folder)) if !prefix.is_empty() => {
                (format!("{}/", prefix.trim_end_matches('/')), folder)
            }
            Some((_, folder)) => (String::new(), folder),
            None => (String::new(), spec),
        };
        self.roots.push(Root { prefix, folder: PathBuf::from(folder) });
    }

    /// Returns an error if one of the folders does not exist, or is not a folder.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first such folder.
    pub fn check(&self) -> Result<(), Error> {
        let missing = |root: &&Root| !here(&root.folder).is_dir();
        let Some(root) = self.roots.iter().find(missing) else {
            return Ok(());
        };
        let fact = format!("the import folder `{}` is not a folder", root.folder.display());
        Err(Problem::new(ErrorKind::Io, fact)
            .with_help(format!("name an existing folder, or PREFIX=FOLDER: `{}`", self.option))
            .into())
    }

    pub(super) fn option(&self) -> &'static str {
        self.option
    }

    pub(super) fn roots(&self) -> Vec<Root> {
        self.roots.clone()
    }

    /// Returns the prefix of files in `folder` in imports: `api/`, or nothing for an import folder
    /// itself. `None` if the folder is below none of them.
    pub(super) fn prefix_of(&self, folder: &Path) -> Option<String> {
        let folder = here(folder).canonicalize().ok()?;
        self.roots.iter().find_map(|root| {
            let below = folder.strip_prefix(here(&root.folder).canonicalize().ok()?).ok()?;
            let parts = below.iter().map(|part| format!("{}/", part.to_string_lossy()));
            Some(format!("{}{}", root.prefix, parts.collect::<String>()))
        })
    }
}

fn here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Returns the prefix of files below `root` in their imports of each other; empty unless all
/// imports agree.
pub(super) fn common_prefix(root: &Path, names: &[String]) -> String {
    let mut found: Option<String> = None;
    for name in names {
        let path = root.join(name);
        // Opening a pipe would wait for a writer.
        if !path.is_file() {
            return String::new();
        }
        let Ok(bytes) = super::files::read(&path, super::files::MAX_FILE) else {
            return String::new();
        };
        for import in imports(&String::from_utf8_lossy(&bytes)) {
            match (longer_name(import, names), &found) {
                (Some(prefix), Some(known)) if prefix != known.as_str() => return String::new(),
                (Some(prefix), _) => found = Some(prefix.to_owned()),
                (None, _) => {}
            }
        }
    }
    found.unwrap_or_default()
}

/// Returns the names in import statements. Commented-out statements are included, because a name
/// that is not found has no effect.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("import")?;
        rest.split('"').nth(1)
    })
}

/// Returns the prefix of an import of one of the files; `None` if it has no prefix, or imports
/// another file.
fn longer_name<'i>(import: &'i str, names: &[String]) -> Option<&'i str> {
    if names.binary_search_by(|name| name.as_str().cmp(import)).is_ok() {
        return None;
    }
    let starts = import.match_indices('/').map(|(at, _)| at + 1);
    let mut cuts = starts.map(|start| import.split_at(start));
    let (prefix, _) =
        cuts.find(|(_, rest)| names.binary_search_by(|name| name.as_str().cmp(rest)).is_ok())?;
    Some(prefix)
}
