//! `go.work`: modules that are built together.

use std::path::{Path, PathBuf};

use super::super::super::nri_module;
use super::super::tree::Tree;
use super::modules::{keep_first, replaced_by_folders};
use super::{GoMod, Settings, read};
use crate::check::lexical_path::cleaned;

/// A workspace that a module belongs to.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) file: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) work: GoMod,
    /// Folders and module files of its modules.
    pub(super) members: Vec<(PathBuf, GoMod)>,
    /// The reason why it cannot be followed.
    pub(super) doubt: Option<String>,
}

impl Workspace {
    /// Returns the workspace that a build in this folder takes; `None` if it builds the module
    /// alone.
    pub(super) fn around(tree: &dyn Tree, root: &Path, settings: &Settings) -> Option<Self> {
        let file = match settings.workspace.as_deref() {
            Some("off") => return None,
            Some(path) => PathBuf::from(path),
            None => {
                let files = root.ancestors().map(|folder| folder.join("go.work"));
                files.into_iter().find(|file| tree.is_file(file))?
            }
        };
        let folder = file.parent()?.to_owned();
        let work = read(tree, &file);
        let mut doubt = work.is_none().then(|| "cannot be read".to_owned());
        let work = work.unwrap_or_default();
        let folders: Vec<PathBuf> = work
            .uses
            .iter()
            .map(|used| cleaned(&folder.join(used)))
            .collect();
        if doubt.is_none() && !folders.iter().any(|used| used == root) {
            return None;
        }
        let mut members = Vec::new();
        for used in folders {
            match read(tree, &used.join("go.mod")) {
                Some(file) => members.push((used, file)),
                None => doubt = Some(format!("the module in {} cannot be read", used.display())),
            }
        }
        Some(Self {
            file,
            folder,
            work,
            members,
            doubt,
        })
    }

    /// Returns paths and folders of its modules, and of those that folders replace. Its modules
    /// cannot be replaced, and its replacements precede those of its modules.
    pub(super) fn modules(&self) -> Vec<(String, PathBuf)> {
        let members = self.members.iter();
        let mut all: Vec<_> = members
            .clone()
            .filter_map(|(folder, file)| Some((file.module.clone()?, folder.clone())))
            .collect();
        all.extend(replaced_by_folders(&self.folder, &self.work));
        for (folder, file) in members {
            let replaced = replaced_by_folders(folder, file).into_iter();
            all.extend(replaced.filter(|(path, _)| !self.replaces(path)));
        }
        keep_first(&mut all);
        all
    }

    /// Returns true if `go.work` itself replaces a module, or one of its versions.
    fn replaces(&self, module: &str) -> bool {
        let mut replacements = self.work.replacements.iter();
        replacements.any(|by| by.module == module)
    }

    /// Returns the newest version of NRI that one of the modules requires, which is the one that is
    /// built.
    pub(super) fn required(&self) -> Option<String> {
        let all = self
            .members
            .iter()
            .filter_map(|(_, file)| file.requirement.as_ref());
        let newest = all.max_by_key(|required| nri_module::parse(&required.version));
        newest.map(|required| required.version.clone())
    }
}
