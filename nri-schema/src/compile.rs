//! Compiles files to descriptors with protox, without `protoc`. Every error has a location.

pub(crate) mod files;
mod imports;
mod report;
mod rules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prost_reflect::{DescriptorError, DescriptorPool};
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use protox::prost::Message as _;

use crate::error::{Error, ErrorKind, Problem};
use crate::release::Release;
use crate::schema::size;
use files::{Files, Root};

pub use imports::Imports;

/// A compiled schema: descriptors with source info, and their origin.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The name of the schema for display: `v0.12.5`, `containerd@2.2.1 (NRI v0.11.0)`, a path.
    pub origin: String,
    /// The NRI release, if it was named by a version.
    pub release: Option<Release>,
    /// All files, including imports, as resolved descriptors.
    pub pool: DescriptorPool,
    /// Names of the requested files; the others in `pool` are their imports.
    pub named: Vec<String>,
    /// Paths of the files read from disk; empty for an embedded revision.
    pub read: Vec<PathBuf>,
    /// Path of each file read from disk, by the name under which it is imported.
    pub paths: BTreeMap<String, PathBuf>,
    /// Text of each file that was compiled from text, by name. The protos that are part of protobuf
    /// have none.
    pub texts: BTreeMap<String, String>,
}

impl Compiled {
    /// Returns the requested files, in the order of the pool: a file comes after its imports.
    pub fn files(&self) -> impl Iterator<Item = &FileDescriptorProto> {
        self.pool
            .file_descriptor_protos()
            .filter(|file| self.named.iter().any(|name| name == file.name()))
    }

    /// Adds all files of the requested packages, so that a protocol may have several files.
    #[must_use]
    pub fn with_package(mut self) -> Compiled {
        let packages: Vec<String> = self.files().map(|file| file.package().to_owned()).collect();
        let files = self
            .pool
            .file_descriptor_protos()
            .filter(|file| packages.iter().any(|package| package == file.package()));
        self.named = files.map(|file| file.name().to_owned()).collect();
        self
    }

    /// Returns the schema with these descriptors instead of its own.
    ///
    /// # Errors
    ///
    /// Returns an error if they are not valid: a name that is declared twice, or not at all.
    pub fn with_descriptors(mut self, set: FileDescriptorSet) -> Result<Compiled, DescriptorError> {
        self.pool = DescriptorPool::from_file_descriptor_set(set)?;
        Ok(self)
    }

    /// Returns a copy of all descriptors, including imports, as protoc would write them with source
    /// info.
    pub fn descriptor_set(&self) -> FileDescriptorSet {
        FileDescriptorSet { file: self.pool.file_descriptor_protos().cloned().collect() }
    }
}

/// Compiles a proto from text; `name` is its name in errors and descriptors.
///
/// It may only import protos that are part of protobuf.
///
/// # Errors
///
/// Returns an error if the text is too large, does not parse, or a name cannot be resolved.
pub fn text(name: &str, text: &str) -> Result<Compiled, Error> {
    if text.len() > files::MAX_FILE {
        return Err(files::too_large(name, files::MAX_FILE).into());
    }
    compile(Files::in_memory(name, text), &[name.to_owned()], name)
}

/// Returns the proto `text` with its precompiled descriptors.
///
/// # Errors
///
/// Returns an error if `descriptors` is not a valid `FileDescriptorSet`.
pub(crate) fn precompiled(name: &str, text: &str, descriptors: &[u8]) -> Result<Compiled, Error> {
    let pool = DescriptorPool::decode(descriptors).map_err(|error| no_set(name, &error))?;
    Ok(Compiled {
        origin: name.to_owned(),
        release: None,
        pool,
        named: vec![name.to_owned()],
        read: Vec::new(),
        paths: BTreeMap::new(),
        texts: BTreeMap::from([(name.to_owned(), text.to_owned())]),
    })
}

/// Compiles the proto at `path`. Imports are looked up next to it, then in the current folder.
///
/// # Errors
///
/// Returns an error if a file cannot be read, is too large, does not parse, or a name cannot be
/// resolved.
pub fn file(path: &Path) -> Result<Compiled, Error> {
    file_with(path, &Imports::default())
}

