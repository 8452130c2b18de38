//! The packages of a build, read on demand.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::super::nri_module::Package as Nri;
use super::header;
use super::nri;
use super::parse;
use super::syntax::{Import, SourceFile};
use super::tree::Tree;

/// The maximum size of a parsed file; only generated ones are larger.
pub(super) const MAX_FILE: u64 = 4 << 20;

/// The maximum number of bytes and packages read for one plugin.
const MAX_BYTES: u64 = 96 << 20;
const MAX_PACKAGES: usize = 400;

/// The locations of the packages of a build.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The path and folder of each module that is built from local sources.
    pub(super) modules: Vec<(String, PathBuf)>,
    /// The folder of vendored packages.
    pub(super) vendor: Option<PathBuf>,
    /// The folders of packages listed by the toolchain, by import path.
    pub(super) listed: BTreeMap<String, PathBuf>,
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    Folder(PathBuf),
    Standard,
    Nri(Nri),
    /// A package whose source is not available.
    Elsewhere,
}

/// A package: the files of a folder with its package clause.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) folder: PathBuf,
    pub(super) files: Vec<SourceFile>,
    /// The reason why parts of it may be missing.
    pub(super) incomplete: Option<String>,
}

/// The folder of a package, and its name unless it is the one that others import.
type PackageKey = (PathBuf, Option<String>);

/// The packages read so far.
pub(super) struct World<'t> {
    tree: &'t dyn Tree,
    layout: Layout,
    packages: RefCell<BTreeMap<PackageKey, Rc<Package>>>,
    bytes: Cell<u64>,
}

impl<'t> World<'t> {
    pub(super) fn new(tree: &'t dyn Tree, layout: Layout) -> Self {
        let (packages, bytes) = (RefCell::default(), Cell::new(0));
        Self {
            tree,
            layout,
            packages,
            bytes,
        }
    }

    /// Returns the target of an import path.
    pub(super) fn locate(&self, path: &str) -> Destination {
        if let Some(package) =
            nri::package(path).filter(|_| nri::is_own(path) || nri::is_stub(path))
        {
            return Destination::Nri(package);
        }
        if nri::is_own(path) {
            // The other packages of NRI's module declare no handlers that a plugin could inherit.
            return Destination::Elsewhere;
        }
        if let Some(folder) = self.layout.listed.get(path) {
            return Destination::Folder(folder.clone());
        }
        match self.folder(path) {
            Some(folder) => Destination::Folder(folder),
            None if nri::is_standard(path) => Destination::Standard,
            None => Destination::Elsewhere,
        }
    }

    /// Returns true if an import path belongs to a module that is built from local sources.
    pub(super) fn is_local(&self, path: &str) -> bool {
        let mut modules = self.layout.modules.iter();
        modules.any(|(module, _)| within(path, module).is_some())
    }

    /// Returns the import paths in the files of a package that others import, without parsing more
    /// than their headers. A file that cannot be read has none here: the package is incomplete.
    pub(super) fn imports(&self, folder: &Path) -> Vec<String> {
        let names = self.tree.names(folder).unwrap_or_default();
        let mut paths = Vec::new();
        for name in names.iter().filter(|name| is_source(name)) {
            let text = self.tree.read(&folder.join(name), MAX_FILE);
            let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
            let read = header::read(&text).filter(|(package, _)| !is_not_imported(package));
            let imports = read.map(|(_, imports)| imports).unwrap_or_default();
            paths.extend(imports.into_iter().map(|import| import.path));
        }
        paths
    }

    fn folder(&self, path: &str) -> Option<PathBuf> {
        // The package belongs to the module with the longest matching path.
        let modules = self.layout.modules.iter();
        let owner = modules
            .filter_map(|(module, folder)| Some((module.len(), folder, within(path, module)?)))
            .max_by_key(|(len, ..)| *len);
        if let Some((_, folder, rest)) = owner {
            let package = if rest.is_empty() {
                folder.clone()
            } else {
                folder.join(rest)
            };
            return (!self.is_other_module(folder, &package)).then_some(package);
        }
        let vendored = self.layout.vendor.as_ref()?.join(path);
        self.tree.is_folder(&vendored).then_some(vendored)
    }

    /// Returns true if a `go.mod` between the two puts the package into a nested module.
    fn is_other_module(&self, module: &Path, package: &Path) -> bool {
        let between = package.ancestors().take_while(|folder| *folder != module);
        between
            .into_iter()
            .any(|folder| self.tree.is_file(&folder.join("go.mod")))
    }

    /// Returns the files of a folder that belong to the package that others import, or to the one
    /// called `name`.
    pub(super) fn package(&self, folder: &Path, name: Option<&str>) -> Rc<Package> {
        let key = (folder.to_owned(), name.map(str::to_owned));
        if let Some(known) = self.packages.borrow().get(&key) {
            return Rc::clone(known);
        }
        let package = Rc::new(self.load(folder, name));
        self.packages.borrow_mut().insert(key, Rc::clone(&package));
        package
    }

