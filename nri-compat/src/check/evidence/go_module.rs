//! The module that a Go package on disk belongs to.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::go_mod::GoMod;

/// The maximum number of folders that are searched upwards.
const MAX_ABOVE: usize = 64;

/// The maximum size of a `go.mod` in bytes; real ones have a few kilobytes.
const MAX_FILE: u64 = 4 << 20;

/// The module of a package.
#[derive(Debug)]
pub(in crate::check) struct GoModule {
    /// The folder of its `go.mod`.
    pub(in crate::check) folder: PathBuf,
    /// The path of the package relative to this folder, with `/`; empty for the folder itself.
    pub(in crate::check) path_of_package: String,
    /// True if the packages that the module uses are vendored.
    pub(in crate::check) is_vendored: bool,
    in_workspace: bool,
    file: GoMod,
}

impl GoModule {
    /// Finds the `go.mod` of the innermost folder around a package.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is none, or if it cannot be read.
    pub(in crate::check) fn above(package: &Path) -> Result<Self, String> {
        let package = package
            .canonicalize()
            .map_err(|error| format!("cannot find its folder: {error}"))?;
        let mut above = package.ancestors().take(MAX_ABOVE);
        let folder = above
            .find(|folder| folder.join("go.mod").is_file())
            .ok_or("there is no go.mod above it")?;
        let relative = package.strip_prefix(folder).unwrap_or(Path::new(""));
        let parts = relative.iter().map(|part| part.to_string_lossy());
        Ok(Self {
            folder: folder.to_owned(),
            path_of_package: parts.collect::<Vec<_>>().join("/"),
            is_vendored: folder.join("vendor/modules.txt").is_file(),
            in_workspace: folder
                .ancestors()
                .take(MAX_ABOVE)
                .any(|above| above.join("go.work").is_file()),
            file: read(&folder.join("go.mod"))?,
        })
    }

    /// Returns the path by which Go code imports the package.
    pub(in crate::check) fn import_path(&self) -> String {
        match self.path_of_package.as_str() {
            "" => self.file.path.clone(),
            path => format!("{}/{path}", self.file.path),
        }
    }

    /// Returns the release of NRI that the module builds with.
    ///
    /// # Errors
    ///
    /// Returns the reason if its files do not determine it.
    pub(in crate::check) fn release(&self) -> Result<&str, &'static str> {
        if self.in_workspace {
            return Err("a go.work above it may select another release of NRI");
        }
        self.file.release()
    }
}

fn read(path: &Path) -> Result<GoMod, String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE).read_to_string(&mut text));
    read.map_err(|error| format!("cannot read its go.mod: {error}"))?;
    Ok(GoMod::parse(&text))
}
