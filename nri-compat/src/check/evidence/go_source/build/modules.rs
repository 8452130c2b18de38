//! The modules of a build whose sources are available.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::super::go_mod::GoMod;
use super::super::tree::Tree;
use super::super::world::Layout;
use super::workspace::Workspace;
use crate::check::lexical_path::cleaned;

/// Returns the modules whose sources are available.
pub(super) fn layout(
    tree: &dyn Tree,
    root: &Path,
    main: &GoMod,
    workspace: Option<&Workspace>,
) -> Layout {
    let mut modules = Vec::new();
    modules.extend(main.module.clone().map(|path| (path, root.to_owned())));
    match workspace {
        Some(workspace) => modules.extend(workspace.modules()),
        None => modules.extend(replaced_by_folders(root, main)),
    }
    keep_first(&mut modules);
    let home = workspace.map_or(root, |workspace| &workspace.folder);
    let vendor = home.join("vendor");
    let vendor = tree.is_file(&vendor.join("modules.txt")).then_some(vendor);
    Layout {
        modules,
        vendor,
        ..Layout::default()
    }
}

/// Removes all but the first entry of each module: the others have no effect.
pub(super) fn keep_first(modules: &mut Vec<(String, PathBuf)>) {
    let mut seen = BTreeSet::new();
    modules.retain(|(path, _)| seen.insert(path.clone()));
}

/// Returns modules that folders replace, whatever version is required. A module with a replacement
/// of a single version is left out, because that version may be the one that is built.
pub(super) fn replaced_by_folders(folder: &Path, file: &GoMod) -> Vec<(String, PathBuf)> {
    let single: BTreeSet<&str> = file
        .replacements
        .iter()
        .filter(|by| by.old.is_some())
        .map(|by| by.module.as_str())
        .collect();
    let replaced = file.replacements.iter().filter(|by| {
        by.version.is_none() && by.old.is_none() && !single.contains(by.module.as_str())
    });
    replaced
        .map(|by| (by.module.clone(), cleaned(&folder.join(&by.path))))
        .collect()
}
