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
        followed.iter().any(|(folder, name)| {
            *folder == package.folder && self.is_receiver(&of, &method.receiver, name)
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