/// Like [`file()`]; imports are first looked up in `imports`. A file below one of these folders has
/// the name under which other files there import it.
///
/// # Errors
///
/// Returns the errors of [`file()`].
pub fn file_with(path: &Path, imports: &Imports) -> Result<Compiled, Error> {
    let Some(file_name) = path.file_name().filter(|_| path.is_file()) else {
        return Err(not_a_file(path).into());
    };
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut roots = imports.roots();
    let prefix = imports.prefix_of(&folder).unwrap_or_default();
    let name = format!("{prefix}{}", file_name.to_string_lossy());
    roots.push(Root { prefix, folder: folder.clone() });
    roots.extend([Root::at(folder), Root::at(PathBuf::new())]);
    compile(Files::on_disk(roots, imports.option()), &[name], &path.display().to_string())
}

/// Compiles every `.proto` below the folder `root`; imports are looked up in `root`.
///
/// # Errors
///
/// Returns the errors of [`file()`], and an error if there is no `.proto`.
pub fn folder(root: &Path) -> Result<Compiled, Error> {
    folder_with(root, &Imports::default())
}

/// Like [`folder()`]; imports are also looked up in `imports`. The files of a folder inside one of
/// these, or of one whose files import each other by longer names
/// (`github.com/containerd/containerd/api/types/mount.proto`), have the names used in imports.
///
/// # Errors
///
/// Returns the errors of [`folder()`].
pub fn folder_with(root: &Path, imports: &Imports) -> Result<Compiled, Error> {
    let below = files::protos_below(root)?;
    let mut roots = imports.roots();
    let prefix = match imports.prefix_of(root) {
        Some(prefix) => prefix,
        None => imports::common_prefix(root, &below),
    };
    let names: Vec<String> = below.iter().map(|name| format!("{prefix}{name}")).collect();
    roots.insert(0, Root { prefix, folder: root.to_path_buf() });
    compile(Files::on_disk(roots, imports.option()), &names, &root.display().to_string())
}

/// A folder that is a root of imports, as a configuration of buf names it.
#[derive(Clone, Debug)]
pub struct Module {
    /// The folder.
    pub root: PathBuf,
    /// Folders and files below it; without any, all of it belongs to the module.
    pub includes: Vec<PathBuf>,
    /// Folders and files that do not belong to it.
    pub excludes: Vec<PathBuf>,
}

impl Module {
    fn has(&self, file: &Path) -> bool {
        let is_below = |folder: &PathBuf| file.starts_with(folder);
        (self.includes.is_empty() || self.includes.iter().any(is_below))
            && !self.excludes.iter().any(is_below)
    }
}

/// Compiles every `.proto` of the modules; imports are looked up in each of them, then in
/// `imports`. `folder` is the name of all of them.
///
/// # Errors
///
/// Returns the errors of [`folder()`], and an error if two modules have a file with the same name.
pub fn modules_with(
    folder: &Path,
    modules: &[Module],
    imports: &Imports,
) -> Result<Compiled, Error> {
    let mut paths: BTreeMap<String, PathBuf> = BTreeMap::new();
    for module in modules {
        for name in files::protos_below(&module.root)? {
            let path = module.root.join(&name);
            if !module.has(&path) {
                continue;
            }
            if let Some(other) = paths.insert(name, path.clone()) {
                return Err(twice(&other, &path).into());
            }
        }
    }
    let names: Vec<String> = paths.into_keys().collect();
    let mut roots: Vec<Root> = modules.iter().map(|module| Root::at(module.root.clone())).collect();
    roots.extend(imports.roots());
    compile(Files::on_disk(roots, imports.option()), &names, &folder.display().to_string())
}

fn twice(one: &Path, other: &Path) -> Problem {
    let (one, other) = (one.display(), other.display());
    let fact = format!("`{one}` and `{other}` have the same name in imports");
    Problem::new(ErrorKind::Io, fact).with_help("name the folder of one module")
}

/// Compiles a proto from its bytes, like [`text()`].
///
/// # Errors
///
/// Returns the errors of [`text()`], and an error if the bytes are not UTF-8.
pub fn bytes(name: &str, bytes: Vec<u8>) -> Result<Compiled, Error> {
    text(name, &files::text(bytes, name)?)
}

/// Returns true if the bytes are the text of a proto, not a `FileDescriptorSet`: text has no
/// control characters other than tabs and line ends, and a set always has others. An empty file is
/// a set.
pub fn is_text(bytes: &[u8]) -> bool {
    let plain = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\r' | b'\n' | 0x0c);
    !bytes.is_empty() && bytes.iter().all(plain)
}

