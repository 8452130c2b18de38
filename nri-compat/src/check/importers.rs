//! The programs of a Go module that import one of its packages: a plugin in a package of its own is
//! no program.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use super::evidence::go_module::GoModule;
use super::evidence::go_source;

/// The maximum number of files of a module that are read.
const MAX_FILES: usize = 20_000;

/// The number of bytes of a file that are read: imports come first.
const MAX_HEAD: u64 = 64 << 10;

/// The packages of a module by their paths in it.
type ModulePackages = BTreeMap<String, ModulePackage>;

/// The relevant facts about a package.
#[derive(Default)]
struct ModulePackage {
    is_program: bool,
    imports: BTreeSet<String>,
}

/// Returns the paths in the module of the programs that import this package, directly or through
/// other packages of the module, sorted.
pub(super) fn programs(module: &GoModule) -> Vec<String> {
    let packages = packages(module);
    let mut importing = BTreeSet::from([module.import_path()]);
    // Each round adds the packages that import one of those before; there are no circles.
    loop {
        let imports_one =
            |package: &ModulePackage| package.imports.iter().any(|path| importing.contains(path));
        let found: Vec<String> = packages
            .iter()
            .filter(|(_, package)| imports_one(package))
            .map(|(path, _)| module.path_of(path))
            .collect();
        let before = importing.len();
        importing.extend(found);
        if importing.len() == before {
            break;
        }
    }
    let is_program = |(path, package): &(String, ModulePackage)| {
        package.is_program && importing.contains(&module.path_of(path))
    };
    packages.into_iter().filter(is_program).map(|(path, _)| path).collect()
}

fn packages(module: &GoModule) -> ModulePackages {
    let mut packages = ModulePackages::new();
    let files = WalkDir::new(&module.folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(is_part_of_module)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file());
    for file in files.filter(|file| is_source(file.file_name())).take(MAX_FILES) {
        let Some((name, imports)) = head(file.path()).and_then(|text| go_source::header(&text))
        else {
            continue;
        };
        let folder =
            file.path().parent().and_then(|parent| parent.strip_prefix(&module.folder).ok());
        let parts = folder.unwrap_or(Path::new("")).iter().map(OsStr::to_string_lossy);
        let package = packages.entry(parts.collect::<Vec<_>>().join("/")).or_default();
        package.is_program |= name == "main";
        package.imports.extend(imports);
    }
    packages
}

/// Returns false for folders that Go leaves out, and for modules within the module.
fn is_part_of_module(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_left_out =
        name == "vendor" || name == "testdata" || name.starts_with('.') || name.starts_with('_');
    let is_module = || entry.path().join("go.mod").is_file();
    entry.depth() == 0 || !entry.file_type().is_dir() || !is_left_out && !is_module()
}

fn is_source(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.ends_with(".go") && !name.ends_with("_test.go") && !name.starts_with(['_', '.'])
}

fn head(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_HEAD).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::check::evidence::go_module::GoModules;

    #[test]
    fn programs_import_the_package_directly_or_through_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |file: &str, text: &str| {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, text).expect("written");
        };
        write("go.mod", "module example.org/a\n");
        write("core/nri.go", "package core\nimport \"github.com/containerd/nri/pkg/stub\"\n");
        write("agent/agent.go", "package agent\nimport (\n\tc \"example.org/a/core\"\n)\n");
        write("cmd/agent/main.go", "package main\nimport \"example.org/a/agent\"\n");
        write("cmd/direct/main.go", "package main\nimport `example.org/a/core`\n");
        write("cmd/other/main.go", "package main\nimport \"example.org/a/corex\"\n");
        write("cmd/test/main_test.go", "package main\nimport \"example.org/a/core\"\n");
        write("vendor/x/main.go", "package main\nimport \"example.org/a/core\"\n");
        write("inner/go.mod", "module example.org/a/inner\n");
        write("inner/main.go", "package main\nimport \"example.org/a/core\"\n");
        let module = GoModules::default().above(&folder.path().join("core")).expect("a module");
        assert_eq!(programs(&module), ["cmd/agent", "cmd/direct"]);
    }
}
