//! Types with handlers that are not among the values passed to `stub.New`.
//!
//! Code that is not available, such as a package of another module, may pass them to a stub.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::shape::{self, Fit};
use super::super::syntax::{Method, SourceFile, Type};
use super::super::world::Package;
use super::names::FileNames;
use super::{Resolver, TypeRef};

impl Resolver<'_, '_> {
    /// Returns a reason for each handler of events without an answer, in all packages read so far,
    /// whose type was not followed.
    pub(super) fn apart(&self) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for package in self.world.read() {
            for (at, source) in package.files.iter().enumerate() {
                let methods = source.methods.iter();
                for method in methods.filter(|method| !self.is_followed(&package, method)) {
                    if self.is_handler(&package, at, source, method) {
                        all.insert(format!(
                            "{}: {} handles {}, but no visible code passes it to a stub",
                            self.place(&package, source, method.line),
                            method.receiver,
                            method.name
                        ));
                    }
                }
            }
        }
        all
    }

    fn is_followed(&self, package: &Rc<Package>, method: &Method) -> bool {
        let of = TypeRef {
            package: Rc::clone(package),
            file: 0,
            ty: Type::Unknown,
        };
        let followed = self.followed.borrow();
        let mut names = followed
            .iter()
            .filter(|(folder, _)| *folder == package.folder)
            .map(|(_, name)| name)
            .filter(|name| self.is_receiver(&of, &method.receiver, name));
        names.any(|name| {
            let key = (package.folder.clone(), name.clone(), method.name.clone());
            !self.hidden.borrow().contains(&key) || !self.is_embedded_apart(name)
        })
    }

    /// Returns true if a type that was not followed embeds one of this name.
    fn is_embedded_apart(&self, name: &str) -> bool {
        let followed = self.followed.borrow();
        self.world.read().iter().any(|package| {
            let mut types = package.files.iter().flat_map(|file| &file.types);
            types.any(|decl| {
                let is_followed = followed.contains(&(package.folder.clone(), decl.name.clone()));
                !is_followed && embeds(&decl.ty, name)
            })
        })
    }

    fn is_handler(
        &self,
        package: &Rc<Package>,
        at: usize,
        source: &SourceFile,
        method: &Method,
    ) -> bool {
        let of = TypeRef {
            package: Rc::clone(package),
            file: at,
            ty: Type::Unknown,
        };
        let names = FileNames {
            resolver: self,
            of: &of,
            package,
            file: source,
        };
        shape::has_no_answer(&method.name)
            && shape::fit(&method.name, &method.signature, &names) == Fit::Yes
    }
}

/// Returns true if a type is, embeds, or points to one of this name.
fn embeds(ty: &Type, name: &str) -> bool {
    match ty {
        Type::Named { name: other, .. } => other == name,
        Type::Pointer(to) => embeds(to, name),
        Type::Struct { embedded, .. } => embedded.iter().any(|ty| embeds(ty, name)),
        Type::Interface { .. } | Type::Container(_) | Type::Function | Type::Unknown => false,
    }
}
