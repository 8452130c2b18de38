//! Resolves the names of types: declarations, aliases, imports, and NRI's own.

use std::rc::Rc;

use super::super::super::nri_module::Package as Nri;
use super::super::nri;
use super::super::shape::Names;
use super::super::syntax::{SourceFile, Type};
use super::super::world::{Destination, Package, qualified};
use super::{Resolver, TypeRef};

/// The maximum length of a chain of aliases.
const MAX_DEPTH: usize = 40;

/// The predeclared types.
const PREDECLARED: [&str; 22] = [
    "any",
    "bool",
    "byte",
    "comparable",
    "complex128",
    "complex64",
    "error",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "rune",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// The definition of a named type.
pub(super) enum Named {
    /// The declarations: several if build constraints select among them.
    Declared(Vec<(Rc<Package>, usize, usize)>),
    /// A type of the language or of the standard library.
    Harmless(&'static str),
    /// A type of NRI's stub.
    Stub,
    /// A message, or something else, of NRI's API.
    Api,
}

impl Resolver<'_, '_> {
    /// Resolves a name in the file of a type.
    pub(super) fn find(
        &self,
        of: &TypeRef,
        qualifier: Option<&str>,
        name: &str,
    ) -> Result<Named, String> {
        self.step()?;
        let file = of.package.files.get(of.file).ok_or("a file is missing")?;
        if let Some(qualifier) = qualifier {
            let import = qualified(self.world, file, qualifier);
            let import =
                import.ok_or_else(|| format!("{qualifier}.{name}: no import has this name"))?;
            return self.imported(&import.path, name);
        }
        let own = self.declarations(&of.package, name);
        if !own.is_empty() {
            return Ok(Named::Declared(own));
        }
        for import in file
            .imports
            .iter()
            .filter(|import| import.alias.as_deref() == Some("."))
        {
            let found = self.imported(&import.path, name)?;
            if !matches!(found, Named::Harmless("standard")) {
                return Ok(found);
            }
        }
        if let Some(why) = &of.package.incomplete {
            return Err(format!("{}: {why}", self.shown(&of.package.folder)));
        }
        if PREDECLARED.contains(&name) {
            return Ok(Named::Harmless("predeclared"));
        }
        Err(format!(
            "{name}: not declared in {}",
            self.shown(&of.package.folder)
        ))
    }

    /// Returns true if the type of a receiver is `declared` in the package of `of`, directly or through an alias.
    pub(super) fn is_receiver(&self, of: &TypeRef, receiver: &str, declared: &str) -> bool {
        let mut names = vec![receiver];
        for _ in 0..MAX_DEPTH {
            if names.contains(&declared) {
                return true;
            }
            let types = self.files(&of.package).flat_map(|(_, file)| &file.types);
            let aliased = types.filter(|decl| decl.alias && names.contains(&decl.name.as_str()));
            names = aliased.filter_map(|decl| local_name(&decl.ty)).collect();
            if names.is_empty() {
                return false;
            }
        }
        false
    }

    /// Expands an alias, and returns any other type unchanged.
    pub(super) fn expanded(&self, of: &TypeRef, depth: usize) -> Option<TypeRef> {
        let Type::Named { qualifier, name } = &of.ty else {
            return Some(of.clone());
        };
        if depth > MAX_DEPTH {
            return None;
        }
        let Ok(Named::Declared(all)) = self.find(of, qualifier.as_deref(), name) else {
            return Some(of.clone());
        };
        let [(package, file, declared)] = &all[..] else {
            return None;
        };
        let decl = package.files.get(*file)?.types.get(*declared)?;
        if !decl.alias {
            return Some(of.clone());
        }
        let next = TypeRef {
            package: Rc::clone(package),
            file: *file,
            ty: decl.ty.clone(),
        };
        self.expanded(&next, depth + 1)
    }

    /// Reports whether a type is this message of NRI's API, or of a copy of it.
    pub(super) fn is_of_api(&self, of: &TypeRef, message: &str) -> bool {
        let Type::Named { qualifier, name } = &of.ty else {
            return false;
        };
        let Some(file) = of.package.files.get(of.file).filter(|_| name == message) else {
            return false;
        };
        let is_api = |path: &str| nri::package(path) == Some(Nri::Api);
        match qualifier {
            Some(name) => {
                qualified(self.world, file, name).is_some_and(|import| is_api(&import.path))
            }
            None => {
                let mut dots = file.imports.iter();
                dots.any(|import| import.alias.as_deref() == Some(".") && is_api(&import.path))
            }
        }
    }

    /// Returns an error if a package declares a name as things of different kinds, among which build
    /// constraints select.
    pub(super) fn is_of_one_kind(&self, package: &Package, name: &str) -> Result<(), String> {
        let files = || package.files.iter();
        let kinds = [
            files().any(|file| file.types.iter().any(|ty| ty.name == name)),
            files().any(|file| file.functions.iter().any(|function| function.name == name)),
            files().any(|file| file.variables.iter().any(|variable| variable.name == name)),
        ];
        if kinds.iter().filter(|there| **there).count() > 1 {
            return Err(format!("{name} is declared in different ways"));
        }
        Ok(())
    }

    fn imported(&self, path: &str, name: &str) -> Result<Named, String> {
        match self.world.locate(path) {
            Destination::Standard => Ok(Named::Harmless("standard")),
            Destination::Nri(Nri::Stub) if nri::is_own(path) => Ok(Named::Stub),
            Destination::Nri(Nri::Api) if nri::is_own(path) => Ok(Named::Api),
            Destination::Nri(_) | Destination::Elsewhere => {
                Err(format!("{name} comes from {path}, which is not available"))
            }
            Destination::Folder(folder) => {
                let package = self.world.package(&folder, None);
                let found = self.declarations(&package, name);
                if found.is_empty() {
                    let why = package
                        .incomplete
                        .clone()
                        .unwrap_or_else(|| "does not declare it".to_owned());
                    return Err(format!("{name} comes from {path}: {why}"));
                }
                Ok(Named::Declared(found))
            }
        }
    }

    fn declarations(&self, package: &Rc<Package>, name: &str) -> Vec<(Rc<Package>, usize, usize)> {
        let mut all = Vec::new();
        for (at, file) in self.files(package) {
            let found = file
                .types
                .iter()
                .enumerate()
                .filter(|(_, decl)| decl.name == name);
            all.extend(found.map(|(declared, _)| (Rc::clone(package), at, declared)));
        }
        all
    }
}

/// The name of a type of the package at hand, or of a pointer to one.
fn local_name(ty: &Type) -> Option<&str> {
    match ty {
        Type::Pointer(to) => local_name(to),
        Type::Named {
            qualifier: None,
            name,
        } => Some(name),
        Type::Named { .. }
        | Type::Struct { .. }
        | Type::Interface { .. }
        | Type::Container(_)
        | Type::Function
        | Type::Unknown => None,
    }
}

/// The names in one file of a package.
pub(super) struct FileNames<'a, 'w, 't> {
    pub(super) resolver: &'a Resolver<'w, 't>,
    pub(super) of: &'a TypeRef,
    pub(super) package: &'a Package,
    pub(super) file: &'a SourceFile,
}

impl Names for FileNames<'_, '_, '_> {
    fn is_message(&self, ty: &Type, message: &str) -> bool {
        let of = TypeRef {
            ty: ty.clone(),
            ..self.of.clone()
        };
        let Some(pointer) = self.resolver.expanded(&of, 0) else {
            return false;
        };
        let Type::Pointer(to) = &pointer.ty else {
            return false;
        };
        let to = TypeRef {
            ty: (**to).clone(),
            ..pointer.clone()
        };
        let Some(to) = self.resolver.expanded(&to, 0) else {
            return false;
        };
        self.resolver.is_of_api(&to, message)
    }

    fn is_predeclared(&self, name: &str) -> bool {
        let mut declared = self.package.files.iter().flat_map(|file| &file.types);
        let dots = self
            .file
            .imports
            .iter()
            .any(|import| import.alias.as_deref() == Some("."));
        PREDECLARED.contains(&name)
            && name != "any"
            && name != "error"
            && !dots
            && !declared.any(|decl| decl.name == name)
            && self.package.incomplete.is_none()
    }
}
