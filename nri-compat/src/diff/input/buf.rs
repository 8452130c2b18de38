//! The configurations of buf that name several roots of imports: `buf.work.yaml`, and `modules` in
//! `buf.yaml`.

use std::path::{Component, Path};

use nri_schema::compile::Module;
use serde::Deserialize;

use super::set;
use crate::error::{Error, ErrorKind};

/// The file of a workspace until version 1, and that of a module or, since version 2, a workspace.
const NAMES: [&str; 2] = ["buf.work.yaml", "buf.yaml"];

/// Returns true if it is the name of a file that [`modules`] reads.
pub(super) fn is_configuration(name: &str) -> bool {
    NAMES.contains(&name)
}

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
/// configuration of buf, or one that names no folders.
///
/// # Errors
///
/// Returns an error for a configuration that cannot be read, or that names a folder outside of its
/// own.
pub(super) fn modules(folder: &Path) -> Result<Vec<Module>, Error> {
    let mut found = Vec::new();
    for name in NAMES {
        let path = folder.join(name);
        if path.is_file() {
            let configuration = read(&path)?;
            found = configuration.modules(folder, &path)?;
        }
        if !found.is_empty() {
            break;
        }
    }
    // A folder that is its only module is like a folder without configuration.
    if let [
        Module {
            root,
            includes,
            excludes,
        },
    ] = found.as_slice()
        && root.components().eq(folder.components())
        && includes.is_empty()
        && excludes.is_empty()
    {
        found.clear();
    }
    Ok(found)
}

fn read(path: &Path) -> Result<Configuration, Error> {
    let bytes = set::read(path)?;
    let wrong = Error::cannot("read", path, ErrorKind::Schema);
    serde_saphyr::from_slice(&bytes)
        .map_err(|error| wrong(error).with_help("correct it, or name the folder of each module"))
}

impl Configuration {
    fn modules(self, folder: &Path, file: &Path) -> Result<Vec<Module>, Error> {
        let plain = |path: String, excludes: Vec<String>| ModuleConfiguration {
            path: Some(path),
            includes: Vec::new(),
            excludes,
        };
        let mut all = self.modules;
        all.extend(
            self.directories
                .into_iter()
                .map(|path| plain(path, Vec::new())),
        );
        let Build {
            mut roots,
            excludes,
        } = self.build;
        if roots.is_empty() && !excludes.is_empty() {
            roots.push(".".to_owned());
        }
        all.extend(roots.into_iter().map(|path| plain(path, excludes.clone())));
        let module = |one: ModuleConfiguration| {
            let inside = |path: &String| {
                let is_inside = is_inside(path).then(|| folder.join(path));
                is_inside.ok_or_else(|| outside(path, file))
            };
            Ok(Module {
                root: one.path.as_ref().map_or(Ok(folder.to_path_buf()), inside)?,
                includes: one.includes.iter().map(inside).collect::<Result<_, _>>()?,
                excludes: one.excludes.iter().map(inside).collect::<Result<_, _>>()?,
            })
        };
        all.into_iter().map(module).collect()
    }
}

/// Returns true if the path stays in its folder.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn outside(path: &str, file: &Path) -> Error {
    let message = format!(
        "{} names `{path}`, which is not in its folder",
        file.display()
    );
    Error::new(ErrorKind::Schema, message)
        .with_help("name the folder of each module, with `-I` for its imports")
}
