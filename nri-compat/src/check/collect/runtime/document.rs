//! The TOML files of a runtime, and paths with wildcards to them.

use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobMatcher};
use serde::de::DeserializeOwned;

use crate::check::collect::machine_root::MachineRoot;
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// The maximum number of matches of a pattern.
const MAX_MATCHES: usize = 1000;

/// The maximum size of a file in bytes; real ones have a few kilobytes.
const MAX_FILE: u64 = 1 << 20;

/// Returns the text of a file.
pub(super) fn text(file: &Path) -> Result<String, Unreadable> {
    if !file.metadata()?.is_file() {
        return Err(Unreadable::new(SkipKind::SpecialFile, "not a regular file"));
    }
    let mut text = String::new();
    let file = std::fs::File::open(file)?;
    let read = file.take(MAX_FILE + 1).read_to_string(&mut text)?;
    if read as u64 > MAX_FILE {
        return Err(Unreadable::new(SkipKind::TooLarge, "larger than 1 MiB"));
    }
    Ok(text)
}

/// Returns the settings in a text.
///
/// # Errors
///
/// Returns an error if it is not TOML, or a setting has another type; no runtime starts with such a file.
pub(super) fn settings<T: DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        let reason = format!("line {line} is not valid: {}", error.message());
        Unreadable::new(SkipKind::Broken, reason)
    })
}

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
