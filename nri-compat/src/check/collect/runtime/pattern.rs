//! Paths with wildcards, expanded as in containerd.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

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

fn compile(name: &str) -> Result<GlobMatcher, Unreadable> {
    let glob = GlobBuilder::new(&translated(name))
        .backslash_escape(true)
        .build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        let name = escape::bytes(name.as_bytes());
        let reason = format!("import `{name}`: {}", error.kind());
        Unreadable::new(SkipKind::Broken, reason)
    })
}

/// Translates a pattern of Go's `filepath.Match`, where braces are ordinary, and so is `!` at the
/// beginning of a class: only `^` negates it.
fn translated(name: &str) -> String {
    let mut out = String::new();
    let mut characters = name.chars().peekable();
    let (mut is_class, mut has_mark) = (false, false);
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                out.push(character);
                out.extend(characters.next());
            }
            '[' if !is_class => {
                out.push(character);
                is_class = true;
                has_mark = characters.next_if_eq(&'!').is_some();
            }
            ']' if is_class => {
                out.push_str(if has_mark { "!]" } else { "]" });
                is_class = false;
            }
            '{' | '}' if !is_class => out.extend(['\\', character]),
            _ => out.push(character),
        }
    }
    out
}

fn matches(folder: &Path, pattern: &GlobMatcher, machine: &MachineRoot) -> Vec<PathBuf> {
    let entries = machine.resolve(folder).and_then(|folder| folder.read_dir());
    let names = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name());
    let matching = names.filter(|name| pattern.is_match(Path::new(name)));
    let mut paths: Vec<PathBuf> = matching.map(|name| folder.join(name)).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_they_match_in_go() {
        for (pattern, name, expected) in [
            ("*.toml", "a.toml", true),
            ("*.toml", ".hidden.toml", true),
            ("*.toml", "a.toml.bak", false),
            ("**", "a", true),
            ("a**.toml", "ab.toml", true),
            ("?.toml", "ab.toml", false),
            ("[ab]*.toml", "b.toml", true),
            ("[^ab]*.toml", "b.toml", false),
            ("[^ab]*.toml", "c.toml", true),
            ("[!ab]*.toml", "b.toml", true),
            ("[!a-c]*.toml", "!.toml", true),
            ("[!ab]*.toml", "c.toml", false),
            ("\\**.toml", "*.toml", true),
            ("\\**.toml", "a.toml", false),
            ("{a,b}*.toml", "a.toml", false),
            ("{a,b}*.toml", "{a,b}.toml", true),
            ("[{]*", "{", true),
        ] {
            let matcher = compile(pattern).unwrap();
            assert_eq!(matcher.is_match(name), expected, "{pattern} {name}");
        }
        assert!(compile("[a*").is_err());
    }
}
