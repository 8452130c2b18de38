//! Method sets: own methods, promoted ones, and those of embedded interfaces.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::shape::{self, Fit};
use super::super::syntax::{Method, Signature, SourceFile, Type, TypeDecl};
use super::super::world::Package;
use super::names::{FileNames, Named};
use super::{Handled, Resolver, TypeRef};

/// The maximum depth of embedded types.
const MAX_DEPTH: usize = 40;

/// The path to a method set.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// True if it goes through a pointer, so that methods on pointers are included.
    pointer: bool,
    /// Names declared by an outer type, which hide those of embedded types.
    hidden: BTreeSet<String>,
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
                "{}: an unsupported type",
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
        self.followed
            .borrow_mut()
            .insert((package.folder.clone(), decl.name.clone()));
        let mut reach = reach.clone();
        let mut own = BTreeSet::new();
        for (at, source) in self.files(package) {
            for method in &source.methods {
                if !self.is_receiver(&underlying, &method.receiver, &decl.name) {
                    continue;
                }
                let of = TypeRef {
                    file: at,
                    ..underlying.clone()
                };
                self.own_method(&mut all, &of, source, method, &reach);
                if reach.hidden.contains(&method.name) {
                    let key = (decl.name.clone(), method.name.clone());
                    let mut hidden = self.hidden.borrow_mut();
                    hidden.insert((package.folder.clone(), key.0, key.1));
                }
                // Methods that some builds leave out hide nothing in these.
                if self.plain || source.in_every_build {
                    own.insert(method.name.clone());
                }
            }
        }
        reach.hidden.extend(own);
        all.add(self.underlying_methods(&underlying, &reach, depth + 1));
        all
    }

    /// Adds a method that a declared type has itself.
    fn own_method(
        &self,
        all: &mut Handled,
        of: &TypeRef,
        source: &SourceFile,
        method: &Method,
        reach: &Reach,
    ) {
        let (name, signature) = (&method.name, &method.signature);
        let certain = reach.pointer || !method.on_pointer;
        if self.method(all, of, name, signature, reach, certain) {
            let place = self.place(&of.package, source, method.line);
            all.notes
                .insert(format!("{place}: {} handles {name}", method.receiver));
        }
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
