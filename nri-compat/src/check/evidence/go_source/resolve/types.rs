//! Method sets: own methods, promoted ones, and those of embedded interfaces.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::super::nri_module::Package as Nri;
use super::super::nri;
use super::super::shape::{self, Fit, Names};
use super::super::syntax::{Signature, SourceFile, Type, TypeDecl};
use super::super::world::{Destination, Package, qualified};
use super::{Handled, Resolver, TypeRef};

/// The maximum depth of embedded types.
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

/// The path to a method set.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// True if it goes through a pointer, so that methods on pointers are included.
    pointer: bool,
    /// Names declared by an outer type, which hide those of embedded types.
    hidden: BTreeSet<String>,
}

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
    /// Returns the events that a type handles.
    pub(super) fn methods(&self, of: &TypeRef, reach: Reach, depth: usize) -> Handled {
        if depth > MAX_DEPTH {
            return Handled::unresolved("types embed each other too deeply");
        }
        if let Err(why) = self.step() {
            return Handled::unresolved(why);
        }
        match &of.ty {
            Type::Pointer(to) => {
                let to = TypeRef {
                    ty: (**to).clone(),
                    ..of.clone()
                };
                self.methods(
                    &to,
                    Reach {
                        pointer: true,
                        ..reach
                    },
                    depth + 1,
                )
            }
            Type::Named { qualifier, name } => {
                self.named_methods(of, qualifier.as_deref(), name, &reach, depth)
            }
            Type::Struct { embedded, fields } => {
                let mut reach = reach;
                reach
                    .hidden
                    .extend(fields.iter().map(|(name, _)| name.clone()));
                self.embedded_methods(of, embedded, &reach, depth)
            }
            Type::Interface { methods, embedded } => {
                let mut all = self.interface_methods(of, methods, &reach);
                all.add(self.embedded_methods(of, embedded, &reach, depth));
                all
            }
            Type::Container(_) | Type::Function => Handled::default(),
            Type::Unknown => Handled::unresolved(format!(
                "{}: a type that is not understood",
                self.shown(&of.package.folder)
            )),
        }
    }

    fn embedded_methods(
        &self,
        of: &TypeRef,
        embedded: &[Type],
        reach: &Reach,
        depth: usize,
    ) -> Handled {
        let mut all = Handled::default();
        for ty in embedded {
            let inner = TypeRef {
                ty: ty.clone(),
                ..of.clone()
            };
            all.add(self.methods(&inner, reach.clone(), depth + 1));
        }
        all
    }

    fn interface_methods(
        &self,
        of: &TypeRef,
        methods: &[(String, Signature)],
        reach: &Reach,
    ) -> Handled {
        let mut all = Handled::default();
        for (name, signature) in methods {
            self.method(&mut all, of, name, signature, reach, true);
        }
        all
    }

    /// Adds a method if it is a handler and not hidden.
    fn method(
        &self,
        all: &mut Handled,
        of: &TypeRef,
        name: &str,
        signature: &Signature,
        reach: &Reach,
        certain: bool,
    ) -> bool {
        let Some(event) = shape::event(name).filter(|_| !reach.hidden.contains(name)) else {
            return false;
        };
        let Some(file) = of.package.files.get(of.file) else {
            return false;
        };
        let names = FileNames {
            resolver: self,
            of,
            package: &of.package,
            file,
        };
        match (shape::fit(name, signature, &names), certain) {
            (Fit::Yes, true) => all.certain.insert(event),
            (Fit::Yes, false) | (Fit::Maybe, _) => all.possible.insert(event),
            (Fit::No, _) => return false,
        };
        true
    }

    fn named_methods(
        &self,
        of: &TypeRef,
        qualifier: Option<&str>,
        name: &str,
        reach: &Reach,
        depth: usize,
    ) -> Handled {
        let named = match self.find(of, qualifier, name) {
            Ok(named) => named,
            Err(why) => return Handled::unresolved(why),
        };
        match named {
            Named::Harmless(_) | Named::Api => Handled::default(),
            Named::Stub => stub_interface(name, reach),
            Named::Declared(all) => {
                let mut handled = Handled::default();
                for (package, file, declared) in all {
                    handled.add(self.declared_methods(&package, file, declared, reach, depth));
                }
                handled
            }
        }
    }

    fn declared_methods(
        &self,
        package: &Rc<Package>,
        file: usize,
        declared: usize,
        reach: &Reach,
        depth: usize,
    ) -> Handled {
        let Some(decl) = package
            .files
            .get(file)
            .and_then(|source| source.types.get(declared))
        else {
            return Handled::default();
        };
        let underlying = TypeRef {
            package: Rc::clone(package),
            file,
            ty: decl.ty.clone(),
        };
        let mut all = Handled::default();
        if let Some(why) = &package.incomplete {
            all.unresolved
                .insert(format!("{}: {why}", self.shown(&package.folder)));
        }
        if decl.alias {
            all.add(self.methods(&underlying, reach.clone(), depth + 1));
            return all;
        }
        let mut reach = reach.clone();
        let mut own = BTreeSet::new();
        for (at, source) in self.files(package) {
            for method in source
                .methods
                .iter()
                .filter(|method| method.receiver == decl.name)
            {
                let of = TypeRef {
                    file: at,
                    ..underlying.clone()
                };
                let certain = reach.pointer || !method.on_pointer;
                if self.method(
                    &mut all,
                    &of,
                    &method.name,
                    &method.signature,
                    &reach,
                    certain,
                ) {
                    let place = self.place(package, source, method.line);
                    all.notes
                        .insert(format!("{place}: {} handles {}", decl.name, method.name));
                }
                own.insert(method.name.clone());
            }
        }
        reach.hidden.extend(own);
        all.add(self.underlying_methods(&underlying, &reach, depth + 1));
        all
    }

    /// Returns the methods that a type declared as another one inherits: promoted ones and those of
    /// an interface.
    fn underlying_methods(&self, of: &TypeRef, reach: &Reach, depth: usize) -> Handled {
        if depth > MAX_DEPTH {
            return Handled::unresolved("types are declared by each other too deeply");
        }
        let Type::Named { qualifier, name } = &of.ty else {
            return match &of.ty {
                Type::Pointer(_) => Handled::default(),
                _ => self.methods(of, reach.clone(), depth),
            };
        };
        match self.find(of, qualifier.as_deref(), name) {
            Err(why) => Handled::unresolved(why),
            Ok(Named::Harmless(_) | Named::Api) => Handled::default(),
            Ok(Named::Stub) => stub_interface(name, reach),
            Ok(Named::Declared(all)) => {
                let mut handled = Handled::default();
                for (package, file, declared) in all {
                    let decl = package
                        .files
                        .get(file)
                        .and_then(|source| source.types.get(declared));
                    if let Some(TypeDecl { ty, .. }) = decl {
                        let next = TypeRef {
                            ty: ty.clone(),
                            file,
                            package: Rc::clone(&package),
                        };
                        handled.add(self.underlying_methods(&next, reach, depth + 1));
                    }
                }
                handled
            }
        }
    }

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
                import.ok_or_else(|| format!("{qualifier}.{name}: no import is called so"))?;
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

    /// Expands an alias, and returns any other type unchanged.
    fn expanded(&self, of: &TypeRef, depth: usize) -> Option<TypeRef> {
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
    fn is_of_api(&self, of: &TypeRef, message: &str) -> bool {
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

    fn imported(&self, path: &str, name: &str) -> Result<Named, String> {
        match self.world.locate(path) {
            Destination::Standard => Ok(Named::Harmless("standard")),
            Destination::Nri(Nri::Stub) if nri::is_own(path) => Ok(Named::Stub),
            Destination::Nri(Nri::Api) if nri::is_own(path) => Ok(Named::Api),
            Destination::Nri(_) | Destination::Elsewhere => {
                Err(format!("{name} comes from {path}, which is not at hand"))
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

fn stub_interface(name: &str, reach: &Reach) -> Handled {
    match shape::of_interface(name) {
        None => Handled::unresolved(format!("stub.{name} is not known")),
        Some(event) => {
            let visible = event.filter(|event| !reach.hidden.contains(*event));
            Handled {
                certain: visible.into_iter().collect(),
                ..Handled::default()
            }
        }
    }
}

/// The names in one file of a package.
struct FileNames<'a, 'w, 't> {
    resolver: &'a Resolver<'w, 't>,
    of: &'a TypeRef,
    package: &'a Package,
    file: &'a SourceFile,
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
