//! Builds the book in `docs`, with the output of commands and a page for each rule and each
//! statement.
//!
//! Nothing of this is committed, so that nothing can go stale: commands run while the book is
//! built.

mod command;
mod page;
mod reference;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{TaskError, reading, writing};
use crate::metadata::Metadata;
use crate::tool::Tool;

use command::Documented;
use page::Page;
use reference::Reference;

/// The settings of a build.
#[derive(Clone, Debug)]
pub struct BookOptions {
    /// The folder for the sources of the book, `src`, and its pages, `book`.
    pub out: PathBuf,
    /// The `nri-compat` that writes outputs, with all features.
    pub command: PathBuf,
}

/// Builds the book of the repository at `root`, and returns the folder with its pages.
///
/// # Errors
///
/// Returns an error if a command of the book fails, mdbook is missing or fails, or a file cannot be
/// written.
pub fn book(root: &Path, options: &BookOptions) -> Result<PathBuf, TaskError> {
    let command = Documented::new(&options.command);
    let reference = Reference::read(&command)?;
    let address = Metadata::read(root)?.address;
    let docs = root.join("docs");
    let mut pages = read(&docs.join("src"), Path::new(""))?;
    let lists = reference.lists();
    for page in &mut pages {
        page.expand(&address, &command, &lists)?;
    }
    pages.extend(reference.pages(&command)?);
    for page in &pages {
        page.write(&options.out.join("src"))?;
    }
    let configuration = options.out.join("book.toml");
    fs::copy(docs.join("book.toml"), &configuration).map_err(writing(&configuration))?;
    Tool::new("mdbook", "`source .ci/setup.sh; install_tools` installs it")
        .with(|mdbook| {
            mdbook.arg("build").arg(&options.out);
        })
        .run()?;
    Ok(options.out.join("book"))
}

/// Reads the pages in a folder; their paths begin with `prefix`.
fn read(folder: &Path, prefix: &Path) -> Result<Vec<Page>, TaskError> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).map_err(reading(folder))? {
        let path = entry.map_err(reading(folder))?.path();
        let name = prefix.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            pages.extend(read(&path, &name)?);
        } else {
            let text = fs::read_to_string(&path).map_err(reading(&path))?;
            pages.push(Page { path: name, text });
        }
    }
    Ok(pages)
}
