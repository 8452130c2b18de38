//! The files that accompany the programs: the licence, the README, manual pages and completions.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Programs, ReleaseBuild, manual};
use crate::error::{TaskError, reading, writing};
use crate::metadata::{BRIDGE, COMMAND};
use crate::tool::Tool;

/// The shells with completions, and the name that the script has in the shell's folder.
const SHELLS: [(&str, &str); 3] =
    [("bash", "nri-compat"), ("zsh", "_nri-compat"), ("fish", "nri-compat.fish")];

/// A file by name.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) content: Vec<u8>,
    /// The copy on disk, for tools that read files.
    pub(super) path: PathBuf,
}

/// The files that accompany the programs.
pub(super) struct Files {
    pub(super) licence: Vec<u8>,
    pub(super) readme: Vec<u8>,
    pub(super) man: Vec<Named>,
    pub(super) completions: Vec<Named>,
    /// A folder for files that are not artifacts; removed with this value.
    folder: tempfile::TempDir,
}

impl Files {
    /// Lets the first programs, which run on this machine, write their manual and completions.
    pub(super) fn write(release: &ReleaseBuild<'_>, built: &[Programs]) -> Result<Self, TaskError> {
        let folder = tempfile::tempdir().map_err(writing(&std::env::temp_dir()))?;
        let named = (Path::new(COMMAND), Path::new(BRIDGE));
        let (program, bridge) = built.first().map_or(named, |it| (&it.command, &it.bridge));
        let read = |path: PathBuf| fs::read(&path).map_err(reading(&path));
        let pages = folder.path().join("man");
        let mut man = command_pages(program, &pages)?;
        man.push(bridge_page(bridge, &pages, &release.metadata.version)?);
        let completions = completions(program, &folder.path().join("completions"))?;
        Ok(Self {
            licence: read(release.root.join("LICENSE"))?,
            readme: read(release.root.join("nri-compat/README.md"))?,
            man,
            completions,
            folder,
        })
    }

    /// Returns the folder for files that are not artifacts.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns a run of the binary of this machine.
fn run(program: &Path) -> Tool {
    Tool::new(program, "build the release on a machine that runs the first processor")
}

/// Returns the manual pages of the command, ordered by name.
fn command_pages(program: &Path, folder: &Path) -> Result<Vec<Named>, TaskError> {
    fs::create_dir_all(folder).map_err(writing(folder))?;
    run(program)
        .with(|command| {
            command.args(["man", "--out"]).arg(folder);
        })
        .run()?;
    let listed = fs::read_dir(folder).map_err(reading(folder))?;
    let mut pages = Vec::new();
    for page in listed {
        let page = page.map_err(reading(folder))?;
        pages.push(Named {
            name: page.file_name().to_string_lossy().into_owned(),
            content: fs::read(page.path()).map_err(reading(&page.path()))?,
            path: page.path(),
        });
    }
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(pages)
}

/// Returns the manual page of the bridge.
fn bridge_page(program: &Path, folder: &Path, version: &str) -> Result<Named, TaskError> {
    let help = run(program).with(|command| {
        command.arg("--help");
    });
    let page = manual::page(&String::from_utf8_lossy(&help.output()?), version);
    let name = format!("{BRIDGE}.1");
    let path = folder.join(&name);
    fs::write(&path, &page).map_err(writing(&path))?;
    Ok(Named { name, content: page.into_bytes(), path })
}

fn completions(program: &Path, folder: &Path) -> Result<Vec<Named>, TaskError> {
    fs::create_dir_all(folder).map_err(writing(folder))?;
    let scripts = SHELLS.iter().map(|&(shell, name)| {
        let run = run(program).with(|command| {
            command.args(["completions", shell]);
        });
        let content = run.output()?;
        let path = folder.join(name);
        fs::write(&path, &content).map_err(writing(&path))?;
        Ok(Named { name: name.to_owned(), content, path })
    });
    scripts.collect()
}
