//! Paths with wildcards in imports.

use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobMatcher};

use crate::check::collect::machine_root::MachineRoot;
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of matches of a pattern.
const MAX_MATCHES: usize = 1000;

/// Returns the paths that a pattern matches, by name. Links are resolved on the machine. As in
/// containerd, `**` is the same as `*`: it does not descend.
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

fn compile(name: &str) -> Result<GlobMatcher, Unreadable> {
    let glob = Glob::new(name).map(|glob| glob.compile_matcher());
    glob.map_err(|error| {
        let name = escape::bytes(name.as_bytes());
        let reason = format!("import `{name}`: {}", error.kind());
        Unreadable::new(SkipKind::Broken, reason)
    })
}

fn matches(folder: &Path, pattern: &GlobMatcher, machine: &MachineRoot) -> Vec<PathBuf> {
    let entries = machine.resolve(folder).and_then(|folder| folder.read_dir());
    let entries = entries.into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let matching = names.filter(|name| pattern.is_match(Path::new(name)));
    let mut paths: Vec<PathBuf> = matching.map(|name| folder.join(name)).collect();
    paths.sort();
    paths
}
