//! The events handled by the values that a package passes to `stub.New`.
//!
//! They are resolved twice: for the files of a plain build, with a certain result, and for all
//! files, with the events that may be handled under some build constraint.

mod apart;
mod calls;
mod fields;
mod imported;
mod methods;
mod names;
mod values;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::syntax::{Expr, SourceFile, Type};
use super::world::{Package, World};

/// The maximum number of steps for one plugin: hostile sources can require any number.
const MAX_STEPS: u32 = 50_000;

/// The maximum number of lines of evidence.
const MAX_NOTES: usize = 40;

/// A type as written in a file of a package.
#[derive(Clone, Debug)]
pub(super) struct TypeRef {
    pub(super) package: Rc<Package>,
    pub(super) file: usize,
    pub(super) ty: Type,
}

/// The events that are handled, as far as known.
#[derive(Clone, Debug, Default)]
pub(super) struct Handled {
    /// The events that are handled.
    pub(super) certain: BTreeSet<&'static str>,
    /// The events that may be handled in addition.
    pub(super) possible: BTreeSet<&'static str>,
    /// The reasons why there may be more; empty if there are none.
    pub(super) unresolved: BTreeSet<String>,
    /// The handlers of types that are not passed to `stub.New` by visible code.
    pub(super) apart: BTreeSet<String>,
    /// The evidence.
    pub(super) notes: BTreeSet<String>,
    /// The uses of `stub.New`: file within the folder, and line.
    pub(super) uses: Vec<(String, usize)>,
}

impl Handled {
    fn add(&mut self, other: Self) {
        self.certain.extend(other.certain);
        self.possible.extend(other.possible);
        self.unresolved.extend(other.unresolved);
        self.apart.extend(other.apart);
        self.notes.extend(other.notes);
        self.uses.extend(other.uses);
    }

    fn unresolved(why: impl Into<String>) -> Self {
        Self {
            unresolved: BTreeSet::from([why.into()]),
            ..Self::default()
        }
    }
}

/// Resolves types and values in one set of files.
pub(super) struct Resolver<'w, 't> {
    pub(super) world: &'w World<'t>,
    /// True if only the files of a plain build count.
    pub(super) plain: bool,
    steps: Cell<u32>,
    /// The types whose methods were followed: folder and name.
    followed: RefCell<BTreeSet<(PathBuf, String)>>,
    /// The methods among theirs that others hide: folder, type and method.
    hidden: RefCell<BTreeSet<(PathBuf, String, String)>>,
    /// The folder to which paths in evidence are relative.
    root: &'w Path,
}

/// Returns the events that the package with this name in the folder handles.
pub(super) fn handled(world: &World<'_>, folder: &Path, name: &str, root: &Path) -> Handled {
    let package = world.package(folder, Some(name));
    let mut certain = Resolver::new(world, true, root).uses(&package);
    let resolver = Resolver::new(world, false, root);
    let mut all = resolver.uses(&package);
    if !all.uses.is_empty() {
        let users = imported::with_stub(world, &package).unwrap_or_else(|why| {
            all.unresolved.insert(why);
            Vec::new()
        });
        certain.add(Resolver::new(world, true, root).imported_uses(&users));
        all.add(resolver.imported_uses(&users));
    }
    if !all.uses.is_empty() {
        all.apart = resolver.apart();
    }
    all.possible.extend(std::mem::take(&mut all.certain));
    all.certain.clone_from(&certain.certain);
    all.unresolved.extend(certain.unresolved);
    all.notes.extend(certain.notes);
    all.possible = all.possible.difference(&all.certain).copied().collect();
    while all.notes.len() > MAX_NOTES {
        all.notes.pop_last();
    }
    all
}

impl<'w, 't> Resolver<'w, 't> {
    fn new(world: &'w World<'t>, plain: bool, root: &'w Path) -> Self {
        Self {
            world,
            plain,
            steps: Cell::new(0),
            followed: RefCell::default(),
            hidden: RefCell::default(),
            root,
        }
    }

    /// Returns the files that count, with their numbers.
    pub(super) fn files<'p>(
        &self,
        package: &'p Package,
    ) -> impl Iterator<Item = (usize, &'p SourceFile)> {
        let plain = self.plain;
        let files = package.files.iter().enumerate();
        files.filter(move |(_, file)| !plain || file.in_plain_build)
    }

    /// Counts a step; returns an error if there were too many.
    fn step(&self) -> Result<(), String> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS {
            return Err("its types are too complex to be resolved".to_owned());
        }
        Ok(())
    }

    fn uses(&self, package: &Rc<Package>) -> Handled {
        let mut all = Handled::default();
        for (file, source) in self.files(package) {
            for (body, function) in source.functions.iter().enumerate() {
                for used in &function.stub_uses {
                    let at = self.place(package, source, used.line);
                    let place = values::Place {
                        package: Rc::clone(package),
                        file,
                        body,
                    };
                    all.add(self.used(&place, used.plugin.as_ref(), &at));
                    all.uses.push((source.name.clone(), used.line));
                }
            }
        }
        if let Some(why) = &package.incomplete {
            all.unresolved
                .insert(format!("{}: {why}", self.shown(&package.folder)));
        }
        all
    }

    /// Returns the events handled by the value that is passed to `stub.New` at a place.
    fn used(&self, place: &values::Place, plugin: Option<&Expr>, at: &str) -> Handled {
        let Some(plugin) = plugin else {
            return Handled::unresolved(format!("{at}: stub.New is passed on instead of called"));
        };
        let types = match self.infer(place, plugin, 0) {
            Ok(types) => types.concrete,
            Err(why) => return Handled::unresolved(format!("{at}: {why}")),
        };
        if types.is_empty() {
            return Handled::unresolved(format!("{at}: nothing is passed to stub.New"));
        }
        let mut all = Handled::default();
        for ty in types {
            match self.is_interface(&ty, 0) {
                Ok(false) => {}
                Ok(true) => all.add(Handled::unresolved(format!(
                    "{at}: an interface is passed to stub.New, and its value is not followed"
                ))),
                Err(why) => all.add(Handled::unresolved(format!("{at}: {why}"))),
            }
            all.notes
                .insert(format!("{at}: passes {} to stub.New", self.describe(&ty)));
            all.add(self.methods(&ty, methods::Reach::default(), 0));
        }
        all
    }

    /// Returns a place such as `pkg/base/base.go:12`, relative to the module.
    pub(super) fn place(&self, package: &Package, file: &SourceFile, line: usize) -> String {
        let path = package.folder.join(&file.name);
        format!("{}:{line}", self.shown(&path))
    }

    pub(super) fn shown(&self, path: &Path) -> String {
        let relative = path.strip_prefix(self.root).unwrap_or(path);
        let text = relative.display().to_string();
        if text.is_empty() {
            ".".to_owned()
        } else {
            text
        }
    }

    fn describe(&self, ty: &TypeRef) -> String {
        match &ty.ty {
            Type::Named { qualifier, name } => match qualifier {
                Some(qualifier) => format!("{qualifier}.{name}"),
                None => format!("{name} of package {}", ty.package.name()),
            },
            Type::Pointer(to) => {
                let to = TypeRef {
                    ty: (**to).clone(),
                    ..ty.clone()
                };
                format!("a pointer to {}", self.describe(&to))
            }
            Type::Struct { .. } => "an anonymous struct".to_owned(),
            Type::Interface { .. } => "an interface".to_owned(),
            Type::Container(_) | Type::Function | Type::Unknown => "a value".to_owned(),
        }
    }
}
