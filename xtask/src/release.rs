//! Builds the artifacts of a release into one folder: archives of static binaries, an image,
//! packages, charts, SBOMs, templates of package managers, and their sums.
//!
//! The output depends only on the sources, the toolchain and the versions of the tools: times are
//! those of the last commit, and paths of this machine are removed.

mod archive;
mod bill;
mod build;
mod chart;
mod elsewhere;
mod files;
mod image;
mod layout;
mod manual;
mod packages;
mod sums;
mod templates;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{TaskError, writing};
use crate::metadata::Metadata;
use files::Files;

/// A processor for which binaries are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Its name for the kernel and in file names.
    pub name: &'static str,
    /// Its name in images, in Debian and in Go.
    pub oci: &'static str,
}

impl Processor {
    /// Returns the target of the Rust compiler.
    pub fn target(self) -> String {
        format!("{}-unknown-linux-musl", self.name)
    }

    /// Returns the platform of its programs in the names of archives.
    fn platform(self) -> String {
        format!("{}-linux", self.name)
    }
}

/// The processors of a release. The first is the one of the machine that builds it, whose binary
/// writes the manual.
pub const PROCESSORS: [Processor; 2] =
    [Processor { name: "x86_64", oci: "amd64" }, Processor { name: "aarch64", oci: "arm64" }];

/// The parts of a release.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder for the artifacts.
    pub out: PathBuf,
    /// The name of a processor, to build for no other.
    pub only: Option<String>,
    /// A folder with programs that were built on other systems: `x86_64-macos/nri-compat`,
    /// `aarch64-macos/nri-compat` and `x86_64-windows/nri-compat.exe`.
    pub elsewhere: Option<PathBuf>,
}

/// A release that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The paths of the artifacts, ordered by name.
    pub artifacts: Vec<PathBuf>,
    /// The names of the archives whose programs were not there.
    pub left_out: Vec<String>,
}

/// The programs that were built for a processor.
struct Programs {
    processor: Processor,
    /// The command `nri-compat`.
    command: PathBuf,
    /// The program `nri-bridge`.
    bridge: PathBuf,
}

/// The facts that every artifact needs.
struct ReleaseBuild<'a> {
    root: &'a Path,
    out: &'a Path,
    metadata: Metadata,
}

/// Builds the artifacts of the repository at `root`.
///
/// # Errors
///
/// Returns an error if a tool is missing or fails, or a file cannot be read or written.
pub fn release(root: &Path, options: &Options) -> Result<Built, TaskError> {
    fs::create_dir_all(&options.out).map_err(writing(&options.out))?;
    let release = ReleaseBuild { root, out: &options.out, metadata: Metadata::read(root)? };
    let built = release.build(options.only.as_deref())?;
    let files = Files::write(&release, &built)?;
    for programs in &built {
        release.archive(programs, &files)?;
        release.package(programs, &files)?;
    }
    let left_out = release.elsewhere(options.elsewhere.as_deref(), &files)?;
    release.image(&built)?;
    release.charts()?;
    release.bills()?;
    release.fill_templates()?;
    Ok(Built { artifacts: sums::write(&options.out)?, left_out })
}
