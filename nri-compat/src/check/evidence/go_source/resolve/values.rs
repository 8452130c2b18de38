//! Types of values, followed through variables, fields and functions.

use std::rc::Rc;

use super::super::syntax::{Binding, Expr, Function, Type, Value};
use super::super::world::{Destination, Package, qualified};
use super::types::Named;
use super::{Resolver, TypeRef};

/// The maximum number of expressions that are followed one after another.
const MAX_DEPTH: usize = 40;

/// The place of an expression.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) package: Rc<Package>,
    pub(super) file: usize,
    /// The index of the function.
    pub(super) body: usize,
}

/// The types that a value can have.
#[derive(Default)]
pub(super) struct Types {
    /// The concrete types, without interfaces.
    pub(super) concrete: Vec<TypeRef>,
    /// True if something that holds the value may hold other types too.
    interface: bool,
}

impl Types {
    fn add(&mut self, other: Self) {
        self.concrete.extend(other.concrete);
        self.interface |= other.interface;
    }
}

type Found = Result<Types, String>;

impl Place {
    fn function(&self) -> Option<&Function> {
        self.package.files.get(self.file)?.functions.get(self.body)
    }

    fn bindings(&self, name: &str) -> &[Binding] {
        self.function()
            .and_then(|function| function.bindings.get(name))
            .map_or(&[], Vec::as_slice)
    }

    fn ty(&self, ty: &Type) -> TypeRef {
        TypeRef {
            package: Rc::clone(&self.package),
            file: self.file,
            ty: ty.clone(),
        }
    }
}

impl Resolver<'_, '_> {
    /// Returns the types that an expression can have.
    pub(super) fn infer(&self, place: &Place, expr: &Expr, depth: usize) -> Found {
        self.step()?;
        if depth > MAX_DEPTH {
            return Err("the value comes a long way, which is not followed".to_owned());
        }
        match expr {
            Expr::Name(name) => self.name(place, name, depth),
            Expr::Nil => Ok(Types::default()),
            Expr::Select(of, field) => self.select(place, of, field, depth),
            Expr::Composite(ty) => self.concrete(&place.ty(ty)),
            Expr::New(ty) => self.concrete(&place.ty(ty)).map(to_pointers),
            Expr::Assert(ty) => self.concrete(&place.ty(ty)),
            Expr::Call { callee, first } => self.call(place, callee, first.as_deref(), 0, depth),
            Expr::Address(of) => self.infer(place, of, depth + 1).map(to_pointers),
            Expr::Deref(of) => {
                let mut types = self.infer(place, of, depth + 1)?;
                for one in &mut types.concrete {
                    if let Type::Pointer(to) = &one.ty {
                        one.ty = (**to).clone();
                    }
                }
                Ok(types)
            }
            Expr::Index(_) | Expr::Unknown => {
                Err("cannot determine the type of the value passed to stub.New".to_owned())
            }
        }
    }

    /// Returns the type itself, unless it is an interface, which does not determine the type of the
    /// value.
    fn concrete(&self, ty: &TypeRef) -> Found {
        if self.is_interface(ty, 0)? {
            return Err(
                "an interface is passed to stub.New, and its value is not followed".to_owned(),
            );
        }
        Ok(Types {
            concrete: vec![ty.clone()],
            interface: false,
        })
    }

    fn is_interface(&self, of: &TypeRef, depth: usize) -> Result<bool, String> {
        if depth > MAX_DEPTH {
            return Err("types are declared by each other too deeply".to_owned());
        }
        let (qualifier, name) = match &of.ty {
            Type::Interface { .. } => return Ok(true),
            Type::Unknown => {
                return Err("cannot determine the type of the value passed to stub.New".to_owned());
            }
            Type::Named { qualifier, name } => (qualifier.as_deref(), name),
            Type::Pointer(_) | Type::Struct { .. } | Type::Container(_) | Type::Function => {
                return Ok(false);
            }
        };
        match self.find(of, qualifier, name)? {
            Named::Harmless("predeclared") => Ok(name == "any" || name == "error"),
            Named::Stub => Ok(true),
            Named::Harmless(_) | Named::Api => Err(format!("{name} may be an interface")),
            Named::Declared(all) => {
                let mut interface = false;
                for (package, file, declared) in all {
                    let decl = package
                        .files
                        .get(file)
                        .and_then(|file| file.types.get(declared));
                    if let Some(decl) = decl {
                        let next = TypeRef {
                            package: Rc::clone(&package),
                            file,
                            ty: decl.ty.clone(),
                        };
                        interface |= self.is_interface(&next, depth + 1)?;
                    }
                }
                Ok(interface)
            }
        }
    }

