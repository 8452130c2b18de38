//! Files that the build script gets: one a revision, one that names each as it was asked for, one with all as modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compile::Compiled;
use crate::error::{Error, ErrorKind, Problem};
use crate::write::identifier;

/// The folder, within the output folder, where [`include_bindings!`](crate::include_bindings) looks.
const ALIASES: &str = "nri-bindings";

/// One generated file.
pub(super) struct Output {
    /// What it was asked for as.
    asked: String,
    /// Name of its module: `v0_11_0`.
    module: String,
    /// What it holds, for people.
    about: String,
    pub(super) compiled: Compiled,
    pub(super) source: String,
}

impl Output {
    pub(super) fn of_version(asked: String, compiled: Compiled) -> Self {
        let release = compiled.release.as_ref();
        let revision = release.map_or("", |release| release.revision.as_str());
        Output {
            asked,
            module: identifier(revision),
            about: format!("NRI {revision}."),
            compiled,
            source: String::new(),
        }
    }

    pub(super) fn of_proto(path: &Path, compiled: Compiled) -> Result<Self, Error> {
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let module = identifier(stem);
        if syn::parse_str::<syn::Ident>(&module).is_err() {
            let fact = format!("`{}` gives no name for a module", path.display());
            let problem = Problem::new(ErrorKind::Option, fact);
            return Err(problem.with_help("rename the file to an identifier").into());
        }
        Ok(Output {
            asked: stem.to_owned(),
            about: format!("The NRI of `{stem}.proto`."),
            module,
            compiled,
            source: String::new(),
        })
    }

    fn file(&self) -> String {
        format!("nri_{}.rs", self.module)
    }
}

/// Two different schemas that would be the same file.
pub(super) fn clashes(outputs: &[Output]) -> Vec<Problem> {
    let mut seen: BTreeMap<String, &Output> = BTreeMap::new();
    let mut problems = Vec::new();
    for output in outputs {
        let first = *seen.entry(output.module.to_lowercase()).or_insert(output);
        let same = output.compiled.release.is_some() && first.compiled.release.is_some();
        if !same && !std::ptr::eq(first, output) {
            let fact = format!(
                "`{}` and `{}` would both be {}",
                first.compiled.origin,
                output.compiled.origin,
                output.file()
            );
            problems
                .push(Problem::new(ErrorKind::Option, fact).with_help("rename one of the files"));
        }
    }
    problems
}

/// Every file to write, with its content.
pub(super) fn files(folder: &Path, outputs: &[Output]) -> Vec<(PathBuf, String)> {
    let mut files = BTreeMap::new();
    let aliases = folder.join(ALIASES);
    for output in outputs {
        let file = output.file();
        files.insert(folder.join(&file), output.source.clone());
        let alias = format!("include!(\"../{file}\");\n");
        files.insert(aliases.join(format!("{}.rs", output.asked)), alias);
    }
    files.insert(aliases.join("mod.rs"), modules(outputs));
    files.into_iter().collect()
}

/// All of them as modules that coexist.
fn modules(outputs: &[Output]) -> String {
    let modules: BTreeMap<&str, &Output> = outputs
        .iter()
        .map(|output| (output.module.as_str(), output))
        .collect();
    let modules = modules.values().map(|output| {
        let (about, module, file) = (&output.about, &output.module, output.file());
        format!("#[doc = {about:?}]\npub mod {module} {{\n    include!(\"../{file}\");\n}}\n")
    });
    modules.collect()
}
