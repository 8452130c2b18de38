//! The files for a build script: one per revision, one that selects them by name, one with all as
//! modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use crate::write::{self, identifier};
use nri_schema::compile::Compiled;
use nri_schema::{Error, ErrorKind, Problem};

/// The folder, within the output folder, where [`include_bindings!`](crate::include_bindings)
/// looks.
const SELECTION: &str = "nri-bindings";

/// A generated file.
pub(super) struct Output {
    name: Name,
    pub(super) compiled: Compiled,
    pub(super) source: String,
}

impl Output {
    pub(super) fn of_version(asked: String, compiled: Compiled) -> Self {
        let release = compiled.release.as_ref();
        let revision = release.map_or("", |release| release.revision.as_str());
        Output {
            name: Name { asked, module: identifier(revision), about: format!("NRI {revision}.") },
            compiled,
            source: String::new(),
        }
    }

    pub(super) fn of_proto(path: &Path, compiled: Compiled) -> Result<Self, Error> {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let mut module = identifier(stem);
        // A keyword is not a name; with an underscore it is.
        if !module.is_empty() && syn::parse_str::<syn::Ident>(&module).is_err() {
            module.push('_');
        }
        if syn::parse_str::<syn::Ident>(&module).is_err() {
            let fact = format!("`{}` is not a name for a module", path.display());
            let problem = Problem::new(ErrorKind::Option, fact);
            return Err(problem
                .with_help("rename the file: a letter, then letters, digits and underscores")
                .into());
        }
        Ok(Output {
            name: Name {
                asked: stem.to_owned(),
                about: format!("The NRI of `{stem}.proto`."),
                module,
            },
            compiled,
            source: String::new(),
        })
    }
}

/// Returns a problem for every two schemas that would be written to the same file.
pub(super) fn clashes(outputs: &[Output]) -> Vec<Problem> {
    let mut seen: BTreeMap<String, &Output> = BTreeMap::new();
    let mut problems = Vec::new();
    for output in outputs {
        let first = *seen.entry(output.name.module.to_lowercase()).or_insert(output);
        let same = output.compiled.release.is_some() && first.compiled.release.is_some();
        if !same && !std::ptr::eq(first, output) {
            let fact = format!(
                "`{}` and `{}` would both be {}",
                first.compiled.origin,
                output.compiled.origin,
                output.name.file()
            );
            problems
                .push(Problem::new(ErrorKind::Option, fact).with_help("rename one of the files"));
        }
    }
    problems
}

/// The name, module and description of an output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    asked: String,
    module: String,
    about: String,
}

impl Name {
    fn file(&self) -> String {
        format!("nri_{}.rs", self.module)
    }
}

/// Files that the builders of this process generated, by folder: a build script may use several
/// builders for one folder.
static GENERATED: Mutex<BTreeMap<PathBuf, BTreeSet<Name>>> = Mutex::new(BTreeMap::new());

/// Writes every changed file, and removes those that only an earlier run generated.
///
/// Cargo keeps the output folder. Without this, a version that was removed from build.rs would
/// still be included locally, but be missing in a clean build.
pub(super) fn write_all(folder: &Path, outputs: &[Output]) -> Result<(), Error> {
    let mut generated = GENERATED.lock().unwrap_or_else(PoisonError::into_inner);
    let names = generated.entry(folder.to_path_buf()).or_default();
    names.extend(outputs.iter().map(|output| output.name.clone()));
    write::all(&files(folder, outputs, names))?;
    remove_stale(folder, names)
}

/// Returns every file to write, with its content.
fn files(folder: &Path, outputs: &[Output], names: &BTreeSet<Name>) -> Vec<(PathBuf, String)> {
    let mut files = BTreeMap::new();
    for output in outputs {
        files.insert(folder.join(output.name.file()), output.source.clone());
    }
    let selection = folder.join(SELECTION);
    files.insert(selection.join("mod.rs"), modules(names));
    files.insert(selection.join("select.rs"), select(names));
    files.into_iter().collect()
}

/// Returns a macro that includes an output by the name given to the builder.
fn select(names: &BTreeSet<Name>) -> String {
    let arms: String = names
        .iter()
        .map(|name| {
            let (asked, path) = (&name.asked, format!("/{}", name.file()));
            format!("    ({asked:?}) => {{ include!(concat!(env!(\"OUT_DIR\"), {path:?})); }};\n")
        })
        .collect();
    let missing = "compile_error!(concat!(\"build.rs does not generate bindings for `\", $version, \"`: add \
                   .version(\\\"\", $version, \"\\\") in build.rs\"));";
    format!(
        "#[allow(unused_macros)]\nmacro_rules! nri_bindings {{\n{arms}    ($version:literal) => {{\n        {missing}\n    }};\n}}\n"
    )
}

/// Returns all outputs as modules next to each other.
fn modules(names: &BTreeSet<Name>) -> String {
    let by_module: BTreeMap<&str, &Name> =
        names.iter().map(|name| (name.module.as_str(), name)).collect();
    by_module
        .values()
        .map(|name| {
            let (about, module, file) = (&name.about, &name.module, name.file());
            format!("#[doc = {about:?}]\npub mod {module} {{\n    include!(\"../{file}\");\n}}\n")
        })
        .collect()
}

fn remove_stale(folder: &Path, names: &BTreeSet<Name>) -> Result<(), Error> {
    let files: BTreeSet<String> = names.iter().map(Name::file).collect();
    for entry in fs::read_dir(folder).map_err(|error| cannot_remove(folder, error))? {
        let path = entry.map_err(|error| cannot_remove(folder, error))?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .filter(|name| name.starts_with("nri_") && name.ends_with(".rs"));
        if name.is_some_and(|name| !files.contains(name)) && is_generated(&path) {
            fs::remove_file(&path).map_err(|error| cannot_remove(&path, error))?;
        }
    }
    Ok(())
}

/// Returns true if the file starts like the files that this crate generates.
fn is_generated(path: &Path) -> bool {
    let text = fs::read(path).unwrap_or_default();
    text.starts_with(b"// @generated by nri-codegen ")
}

fn cannot_remove(path: &Path, error: io::Error) -> Problem {
    let fact = format!("cannot remove a file that is no longer generated: `{}`", path.display());
    Problem::new(ErrorKind::Io, fact).caused_by(error)
}