/// Reads a binary `FileDescriptorSet`, as `protoc --descriptor_set_out` and `buf build` write it.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is too large or is not such a set, or if the set
/// lacks an imported file.
pub fn descriptor_set(path: &Path) -> Result<Compiled, Error> {
    let shown = path.display().to_string();
    let bytes = files::read(path, files::MAX_SET)?;
    check_syntax(&bytes, &shown)?;
    let pool = DescriptorPool::decode(bytes.as_slice()).map_err(|error| no_set(&shown, &error))?;
    if pool.files().len() == 0 {
        return Err(Problem::new(ErrorKind::Descriptor, "empty FileDescriptorSet")
            .in_file(shown)
            .into());
    }
    Ok(Compiled {
        origin: shown,
        release: None,
        named: pool.files().map(|file| file.name().to_owned()).collect(),
        pool,
        read: vec![path.to_path_buf()],
        paths: BTreeMap::new(),
        texts: BTreeMap::new(),
    })
}

/// Rejects an unknown syntax, on which `prost-reflect` would panic.
fn check_syntax(bytes: &[u8], shown: &str) -> Result<(), Error> {
    size::check(bytes).map_err(|problem| problem.in_file(shown))?;
    let set = FileDescriptorSet::decode(bytes).map_err(|error| no_set(shown, &error))?;
    let known = |file: &&FileDescriptorProto| matches!(file.syntax(), "proto2" | "proto3" | "");
    let Some(file) = set.file.iter().find(|file| !known(file)) else {
        return Ok(());
    };
    let message = format!("`{}` is written in `{}`", file.name(), file.syntax());
    Err(Problem::new(ErrorKind::Descriptor, message)
        .in_file(shown)
        .with_help("the syntaxes proto2 and proto3 are supported, editions are not")
        .into())
}

fn not_a_file(path: &Path) -> Problem {
    Problem::new(ErrorKind::Io, format!("no such file: `{}`", path.display()))
}

fn no_set(path: &str, error: &dyn std::error::Error) -> Problem {
    Problem::new(ErrorKind::Descriptor, format!("not a FileDescriptorSet: {error}"))
        .in_file(path)
        .with_help("write a set with `protoc --include_imports --include_source_info --descriptor_set_out` or `buf build -o`")
}

/// Returns the first problems, with a remark if there are more.
fn limited(mut problems: Vec<Problem>) -> Vec<Problem> {
    if problems.len() > report::MAX_PROBLEMS {
        problems.truncate(report::MAX_PROBLEMS);
        let fact =
            format!("there are more problems; only the first {} are shown", report::MAX_PROBLEMS);
        problems.push(Problem::new(ErrorKind::Limit, fact));
    }
    problems
}

/// Compiles `names` and all their imports; their problems are reported together.
fn compile(files: Files, names: &[String], origin: &str) -> Result<Compiled, Error> {
    let log = files.log();
    let mut compiler = protox::Compiler::with_file_resolver(files);
    let mut problems: Vec<Problem> = Vec::new();
    for name in names {
        if problems.len() > report::MAX_PROBLEMS {
            break;
        }
        if let Err(error) = compiler.open_file(name) {
            let found = log.take_problems();
            let found = if found.is_empty() { report::problems(&error, &log) } else { found };
            for problem in found {
                if !problems.iter().any(|known| known.repeats(&problem)) {
                    problems.push(problem);
                }
            }
        }
    }
    Error::unless_empty(limited(problems))?;
    let pool = compiler.descriptor_pool();
    Error::unless_empty(limited(broken_rules(&pool, &log)))?;
    Ok(Compiled {
        origin: origin.to_owned(),
        release: None,
        pool,
        named: names.to_vec(),
        read: log.read_from_disk(),
        paths: log.paths(),
        texts: log.take_texts(),
    })
}

/// Returns the problems that protox does not find, in files that were compiled from text.
fn broken_rules(pool: &DescriptorPool, log: &files::Log) -> Vec<Problem> {
    pool.files()
        .filter_map(|file| Some((log.text(file.name())?, file)))
        .flat_map(|(text, file)| rules::problems(&file, &log.shown(file.name()), Some(&text)))
        .collect()
}
