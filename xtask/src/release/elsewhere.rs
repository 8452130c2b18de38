//! Programs for systems that a release is not built on: whoever has such a system builds them, and
//! the release packs them.

use std::fs;
use std::path::Path;

use super::ReleaseBuild;
use super::archive::Entry;
use super::files::Files;
use crate::error::{TaskError, reading};

/// The platforms, each with the name of the program in the folder of that name.
pub(super) const PLATFORMS: [(&str, &str); 3] = [
    ("x86_64-macos", "nri-compat"),
    ("aarch64-macos", "nri-compat"),
    ("x86_64-windows", "nri-compat.exe"),
];

impl ReleaseBuild<'_> {
    /// Writes an archive for each platform that has a program in the folder, and returns the names
    /// of the archives that are left out.
    pub(super) fn elsewhere(
        &self,
        folder: Option<&Path>,
        files: &Files,
    ) -> Result<Vec<String>, TaskError> {
        let mut left_out = Vec::new();
        for (platform, program) in PLATFORMS {
            let name = self.archive_name(platform);
            let path = folder.map(|folder| folder.join(platform).join(program));
            match path.filter(|path| path.exists()) {
                Some(path) => {
                    let content = fs::read(&path).map_err(reading(&path))?;
                    let program = Entry::program(format!("{name}/{program}"), content);
                    self.pack(&name, vec![program], files)?;
                }
                None => left_out.push(format!("{name}.tar.gz")),
            }
        }
        Ok(left_out)
    }
}
