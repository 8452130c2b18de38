//! The sums of the artifacts.

use std::fs;
use std::path::{Path, PathBuf};

use super::chart::sorted;
use super::layout::sha256;
use crate::error::{TaskError, reading, writing};

/// The name of the file, in the format that `sha256sum --check` reads.
const NAME: &str = "SHA256SUMS";

/// Writes the sums of all files in the folder, and returns their paths.
pub(super) fn write(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let mut paths = sorted(folder)?;
    paths.retain(|path| path.is_file() && !path.ends_with(NAME));
    let mut text = String::new();
    for path in &paths {
        let content = fs::read(path).map_err(reading(path))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        text.push_str(&format!("{}  {name}\n", sha256(&content)));
    }
    let path = folder.join(NAME);
    fs::write(&path, text).map_err(writing(&path))?;
    paths.push(path);
    Ok(paths)
}