    /// Returns the packages read so far.
    pub(super) fn read(&self) -> Vec<Rc<Package>> {
        self.packages.borrow().values().map(Rc::clone).collect()
    }

    /// Returns folders of the packages read so far.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        self.packages
            .borrow()
            .values()
            .map(|package| package.folder.clone())
            .collect()
    }

    fn load(&self, folder: &Path, name: Option<&str>) -> Package {
        let mut package = Package {
            folder: folder.to_owned(),
            ..Package::default()
        };
        if self.packages.borrow().len() >= MAX_PACKAGES {
            package.incomplete = Some(format!("more than {MAX_PACKAGES} packages"));
            return package;
        }
        let Some(names) = self.tree.names(folder) else {
            package.incomplete = Some("its folder cannot be read".to_owned());
            return package;
        };
        for file in names.iter().filter(|name| is_source(name)) {
            match self.file(folder, file) {
                Ok(read) if belongs(&read, name) => {
                    if let Some(line) = read.error {
                        package.incomplete = Some(format!("{file}:{line}: cannot be parsed"));
                    }
                    package.files.push(read);
                }
                Ok(_) => {}
                Err(why) => package.incomplete = Some(format!("{file}: {why}")),
            }
        }
        package
    }

    fn file(&self, folder: &Path, name: &str) -> Result<SourceFile, String> {
        let left = MAX_BYTES.saturating_sub(self.bytes.get()).min(MAX_FILE);
        let bytes = self.tree.read(&folder.join(name), left);
        let bytes =
            bytes.ok_or_else(|| format!("cannot be read, or is larger than {left} bytes"))?;
        self.bytes.set(self.bytes.get() + bytes.len() as u64);
        let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        parse::parse(name, text).ok_or_else(|| "takes too long to parse".to_owned())
    }
}

/// Returns the rest of an import path within a module.
fn within<'p>(path: &'p str, module: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(module)?;
    if rest.is_empty() {
        Some(rest)
    } else {
        rest.strip_prefix('/')
    }
}

/// Returns true if the toolchain treats a file as a source other than a test.
pub(super) fn is_source(name: &str) -> bool {
    name.ends_with(".go") && !name.ends_with("_test.go") && !name.starts_with(['_', '.'])
}

/// Returns true if a file belongs to the package. Files of programs next to a package are not part
/// of what is imported; a file without a package clause is broken.
fn belongs(file: &SourceFile, name: Option<&str>) -> bool {
    match name {
        Some(name) => file.package == name || file.package.is_empty(),
        None => !is_not_imported(&file.package),
    }
}

/// Returns true for the names of packages whose files do not belong to what others import: programs,
/// and files that the toolchain ignores.
pub(super) fn is_not_imported(package: &str) -> bool {
    matches!(package, "main" | "documentation")
}

impl Package {
    /// Returns the name of the package; empty if its files disagree.
    pub(super) fn name(&self) -> &str {
        let plain = self.files.iter().filter(|file| file.in_plain_build);
        let mut names = plain.map(|file| file.package.as_str());
        let mut all = self.files.iter().map(|file| file.package.as_str());
        let Some(name) = names.next().or_else(|| all.next()) else {
            return "";
        };
        if names.all(|other| other == name) {
            name
        } else {
            ""
        }
    }
}

/// Returns the import that a qualifier stands for in a file.
pub(super) fn qualified<'f>(
    world: &World<'_>,
    file: &'f SourceFile,
    qualifier: &str,
) -> Option<&'f Import> {
    let mut imports = file.imports.iter();
    if let Some(named) = imports.find(|import| import.alias.as_deref() == Some(qualifier)) {
        return Some(named);
    }
    let named_so = |import: &&Import| last_part(&import.path) == qualifier;
    let unnamed = || file.imports.iter().filter(|import| import.alias.is_none());
    let is_it = |import: &&Import| match world.locate(&import.path) {
        Destination::Folder(folder) => world.package(&folder, None).name() == qualifier,
        Destination::Standard | Destination::Nri(_) => named_so(import),
        Destination::Elsewhere => false,
    };
    // A package that is not available probably has the name of the last part of its path.
    let may_be_it = |import: &&Import| match world.locate(&import.path) {
        Destination::Folder(folder) => world.package(&folder, None).name().is_empty(),
        Destination::Standard | Destination::Nri(_) | Destination::Elsewhere => true,
    };
    // Most packages have the name of the last part of their path: others are read only if none of
    // these matches.
    unnamed()
        .filter(named_so)
        .find(is_it)
        .or_else(|| unnamed().filter(|import| !named_so(import)).find(is_it))
        .or_else(|| unnamed().filter(named_so).find(may_be_it))
}

/// Returns the last part of an import path that is not a version.
fn last_part(path: &str) -> &str {
    let is_version = |part: &&str| {
        part.strip_prefix('v')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    path.rsplit('/')
        .find(|part| !is_version(part))
        .unwrap_or(path)
}