    fn name(&self, place: &Place, name: &str, depth: usize) -> Found {
        let bindings = place.bindings(name);
        if bindings.is_empty() {
            return self.variable(&place.package, name, depth);
        }
        let mut all = Types::default();
        let (mut assigned, mut escapes) = (Vec::new(), false);
        for binding in bindings {
            match binding {
                Binding::Declared(ty) => {
                    let ty = place.ty(ty);
                    if self.is_interface(&ty, 0)? {
                        all.interface = true;
                    } else {
                        all.concrete.push(ty);
                    }
                }
                Binding::Parameter(ty) => all.add(self.concrete(&place.ty(ty))?),
                Binding::Defined(value) => all.add(self.value(place, value, depth + 1)?),
                Binding::Assigned(value) => assigned.push(value),
                Binding::Escapes => escapes = true,
                Binding::NotFollowed => return Err(format!("what {name} holds is not followed")),
            }
        }
        if all.interface {
            if escapes || self.is_captured(place, name) {
                return Err(format!("what {name} holds is not followed"));
            }
            for value in assigned {
                all.add(self.value(place, value, depth + 1)?);
            }
        }
        if all.concrete.is_empty() {
            return Err(format!("what {name} holds is not followed"));
        }
        Ok(all)
    }

    /// Returns true if the name is also a variable of the package, so that other functions may
    /// assign to it.
    fn is_captured(&self, place: &Place, name: &str) -> bool {
        let mut variables = place.package.files.iter().flat_map(|file| &file.variables);
        variables.any(|variable| variable.name == name)
    }

    /// Returns the types of a package-level variable. One whose type is an interface can be
    /// assigned to from anywhere.
    fn variable(&self, package: &Rc<Package>, name: &str, depth: usize) -> Found {
        self.whole(package)?;
        let mut all = Types::default();
        let mut found = false;
        for (at, file) in self.files(package) {
            for variable in file
                .variables
                .iter()
                .filter(|variable| variable.name == name)
            {
                found = true;
                let place = Place {
                    package: Rc::clone(package),
                    file: at,
                    body: usize::MAX,
                };
                all.add(match (&variable.ty, &variable.value) {
                    (Some(ty), _) => self.concrete(&place.ty(ty))?,
                    (None, Some(value)) => self.value(&place, value, depth + 1)?,
                    (None, None) => return Err(format!("what {name} holds is not followed")),
                });
            }
        }
        if !found || all.interface {
            return Err(format!("what {name} holds is not followed"));
        }
        Ok(all)
    }

    fn value(&self, place: &Place, value: &Value, depth: usize) -> Found {
        match &value.expr {
            Expr::Call { callee, first } => {
                self.call(place, callee, first.as_deref(), value.index, depth)
            }
            expr if value.index == 0 => self.infer(place, expr, depth),
            _ => Err("a value of several that is not followed".to_owned()),
        }
    }

    /// Returns the package of a qualifier, unless a variable has the same name.
    fn package_of(&self, place: &Place, expr: &Expr) -> Result<Option<Rc<Package>>, String> {
        let Expr::Name(name) = expr else {
            return Ok(None);
        };
        let file = place
            .package
            .files
            .get(place.file)
            .ok_or("a file is missing")?;
        if !place.bindings(name).is_empty() || self.is_captured(place, name) {
            return Ok(None);
        }
        let Some(import) = qualified(self.world, file, name) else {
            return Ok(None);
        };
        match self.world.locate(&import.path) {
            Destination::Folder(folder) => Ok(Some(self.world.package(&folder, None))),
            Destination::Standard | Destination::Nri(_) | Destination::Elsewhere => Err(format!(
                "a value comes from {}, which is not at hand",
                import.path
            )),
        }
    }

    fn select(&self, place: &Place, of: &Expr, field: &str, depth: usize) -> Found {
        if let Some(package) = self.package_of(place, of)? {
            return self.variable(&package, field, depth + 1);
        }
        let mut all = Types::default();
        for ty in self.infer(place, of, depth + 1)?.concrete {
            let found = self.field(&ty, field, 0)?;
            let found = found.ok_or_else(|| format!("what {field} holds is not followed"))?;
            all.add(self.concrete(&found)?);
        }
        Ok(all)
    }

