//! The interface for build scripts.

mod output;
mod rename;
mod select;

use std::path::{Path, PathBuf};

use crate::Error;
use crate::emit::{self, Options};
use nri_schema::compile::{self, Compiled};
use nri_schema::history::History;
use nri_schema::{self as schema, ErrorKind, Problem};
use output::Output;

/// Generates bindings in a build script.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), nri_codegen::Error> {
///     nri_codegen::Builder::new()
///         .version("0.11")?
///         .version("containerd@2.4")?
///         .generate()
/// }
/// ```
///
/// Each version becomes a file in `OUT_DIR`, named after its protocol revision (`nri_v0_11_0.rs`),
/// whose items depend on nothing but `prost`. [`include_bindings!`](crate::include_bindings)
/// includes it by the name given here. Unchanged files are not written.
#[derive(Default)]
#[must_use = "nothing is generated before `generate`"]
pub struct Builder {
    history: Option<History>,
    versions: Vec<(String, Compiled)>,
    protos: Vec<PathBuf>,
    imports: compile::Imports,
    options: Options,
    selected: Vec<select::Selected>,
    paths: Vec<(&'static str, String)>,
    externs: Vec<(String, String)>,
    renames: Vec<(String, String)>,
    out_dir: Option<PathBuf>,
}

impl Builder {
    /// Creates an empty builder. Add a [`version`](Self::version) or a [`proto`](Self::proto).
    pub fn new() -> Self {
        Builder::default()
    }

    /// Adds a version: a release (`0.12.5`), a minor release for its newest patch (`0.11`),
    /// `latest`, or the release that a runtime links (`containerd@2.2.1`, `cri-o@1.33`).
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such version; it lists similar ones.
    pub fn version(mut self, spec: impl AsRef<str>) -> Result<Self, Error> {
        let spec = spec.as_ref();
        let compiled = self.history()?.compiled_for(spec)?;
        self.versions.push((spec.to_owned(), compiled));
        Ok(self)
    }

    /// Adds your own proto, for example a fork of NRI's. It becomes `nri_NAME.rs`, after the name
    /// of the file.
    pub fn proto(mut self, path: impl AsRef<Path>) -> Self {
        self.protos.push(path.as_ref().to_path_buf());
        self
    }

    /// Adds a folder in which imports are looked up, before the folder of the proto itself. May be
    /// called more than once. `PREFIX=PATH` means a folder whose files are imported with `PREFIX/`
    /// before their path.
    pub fn include(mut self, folder: impl AsRef<str>) -> Self {
        self.imports.add(folder.as_ref());
        self
    }

    /// Sets whether clients are generated; true by default.
    pub fn client(mut self, client: bool) -> Self {
        self.options.client = client;
        self
    }

    /// Sets whether server traits and dispatchers are generated; true by default.
    pub fn server(mut self, server: bool) -> Self {
        self.options.server = server;
        self
    }

    /// Generates neither clients nor servers: only messages, enums, event mask and tables.
    pub fn messages_only(self) -> Self {
        self.client(false).server(false)
    }

    /// Sets whether messages and enums derive serde's `Serialize` and `Deserialize`; false by
    /// default.
    ///
    /// This is not protobuf's mapping to JSON: fields have their Rust names, enums are numbers and
    /// bytes are lists of numbers. Missing fields have their defaults, and unknown ones are
    /// ignored. Your crate has to depend on `serde` with its feature `derive`.
    pub fn derive_serde(mut self, derive: bool) -> Self {
        self.options.serde = derive;
        self
    }

    /// Derives additional traits, separated by commas, for the types at `path`; see
    /// [`type_attribute`](Self::type_attribute).
    pub fn derive(self, path: impl AsRef<str>, traits: impl AsRef<str>) -> Self {
        self.type_attribute(path, format!("#[derive({})]", traits.as_ref()))
    }

