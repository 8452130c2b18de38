//! Results of functions and methods, and conversions.

use std::rc::Rc;

use super::super::syntax::{Expr, Type, Value};
use super::super::world::Package;
use super::names::Named;
use super::values::{Found, Place, Types, to_pointers};
use super::{Resolver, TypeRef};

impl Resolver<'_, '_> {
    /// Returns one of the results of a call, or the value of a conversion.
    pub(super) fn call(
        &self,
        place: &Place,
        callee: &Expr,
        first: Option<&Expr>,
        index: usize,
        depth: usize,
    ) -> Found {
        self.step()?;
        match callee {
            Expr::Index(generic) => self.call(place, generic, first, index, depth + 1),
            Expr::Deref(ty) => self.conversion(place, ty).map(to_pointers),
            Expr::Name(name) if place.bindings(name).is_empty() => {
                self.is_of_one_kind(&place.package, name)?;
                if self.has_type(&place.package, name) {
                    return self.convert(&place.ty(&named(None, name)), place, first, depth);
                }
                if name == "any" && !self.declares(&place.package, name) {
                    return self.to_interface(place, first, depth);
                }
                self.function(&place.package, name, index, depth)
            }
            Expr::Select(of, name) => {
                if let Some(package) = self.package_of(place, of)? {
                    self.is_of_one_kind(&package, name)?;
                    if self.has_type(&package, name) {
                        return self.conversion(place, callee);
                    }
                    return self.function(&package, name, index, depth);
                }
                let mut all = Types::default();
                for ty in self.infer(place, of, depth + 1)?.concrete {
                    all.add(self.method_call(&ty, name, index, depth)?);
                }
                Ok(all)
            }
            _ => Err("the value comes from a call that is not followed".to_owned()),
        }
    }

    fn has_type(&self, package: &Package, name: &str) -> bool {
        let mut types = package.files.iter().flat_map(|file| &file.types);
        types.any(|decl| decl.name == name)
    }

    /// Returns true if a package declares a function or variable of this name, or may do so through
    /// an import without a qualifier.
    fn declares(&self, package: &Package, name: &str) -> bool {
        package.files.iter().any(|file| {
            file.functions.iter().any(|function| function.name == name)
                || file.variables.iter().any(|variable| variable.name == name)
                || file
                    .imports
                    .iter()
                    .any(|import| import.alias.as_deref() == Some("."))
        })
    }

    fn to_interface(&self, place: &Place, value: Option<&Expr>, depth: usize) -> Found {
        let value = value.ok_or("a conversion that is not followed")?;
        let mut types = self.infer(place, value, depth + 1)?;
        types.interface = true;
        Ok(types)
    }

    fn convert(&self, ty: &TypeRef, place: &Place, first: Option<&Expr>, depth: usize) -> Found {
        match first {
            Some(_) if self.is_interface(ty, 0)? => self.to_interface(place, first, depth),
            _ => self.concrete(ty),
        }
    }

    /// Returns the type that an expression in the position of a function names.
    fn conversion(&self, place: &Place, ty: &Expr) -> Found {
        match ty {
            // Not a type, but a variable that has the name of one.
            Expr::Name(name) if self.is_local(place, name) => {
                Err(format!("a call of {name} is not followed"))
            }
            Expr::Name(name) => self.concrete(&place.ty(&named(None, name))),
            Expr::Select(of, name) => match &**of {
                Expr::Name(qualifier) if self.is_local(place, qualifier) => {
                    Err(format!("a call of {qualifier}.{name} is not followed"))
                }
                Expr::Name(qualifier) => self.concrete(&place.ty(&named(Some(qualifier), name))),
                _ => Err("a conversion that is not followed".to_owned()),
            },
            Expr::Index(generic) => self.conversion(place, generic),
            _ => Err("a conversion that is not followed".to_owned()),
        }
    }

    fn function(&self, package: &Rc<Package>, name: &str, index: usize, depth: usize) -> Found {
        self.whole(package)?;
        let mut all = Types::default();
        let mut found = false;
        for (file, source) in self.files(package) {
            for (body, function) in source.functions.iter().enumerate() {
                if function.name == name {
                    found = true;
                    let place = Place {
                        package: Rc::clone(package),
                        file,
                        body,
                    };
                    all.add(self.result(&place, index, depth + 1)?);
                }
            }
        }
        if found {
            Ok(all)
        } else {
            Err(format!("the result of {name} is not followed"))
        }
    }

    /// Returns a result of a function: its type, or the types of its `return` statements if that is
    /// an interface.
    fn result(&self, place: &Place, index: usize, depth: usize) -> Found {
        let function = place.function().ok_or("a function is missing")?;
        let results = &function.signature.results;
        let ty = results
            .get(index)
            .ok_or("a function returns fewer values than are used")?;
        if !self.is_interface(&place.ty(ty), 0)? {
            return self.concrete(&place.ty(ty));
        }
        let mut all = Types {
            interface: true,
            ..Types::default()
        };
        for operands in &function.returns {
            let value = match &operands[..] {
                [] => {
                    let name = function
                        .result_names
                        .get(index)
                        .ok_or("a result that is not followed")?;
                    Value {
                        expr: Expr::Name(name.clone()),
                        index: 0,
                    }
                }
                [call] if results.len() > 1 => Value {
                    expr: call.clone(),
                    index,
                },
                all => {
                    let expr = all.get(index).ok_or("a result that is not followed")?;
                    Value {
                        expr: expr.clone(),
                        index: 0,
                    }
                }
            };
            all.add(self.value(place, &value, depth + 1)?);
        }
        // A deferred function may replace a named result.
        if function
            .result_names
            .get(index)
            .is_some_and(|name| name != "_")
            || all.concrete.is_empty()
        {
            return Err("a result that is not followed".to_owned());
        }
        Ok(all)
    }

    fn method_call(&self, of: &TypeRef, name: &str, index: usize, depth: usize) -> Found {
        let ty = match &of.ty {
            Type::Pointer(to) => TypeRef {
                ty: (**to).clone(),
                ..of.clone()
            },
            _ => of.clone(),
        };
        let Type::Named {
            qualifier,
            name: receiver,
        } = &ty.ty
        else {
            return Err(format!("the result of {name} is not followed"));
        };
        let Named::Declared(declared) = self.find(&ty, qualifier.as_deref(), receiver)? else {
            return Err(format!("the result of {name} is not followed"));
        };
        let mut all = Types::default();
        let mut found = false;
        for (package, file, decl) in declared {
            let decl = package
                .files
                .get(file)
                .and_then(|file| file.types.get(decl));
            let Some(decl) = decl.filter(|decl| !decl.alias) else {
                return Err(format!("the result of {name} is not followed"));
            };
            for (file, source) in self.files(&package) {
                let methods = source.methods.iter();
                for method in methods.filter(|m| m.receiver == decl.name && m.name == name) {
                    found = true;
                    let place = Place {
                        package: Rc::clone(&package),
                        file,
                        body: method.body,
                    };
                    all.add(self.result(&place, index, depth + 1)?);
                }
            }
        }
        if found {
            Ok(all)
        } else {
            Err(format!("the result of {name} is not followed"))
        }
    }
}

fn named(qualifier: Option<&str>, name: &str) -> Type {
    Type::Named {
        qualifier: qualifier.map(str::to_owned),
        name: name.to_owned(),
    }
}
