//! The configurations of buf that name several roots of imports: `buf.work.yaml`, and `modules` in
//! `buf.yaml`.

use std::path::{Component, Path, PathBuf};

use nri_schema::compile::Module;
use serde::Deserialize;

use super::bytes;
use crate::bounded_yaml;
use crate::error::{Error, ErrorKind};

/// The file of a workspace until version 1, and that of a module or, since version 2, a workspace.
pub(super) const NAMES: [&str; 2] = ["buf.work.yaml", "buf.yaml"];

#[derive(Default, Deserialize)]
#[serde(default)]
struct Configuration {
    /// The folders of a workspace of version 1.
    directories: Vec<String>,
    /// The modules of version 2.
    modules: Vec<ModuleConfiguration>,
    build: Build,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ModuleConfiguration {
    path: Option<String>,
    includes: Vec<String>,
    excludes: Vec<String>,
}

/// The table `build` of versions before 2.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Build {
    roots: Vec<String>,
    excludes: Vec<String>,
}

/// Returns the modules of a folder, each of which is a root of imports; none if the folder has no
/// configuration of buf, or one that names no folders but its own.
///
/// # Errors
///
/// Returns an error for a configuration that cannot be read, or that names a folder outside of its
/// own.
pub(super) fn modules(folder: &Path) -> Result<Vec<Module>, Error> {
    let files = NAMES.map(|name| folder.join(name));
    for file in files.iter().filter(|file| file.is_file()) {
        let cannot_read = Error::cannot("read", file, ErrorKind::Schema);
        let configuration: Configuration =
            bounded_yaml::read_bytes(&bytes::read(file)?).map_err(|error| {
                cannot_read(error).with_help("correct it, or name the folder of each module")
            })?;
        let modules = configuration.modules(folder, file)?;
        if let [only] = modules.as_slice()
            && only.root.components().eq(folder.components())
            && only.includes.is_empty()
            && only.excludes.is_empty()
        {
            return Ok(Vec::new());
        }
        if !modules.is_empty() {
            return Ok(modules);
        }
    }
    Ok(Vec::new())
}

impl Configuration {
    fn modules(self, folder: &Path, file: &Path) -> Result<Vec<Module>, Error> {
        let Build { roots, excludes } = self.build;
        let at_root = |path: Option<String>| ModuleConfiguration {
            path,
            includes: Vec::new(),
            excludes: excludes.clone(),
        };
        let mut all = self.modules;
        if roots.is_empty() && !excludes.is_empty() {
            all.push(at_root(None));
        }
        let workspace = self
            .directories
            .into_iter()
            .map(|path| ModuleConfiguration { path: Some(path), ..ModuleConfiguration::default() });
        all.extend(workspace);
        all.extend(roots.into_iter().map(|path| at_root(Some(path))));
        let inside = |paths: Vec<String>| -> Result<Vec<PathBuf>, Error> {
            let outside = paths.iter().find(|path| !is_inside(path));
            outside.map_or(Ok(()), |path| Err(leads_out(path, file)))?;
            Ok(paths.iter().map(|path| folder.join(path)).collect())
        };
        let module = |module: ModuleConfiguration| {
            let root = inside(module.path.into_iter().collect())?.pop();
            Ok(Module {
                root: root.unwrap_or_else(|| folder.to_path_buf()),
                includes: inside(module.includes)?,
                excludes: inside(module.excludes)?,
            })
        };
        all.into_iter().map(module).collect()
    }
}

/// Returns true if the path stays in its folder.
pub(super) fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn leads_out(path: &str, file: &Path) -> Error {
    let file = file.display();
    let message = format!("{file} names `{path}`, which is not in its folder");
    Error::new(ErrorKind::Schema, message)
        .with_help("name the folder of each module, with `-I` for its imports")
}
