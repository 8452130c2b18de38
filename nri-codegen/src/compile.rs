//! Files to descriptors, with protox: no `protoc` anywhere. Every error has its place.

pub(crate) mod files;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prost_reflect::DescriptorPool;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use protox::prost::Message as _;

use crate::error::{Error, ErrorKind, Problem};
use crate::history::Release;
use files::Files;

/// A schema that compiled: descriptors with source info, and what they were made from.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What it was asked for as, for people: `v0.12.5`, `containerd@2.2.1 (NRI v0.11.0)`, a path.
    pub origin: String,
    /// The NRI release, where it was named by a version.
    pub release: Option<Release>,
    /// All files, imports included, as resolved descriptors.
    pub pool: DescriptorPool,
    /// Names of the files that were asked for; the others in `pool` are their imports.
    pub named: Vec<String>,
    /// Paths of the files read from disk; empty for an embedded revision.
    pub read: Vec<PathBuf>,
    /// Text of each file that was compiled from text, by name. The protos that come with protobuf have none.
    pub texts: BTreeMap<String, String>,
}

impl Compiled {
    /// The files that were asked for, in the order of the pool: a file comes after what it imports.
    pub fn files(&self) -> impl Iterator<Item = &FileDescriptorProto> {
        self.pool
            .file_descriptor_protos()
            .filter(|file| self.named.iter().any(|name| name == file.name()))
    }

    /// Names every file of the packages that were asked for, so that a protocol may be spread over several files.
    #[must_use]
    pub(crate) fn with_package(mut self) -> Compiled {
        let packages: Vec<String> = self.files().map(|file| file.package().to_owned()).collect();
        let files = self.pool.file_descriptor_protos();
        let files = files.filter(|file| packages.iter().any(|package| package == file.package()));
        self.named = files.map(|file| file.name().to_owned()).collect();
        self
    }

    /// A copy of everything, imports included, as protoc would write it with source info.
    pub fn descriptor_set(&self) -> FileDescriptorSet {
        FileDescriptorSet {
            file: self.pool.file_descriptor_protos().cloned().collect(),
        }
    }
}

/// Compiles one proto that is given as text; `name` is what errors and descriptors call it.
///
/// It may import nothing but the protos that come with protobuf itself.
///
/// # Errors
///
/// If the text does not parse or a name does not resolve.
pub fn text(name: &str, text: &str) -> Result<Compiled, Error> {
    compile(Files::in_memory(name, text), &[name.to_owned()], name)
}

/// Compiles the proto at `path`. Imports are looked up next to it, then from the current folder.
///
/// # Errors
///
/// If a file cannot be read, is too large, does not parse, or a name does not resolve.
pub fn file(path: &Path) -> Result<Compiled, Error> {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let Some(name) = name.filter(|_| path.is_file()) else {
        return Err(not_a_file(path).into());
    };
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let files = Files::on_disk(vec![folder, PathBuf::new()]);
    compile(files, &[name.into_owned()], &path.display().to_string())
}

/// Compiles every `.proto` below the folder `root`; imports are looked up from `root`.
///
/// # Errors
///
/// As for [`file()`]; also if there is no `.proto` at all.
pub fn folder(root: &Path) -> Result<Compiled, Error> {
    let names = files::protos_below(root)?;
    let files = Files::on_disk(vec![root.to_path_buf()]);
    compile(files, &names, &root.display().to_string())
}

/// Reads a binary `FileDescriptorSet`, as `protoc --descriptor_set_out` and `buf build` write it.
///
/// # Errors
///
/// If the file cannot be read, is too large, is no such set, or the set lacks a file that another one imports.
pub fn descriptor_set(path: &Path) -> Result<Compiled, Error> {
    let shown = path.display().to_string();
    let bytes = files::read(path, files::MAX_TOTAL)?;
    check_syntax(&bytes, &shown)?;
    let pool = DescriptorPool::decode(bytes.as_slice()).map_err(|error| no_set(&shown, &error))?;
    if pool.files().len() == 0 {
        return Err(
            Problem::new(ErrorKind::Descriptor, "empty FileDescriptorSet")
                .in_file(shown)
                .into(),
        );
    }
    Ok(Compiled {
        origin: shown,
        release: None,
        named: pool.files().map(|file| file.name().to_owned()).collect(),
        pool,
        read: vec![path.to_path_buf()],
        texts: BTreeMap::new(),
    })
}

/// Refuses what `prost-reflect` cannot hold; it would panic over a syntax that it does not know.
fn check_syntax(bytes: &[u8], shown: &str) -> Result<(), Error> {
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
    Problem::new(ErrorKind::Descriptor, format!("no FileDescriptorSet: {error}"))
        .in_file(path)
        .with_help("a text proto ends with `.proto`; write a set with `protoc --include_imports --include_source_info --descriptor_set_out` or `buf build -o`")
}

/// Compiles `names` and all they import; problems of all of them are reported together.
fn compile(files: Files, names: &[String], origin: &str) -> Result<Compiled, Error> {
    let log = files.log();
    let mut compiler = protox::Compiler::with_file_resolver(files);
    let mut problems: Vec<Problem> = Vec::new();
    for name in names {
        if let Err(error) = compiler.open_file(name) {
            let found = log.take_problems();
            let found = if found.is_empty() {
                report::problems(&error, &log)
            } else {
                found
            };
            for problem in found {
                if !problems.iter().any(|known| known.repeats(&problem)) {
                    problems.push(problem);
                }
            }
        }
    }
    Error::unless_empty(problems)?;
    Ok(Compiled {
        origin: origin.to_owned(),
        release: None,
        pool: compiler.descriptor_pool(),
        named: names.to_vec(),
        read: log.read_from_disk(),
        texts: log.take_texts(),
    })
}
