//! The TOML files of a runtime, and patterns of their names.

use std::io;
use std::path::{Path, PathBuf};

use globset::Glob;
use serde::de::DeserializeOwned;

use crate::check::content::disk::Disk;
use crate::check::evidence::text;
use crate::check::find::machine_root::MachineRoot;
use crate::check::settings::MAX_FILE;
use crate::escape;
use crate::skipped::{SkipKind, Unreadable};

/// Returns the text of a file.
pub(super) fn text(file: &Path) -> Result<String, Unreadable> {
    let special = || Unreadable::new(SkipKind::SpecialFile, "not a regular file");
    let bytes = text::bytes(&Disk::open(file)?.ok_or_else(special)?, MAX_FILE)?;
    String::from_utf8(bytes).map_err(|_| Unreadable::new(SkipKind::Broken, "not UTF-8"))
}

/// Returns the settings in a text.
///
/// # Errors
///
/// Returns an error if it is not TOML, or a setting has another type; no runtime starts with such a
/// file.
pub(super) fn settings<T: DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        let reason = format!("line {line} is not valid: {}", error.message());
        Unreadable::new(SkipKind::Broken, reason)
    })
}

/// Returns the paths that a pattern matches, by name. Links to the folder are resolved on the
/// machine.
///
/// # Errors
///
/// Returns an error if there are wildcards elsewhere than in the last component, which no
/// distribution has, or if the folder cannot be listed.
pub(super) fn expand(pattern: &Path, machine: &MachineRoot) -> Result<Vec<PathBuf>, Unreadable> {
    let invalid = |reason: &str| {
        let shown = escape::path(pattern);
        Unreadable::new(SkipKind::Broken, format!("import `{shown}`: {reason}"))
    };
    let folder = pattern.parent().unwrap_or(machine.folder());
    if folder.to_string_lossy().contains('*') {
        return Err(invalid("wildcards in names of folders are not supported"));
    }
    let glob = Glob::new(&pattern.file_name().unwrap_or_default().to_string_lossy())
        .map_err(|error| invalid(&error.kind().to_string()))?
        .compile_matcher();
    let entries = match machine.resolve(folder).and_then(|folder| folder.read_dir()) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Unreadable::from(&error)),
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let matching = names.filter(|name| glob.is_match(Path::new(name)));
    let mut paths: Vec<PathBuf> = matching.map(|name| folder.join(name)).collect();
    paths.sort();
    Ok(paths)
}
