//! Images with programs of this machine, packed without an image builder, and that of a release.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peers::{self, run};
use crate::release;

/// An image to pack.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    name: &'a str,
    /// Paths in the image, and the files; the first is the entry point.
    files: Vec<(PathBuf, PathBuf)>,
    /// The archive of an image that is already packed.
    packed: Option<PathBuf>,
}

impl<'a> Image<'a> {
    /// Returns an image that runs a program at this path, with the libraries of the program.
    ///
    /// # Panics
    ///
    /// Panics if a library is missing.
    #[must_use]
    pub fn of_program(name: &'a str, path: &str, program: &Path) -> Self {
        Self { name, files: Vec::new(), packed: None }.with(path, program)
    }

    /// Returns the image of the release to test, or, if there is none, an image of `program` that
    /// resembles it.
    ///
    /// # Panics
    ///
    /// Panics like [`Image::of_program`].
    #[must_use]
    pub fn of_release(name: &'a str, program: &Path) -> Self {
        Self {
            packed: release::artifact("nri-compat", "-image.tar"),
            ..Self::of_program(name, "/usr/bin/nri-compat", program)
        }
    }

    /// Adds another program with its libraries.
    ///
    /// # Panics
    ///
    /// Panics like [`Image::of_program`].
    #[must_use]
    pub fn with(mut self, path: &str, program: &Path) -> Self {
        self.files.push((path.into(), program.to_owned()));
        self.with_libraries_of(program)
    }

    /// Adds only the libraries of a program, which comes into the container in another way.
    ///
    /// # Panics
    ///
    /// Panics like [`Image::of_program`].
    #[must_use]
    pub fn with_libraries_of(mut self, program: &Path) -> Self {
        self.files.extend(libraries(program).into_iter().map(|library| (library.clone(), library)));
        self
    }

    /// Returns its name and tag.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// Writes it as an archive of an OCI image layout.
    ///
    /// # Panics
    ///
    /// Panics if a file cannot be read or written.
    pub fn pack(&self, archive: &Path) {
        if let Some(packed) = &self.packed {
            fs::copy(packed, archive).expect("the archive can be copied");
            return;
        }
        let mut pack = Command::new(peers::pod_tools().join("image"));
        pack.arg(archive).arg(self.name);
        for (path, file) in &self.files {
            pack.arg(format!("{}={}", path.display(), file.display()));
        }
        run(&mut pack);
    }
}

/// Returns the libraries and the interpreter of a program, none if it is static.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let output = Command::new("ldd").arg(program).output().expect("ldd can be run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("not found"), "{}: {text}", program.display());
    // `NAME => PATH (ADDRESS)`, or `PATH (ADDRESS)` for the interpreter.
    let paths = text.split_whitespace().filter(|word| word.starts_with('/'));
    paths.map(PathBuf::from).collect()
}