    /// Returns the type of a field, promoted ones included.
    fn field(&self, of: &TypeRef, field: &str, depth: usize) -> Result<Option<TypeRef>, String> {
        self.step()?;
        if depth > MAX_DEPTH {
            return Err("types embed each other too deeply".to_owned());
        }
        let with = |ty: &Type| TypeRef {
            ty: ty.clone(),
            ..of.clone()
        };
        match &of.ty {
            Type::Pointer(to) => self.field(&with(to), field, depth + 1),
            Type::Struct { embedded, fields } => {
                if let Some((_, ty)) = fields.iter().find(|(name, _)| name == field) {
                    return Ok(Some(with(ty)));
                }
                for ty in embedded {
                    if embedded_name(ty) == Some(field) {
                        return Ok(Some(with(ty)));
                    }
                }
                for ty in embedded {
                    if let Some(found) = self.field(&with(ty), field, depth + 1)? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            Type::Named { qualifier, name } => match self.find(of, qualifier.as_deref(), name)? {
                Named::Declared(all) => {
                    let [(package, file, declared)] = &all[..] else {
                        return Err(format!("{name} is declared more than once"));
                    };
                    let decl = package
                        .files
                        .get(*file)
                        .and_then(|file| file.types.get(*declared));
                    let decl = decl.ok_or("a declaration is missing")?;
                    let next = TypeRef {
                        package: Rc::clone(package),
                        file: *file,
                        ty: decl.ty.clone(),
                    };
                    self.field(&next, field, depth + 1)
                }
                Named::Harmless(_) | Named::Stub | Named::Api => Ok(None),
            },
            Type::Interface { .. } | Type::Container(_) | Type::Function | Type::Unknown => {
                Ok(None)
            }
        }
    }

    /// Returns one of the results of a call, or the value of a conversion.
    fn call(
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
                if self.has_type(&place.package, name) {
                    return self.convert(&place.ty(&named(None, name)), place, first, depth);
                }
                self.function(&place.package, name, index, depth)
            }
            Expr::Select(of, name) => {
                if let Some(package) = self.package_of(place, of)? {
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

    /// Returns an error if parts of a package may be missing.
    fn whole(&self, package: &Package) -> Result<(), String> {
        match &package.incomplete {
            Some(why) => Err(format!("{}: {why}", self.shown(&package.folder))),
            None => Ok(()),
        }
    }

    fn has_type(&self, package: &Package, name: &str) -> bool {
        let mut types = package.files.iter().flat_map(|file| &file.types);
        types.any(|decl| decl.name == name)
    }

    fn convert(&self, ty: &TypeRef, place: &Place, first: Option<&Expr>, depth: usize) -> Found {
        match first {
            Some(first) if self.is_interface(ty, 0)? => {
                let mut types = self.infer(place, first, depth + 1)?;
                types.interface = true;
                Ok(types)
            }
            _ => self.concrete(ty),
        }
    }

    /// Returns the type that an expression in the position of a function names.
    fn conversion(&self, place: &Place, ty: &Expr) -> Found {
        match ty {
            Expr::Name(name) => self.concrete(&place.ty(&named(None, name))),
            Expr::Select(of, name) => match &**of {
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
            Err(format!("what {name} returns is not followed"))
        }
    }

    /// Returns a result of a function: its type, or the types of its `return` statements if that is
    /// an interface.
    fn result(&self, place: &Place, index: usize, depth: usize) -> Found {
        let function = place.function().ok_or("a function is missing")?;
        let results = &function.signature.results;
        let ty = results
            .get(index)
            .ok_or("a function returns less than is taken")?;
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
            return Err(format!("what {name} returns is not followed"));
        };
        let Named::Declared(declared) = self.find(&ty, qualifier.as_deref(), receiver)? else {
            return Err(format!("what {name} returns is not followed"));
        };
        let mut all = Types::default();
        let mut found = false;
        for (package, file, decl) in declared {
            let decl = package
                .files
                .get(file)
                .and_then(|file| file.types.get(decl));
            let Some(decl) = decl.filter(|decl| !decl.alias) else {
                return Err(format!("what {name} returns is not followed"));
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
            Err(format!("what {name} returns is not followed"))
        }
    }
}

fn named(qualifier: Option<&str>, name: &str) -> Type {
    Type::Named {
        qualifier: qualifier.map(str::to_owned),
        name: name.to_owned(),
    }
}

/// Returns the field name of an embedded type.
fn embedded_name(ty: &Type) -> Option<&str> {
    match ty {
        Type::Pointer(to) => embedded_name(to),
        Type::Named { name, .. } => Some(name),
        _ => None,
    }
}

fn to_pointers(mut types: Types) -> Types {
    for one in &mut types.concrete {
        one.ty = std::mem::replace(&mut one.ty, Type::Unknown).pointer();
    }
    types
}