    /// Adds an attribute to the messages, enums and oneofs at `path`: a name (`Mount`), a full name
    /// with a leading dot (`.nri.pkg.api.v1alpha1.Mount`), a package in the same form, or `.` for
    /// all. Paths are matched as in prost-build.
    pub fn type_attribute(mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> Self {
        let (path, attribute) = (path.as_ref().to_owned(), attribute.as_ref().to_owned());
        self.selected.push(select::Selected::types(&path, &attribute));
        self.options.types.push((path, attribute));
        self
    }

    /// Adds an attribute to the fields at `path`: `Mount.options`, or a full name with a leading
    /// dot.
    pub fn field_attribute(mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> Self {
        let (path, attribute) = (path.as_ref().to_owned(), attribute.as_ref().to_owned());
        self.selected.push(select::Selected::fields(&path, &attribute));
        self.options.fields.push((path, attribute));
        self
    }

    /// Sets the path of `prost` in your crate; by default `::prost`.
    pub fn prost_path(mut self, path: impl Into<String>) -> Self {
        self.paths.push(("prost_path", path.into()));
        self
    }

    /// Uses `Status` and `Code` of the module at `path` instead of generating them in each file, so
    /// that several versions share them. They need `Status::new(Code, String)`,
    /// `Code::UNIMPLEMENTED`, `Code::INVALID_ARGUMENT` and `Code::INTERNAL`; those of another
    /// generated file have these.
    pub fn extern_status(mut self, path: impl Into<String>) -> Self {
        self.paths.push(("extern_status", path.into()));
        self
    }

    /// Uses the Rust type or module `rust` for the message, enum or package `proto` instead of
    /// generating it: `extern_path(".google.protobuf", "::prost_types")`.
    ///
    /// Without it, types of other packages, including those of protobuf, are generated too, in a
    /// module per package under `packages`.
    pub fn extern_path(mut self, proto: impl Into<String>, rust: impl Into<String>) -> Self {
        self.externs.push((proto.into(), rust.into()));
        self
    }

    /// Gives a message or enum another name in Rust, for one that would have the name of a
    /// generated item, such as `Status`, `Code` or `EventMask`: `rename("Status", "PodStatus")`.
    /// Names are not sent on the wire. `proto` is a name at the top of a file, or a full name with
    /// a leading dot; paths of the other options are then those of the new name.
    pub fn rename(mut self, proto: impl Into<String>, rust: impl Into<String>) -> Self {
        self.renames.push((proto.into(), rust.into()));
        self
    }

    /// Sets whether maps are `BTreeMap` instead of `HashMap`; false by default. Ordered maps have a
    /// single encoding, and the bindings then only need `core` and `alloc`.
    pub fn ordered_maps(mut self, ordered: bool) -> Self {
        self.options.ordered_maps = ordered;
        self
    }

    /// Sets the output folder; by default `OUT_DIR`, where
    /// [`include_bindings!`](crate::include_bindings) looks.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(folder.into());
        self
    }

    /// Generates the files, and tells cargo which files to watch: the protos read from disk, and
    /// the build script.
    ///
    /// # Errors
    ///
    /// Returns all problems of options and protos at once; in that case nothing is written.
    pub fn generate(mut self) -> Result<(), Error> {
        self.history()?;
        let folder = self.folder()?;
        let (outputs, read) = self.outputs()?;
        output::write_all(&folder, &outputs)?;
        println!("cargo::rerun-if-changed=build.rs");
        for path in read {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        Ok(())
    }

    /// Returns the sources, and the files they were read from.
    fn outputs(mut self) -> Result<(Vec<Output>, Vec<PathBuf>), schema::Error> {
        let mut problems = self.set_paths();
        let mut inputs: Vec<Output> = Vec::new();
        let versions = std::mem::take(&mut self.versions).into_iter();
        inputs.extend(versions.map(|(spec, compiled)| Output::of_version(spec, compiled)));
        for path in &self.protos {
            match compile::file_with(path, &self.imports)
                .and_then(|compiled| Output::of_proto(path, compiled.with_package()))
            {
                Ok(input) => inputs.push(input),
                Err(error) => problems.extend(error.into_problems()),
            }
        }
        problems.extend(self.rename_in(&mut inputs)?);
        problems.extend(output::clashes(&inputs));
        if inputs.is_empty() && problems.is_empty() {
            problems.push(nothing());
        }
        let schemas: Vec<&Compiled> = inputs.iter().map(|input| &input.compiled).collect();
        problems.extend(select::unmatched(&self.selected, &schemas)?);
        schema::Error::unless_empty(problems)?;
        self.emit(&mut inputs)?;
        let read = inputs.iter().flat_map(|input| input.compiled.read.clone()).collect();
        Ok((inputs, read))
    }

    fn rename_in(&self, inputs: &mut [Output]) -> Result<Vec<Problem>, schema::Error> {
        if self.renames.is_empty() {
            return Ok(Vec::new());
        }
        let mut used = vec![false; self.renames.len()];
        for input in inputs.iter_mut() {
            let compiled = input.compiled.clone();
            input.compiled = rename::apply(compiled, &self.renames, &mut used)?;
        }
        // Without an input there is another problem.
        Ok(if inputs.is_empty() { Vec::new() } else { rename::problems(&self.renames, &used) })
    }

    fn emit(&mut self, inputs: &mut [Output]) -> Result<(), schema::Error> {
        let mut problems = Vec::new();
        let options = self.options.clone();
        let history = self.history()?;
        for input in inputs {
            match emit::source(&input.compiled, history, &options) {
                Ok(source) => input.source = source,
                Err(error) => problems.extend(error.into_problems()),
            }
        }
        schema::Error::unless_empty(problems)
    }

    fn set_paths(&mut self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (option, path) in &self.paths {
            match (syn::parse_str(path), *option) {
                (Ok(path), "prost_path") => self.options.prost = Some(path),
                (Ok(path), _) => self.options.status = Some(path),
                (Err(_), option) => problems.push(select::bad_path(option, path)),
            }
        }
        for (proto, rust) in std::mem::take(&mut self.externs) {
            match syn::parse_str(&rust) {
                Ok(path) => self.options.externs.push((proto, path)),
                Err(_) => problems.push(select::bad_path("extern_path", &rust)),
            }
        }
        problems
    }

    fn folder(&self) -> Result<PathBuf, schema::Error> {
        let from_cargo = || std::env::var_os("OUT_DIR").map(PathBuf::from);
        self.out_dir.clone().or_else(from_cargo).ok_or_else(|| no_folder().into())
    }

    fn history(&mut self) -> Result<&History, schema::Error> {
        match &mut self.history {
            Some(history) => Ok(history),
            empty => Ok(empty.insert(History::embedded()?)),
        }
    }
}

fn nothing() -> Problem {
    Problem::new(ErrorKind::Option, "nothing to generate")
        .with_help("name a version or a proto: `Builder::new().version(\"latest\")?.generate()`")
}

fn no_folder() -> Problem {
    Problem::new(ErrorKind::Option, "no output folder: `OUT_DIR` is not set")
        .with_help("call this from a build script, or name a folder with `out_dir`")
}
