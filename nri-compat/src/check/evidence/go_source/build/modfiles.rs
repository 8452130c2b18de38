//! The module files that a build may use: `go.mod`, or one named by `-modfile`.

use std::path::{Path, PathBuf};

use super::super::tree::Tree;
use super::{GoMod, MAX_MOD, Settings, scripts};
use crate::check::lexical_path::cleaned;

/// The maximum number of folders that are searched for other module files.
const MAX_FOLDERS: usize = 20_000;

/// The maximum size of a script that is searched for `-modfile`.
const MAX_SCRIPT: u64 = 256 << 10;

/// The number of folders above the module that are searched.
const MAX_ABOVE: usize = 8;

/// Folders without module files of this module.
const NOT_SEARCHED: [&str; 4] = [".git", "node_modules", "testdata", "vendor"];

/// Module files, and the reasons why there may be others.
#[derive(Debug, Default)]
pub(super) struct ModFiles {
    pub(super) paths: Vec<PathBuf>,
    pub(super) doubts: Vec<String>,
}

/// Finds the module files of the module in a folder.
pub(super) fn of(tree: &dyn Tree, root: &Path, settings: &Settings) -> ModFiles {
    if let Some(file) = &settings.modfile {
        let path = cleaned(&root.join(file));
        return ModFiles {
            paths: vec![path],
            doubts: Vec::new(),
        };
    }
    let mut found = ModFiles {
        paths: vec![root.join("go.mod")],
        ..ModFiles::default()
    };
    found.below(tree, root);
    found.above(tree, root);
    found
}

impl ModFiles {
    fn below(&mut self, tree: &dyn Tree, root: &Path) {
        let mut folders = vec![root.to_owned()];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            seen += 1;
            if seen > MAX_FOLDERS {
                let why = format!(
                    "the module has more than {MAX_FOLDERS} folders: other module files may be in them"
                );
                self.doubts.push(why);
                return;
            }
            let names = tree.names(&folder).unwrap_or_default();
            if folder != root && names.iter().any(|name| name == "go.mod") {
                continue;
            }
            self.module_files(tree, &folder, &names);
            if folder == root {
                self.scripts(tree, &folder, &names);
            }
            let inner = names.iter().filter(|name| !name.ends_with(".go"));
            let inner = inner.filter(|name| !NOT_SEARCHED.contains(&name.as_str()));
            let inner = inner.map(|name| folder.join(name));
            folders.extend(inner.filter(|path| tree.is_folder(path) && !tree.is_link(path)));
        }
    }

    /// Searches the folders above, up to that of the repository.
    fn above(&mut self, tree: &dyn Tree, root: &Path) {
        let is_repository = |folder: &Path| {
            let git = folder.join(".git");
            tree.is_folder(&git) || tree.is_file(&git)
        };
        let Some(top) = root.ancestors().take(MAX_ABOVE).position(is_repository) else {
            return;
        };
        for folder in root.ancestors().skip(1).take(top) {
            let names = tree.names(folder).unwrap_or_default();
            self.module_files(tree, folder, &names);
            self.scripts(tree, folder, &names);
        }
    }

    fn module_files(&mut self, tree: &dyn Tree, folder: &Path, names: &[String]) {
        let others = names
            .iter()
            .filter(|name| name.ends_with(".mod") && *name != "go.mod");
        for name in others {
            self.add(tree, folder.join(name));
        }
    }

    /// Adds a file if it is a module file that concerns NRI.
    fn add(&mut self, tree: &dyn Tree, path: PathBuf) -> bool {
        let Some(text) = tree.read(&path, MAX_MOD) else {
            return false;
        };
        let file = GoMod::of_text(&text);
        if file.module.is_some() && file.requirement.is_some() && !self.paths.contains(&path) {
            self.paths.push(path);
        }
        file.module.is_some()
    }

    /// Looks for settings in files that may call the toolchain.
    fn scripts(&mut self, tree: &dyn Tree, folder: &Path, names: &[String]) {
        for name in names
            .iter()
            .filter(|name| !name.ends_with(".go") && !name.ends_with(".sum"))
        {
            let path = folder.join(name);
            let Some(text) = tree.read(&path, MAX_SCRIPT) else {
                continue;
            };
            let text = String::from_utf8_lossy(&text);
            self.doubts
                .extend(scripts::doubts(&text).map(|(line, why)| format!("{name}:{line} {why}")));
            for (line, file) in mentions(&text) {
                let given = cleaned(&folder.join(file));
                if !(tree.is_file(&given) && self.add(tree, given)) {
                    let why = format!(
                        "{name}:{line} names a module file with -modfile, which is not followed"
                    );
                    self.doubts.push(why);
                }
            }
        }
    }
}

/// Returns lines that mention `-modfile`, and the files that they name.
fn mentions(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some((_, after)) = line.split_once("-modfile") {
            let value = after.strip_prefix(['=', ' ']).unwrap_or_default();
            let is_end = |letter: char| letter.is_whitespace() || "\"';,)]".contains(letter);
            found.push((
                index + 1,
                value
                    .trim_start_matches(['"', '\''])
                    .split(is_end)
                    .next()
                    .unwrap_or_default(),
            ));
        }
    }
    found
}
