//! Paths with wildcards, expanded as in containerd.

use std::path::{Component, Path, PathBuf};

use crate::check::collect::machine_root::MachineRoot;
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of matches of a pattern.
const MAX_MATCHES: usize = 1000;

/// Returns the paths that a pattern matches, by name. Links are resolved on the machine. `**` is the same as `*`: it
/// does not descend.
pub(super) fn expand(pattern: &Path, machine: &MachineRoot) -> Result<Vec<PathBuf>, Unreadable> {
    let mut paths = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str().to_string_lossy();
        if matches!(component, Component::Normal(_)) && name.contains(['*', '?', '[']) {
            let pattern = compile(&name)?;
            let matched = paths
                .iter()
                .flat_map(|folder| matches(folder, &pattern, machine));
            paths = matched.take(MAX_MATCHES).collect();
        } else {
            paths.iter_mut().for_each(|path| path.push(component));
        }
    }
    paths.retain(|path| machine.resolve(path).is_ok());
    paths.sort();
    Ok(paths)
}

fn compile(name: &str) -> Result<glob::Pattern, Unreadable> {
    let mut name = name.to_owned();
    while name.contains("**") {
        name = name.replace("**", "*");
    }
    glob::Pattern::new(&name).map_err(|error| {
        let reason = format!("import `{}`: {}", escape::bytes(name.as_bytes()), error.msg);
        Unreadable::new(SkipKind::Broken, reason)
    })
}

fn matches(folder: &Path, pattern: &glob::Pattern, machine: &MachineRoot) -> Vec<PathBuf> {
    let entries = machine.resolve(folder).and_then(|folder| folder.read_dir());
    let names = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name());
    let matching = names.filter(|name| pattern.matches(&name.to_string_lossy()));
    let mut paths: Vec<PathBuf> = matching.map(|name| folder.join(name)).collect();
    paths.sort();
    paths
}
