//! Types of values, followed through variables, fields and functions.

use std::rc::Rc;

use super::super::syntax::{Binding, Expr, Function, Type, Value};
use super::super::world::{Destination, Package, qualified};
use super::names::Named;
use super::{Resolver, TypeRef};

/// The maximum number of expressions that are followed one after another.
pub(super) const MAX_DEPTH: usize = 40;

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
    pub(super) interface: bool,
}

impl Types {
    pub(super) fn add(&mut self, other: Self) {
        self.concrete.extend(other.concrete);
        self.interface |= other.interface;
    }
}

pub(super) type Found = Result<Types, String>;

impl Place {
    pub(super) fn function(&self) -> Option<&Function> {
        self.package.files.get(self.file)?.functions.get(self.body)
    }

    pub(super) fn bindings(&self, name: &str) -> &[Binding] {
        self.function()
            .and_then(|function| function.bindings.get(name))
            .map_or(&[], Vec::as_slice)
    }

    pub(super) fn ty(&self, ty: &Type) -> TypeRef {
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
            return Err("the value passes through too many expressions to be followed".to_owned());
        }
        match expr {
            Expr::Name(name) => self.name(place, name, depth),
            Expr::Nil if self.is_local(place, "nil") => {
                Err("a variable called nil is not followed".to_owned())
            }
            Expr::Nil => Ok(Types::default()),
            Expr::Select(of, field) => self.select(place, of, field, depth),
            Expr::Composite(ty) => self.concrete(&place.ty(ty)),
            Expr::New(ty) => self.new_value(place, ty, depth).map(to_pointers),
            Expr::Assert(ty) => self.concrete(&place.ty(ty)),
            Expr::Call { callee, first } => self.call(place, callee, first.as_deref(), 0, depth),
            Expr::Address(of) => self.infer(place, of, depth + 1).map(to_pointers),
            Expr::Deref(of) => self.dereferenced(self.infer(place, of, depth + 1)?),
            Expr::Index(_) | Expr::Unknown => {
                Err("cannot determine the type of the value passed to stub.New".to_owned())
            }
        }
    }

    /// Returns the type of what `new` points to: its operand is a type, or since Go 1.26 a value,
    /// which may have the name of a type.
    fn new_value(&self, place: &Place, of: &Type, depth: usize) -> Found {
        let mut functions = place.package.files.iter().flat_map(|file| &file.functions);
        let is_hidden =
            functions.any(|function| function.name == "new") || self.is_local(place, "new");
        if is_hidden {
            return Err("a function called new is not followed".to_owned());
        }
        match (variable(of), of) {
            (
                Some(name),
                Type::Named {
                    qualifier: None, ..
                },
            ) if self.is_local(place, name) => {
                let types = self.name(place, name, depth + 1)?;
                if types.interface {
                    // Something else can be stored in what it points to.
                    return Err(format!("a copy of {name} is not followed"));
                }
                Ok(types)
            }
            (Some(name), _) if self.is_local(place, name) => {
                Err(format!("the value of {name} is not followed"))
            }
            (Some(_) | None, _) => self.concrete(&place.ty(of)),
        }
    }

    /// Returns true if a name stands for a variable at this place.
    pub(super) fn is_local(&self, place: &Place, name: &str) -> bool {
        !place.bindings(name).is_empty() || self.is_captured(place, name)
    }

    /// The values that pointers point to. Types declared as pointers are not followed.
    fn dereferenced(&self, mut types: Types) -> Found {
        for one in &mut types.concrete {
            let Type::Pointer(to) = &one.ty else {
                return Err(format!(
                    "what {} points to is not followed",
                    self.describe(one)
                ));
            };
            one.ty = (**to).clone();
        }
        Ok(types)
    }

    /// Returns the type itself, unless it is an interface, which does not determine the type of the
    /// value.
    pub(super) fn concrete(&self, ty: &TypeRef) -> Found {
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

    pub(super) fn is_interface(&self, of: &TypeRef, depth: usize) -> Result<bool, String> {
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
                Binding::NotFollowed => return Err(format!("the value of {name} is not followed")),
            }
        }
        // The name may be a local one in some scopes of the function only.
        if self.is_captured(place, name) {
            all.add(self.variable(&place.package, name, depth)?);
        }
        if all.interface {
            if escapes {
                return Err(format!("the value of {name} is not followed"));
            }
            for value in assigned {
                all.add(self.value(place, value, depth + 1)?);
            }
        }
        if all.concrete.is_empty() {
            return Err(format!("the value of {name} is not followed"));
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
    pub(super) fn variable(&self, package: &Rc<Package>, name: &str, depth: usize) -> Found {
        self.whole(package)?;
        self.is_of_one_kind(package, name)?;
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
                    (None, None) => return Err(format!("the value of {name} is not followed")),
                });
            }
        }
        if !found || all.interface {
            return Err(format!("the value of {name} is not followed"));
        }
        Ok(all)
    }

    pub(super) fn value(&self, place: &Place, value: &Value, depth: usize) -> Found {
        match &value.expr {
            Expr::Call { callee, first } => {
                self.call(place, callee, first.as_deref(), value.index, depth)
            }
            expr if value.index == 0 => self.infer(place, expr, depth),
            _ => Err("one of several values, which is not followed".to_owned()),
        }
    }

    /// Returns an error if parts of a package may be missing.
    pub(super) fn whole(&self, package: &Package) -> Result<(), String> {
        match &package.incomplete {
            Some(why) => Err(format!("{}: {why}", self.shown(&package.folder))),
            None => Ok(()),
        }
    }

    /// Returns the package of a qualifier, unless a variable has the same name.
    pub(super) fn package_of(
        &self,
        place: &Place,
        expr: &Expr,
    ) -> Result<Option<Rc<Package>>, String> {
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
                "a value comes from {}, which is not available",
                import.path
            )),
        }
    }
}

/// Returns the variable that is used if what was read as a type is a value: `a`, `a.b`, `*a`.
fn variable(of: &Type) -> Option<&str> {
    match of {
        Type::Pointer(to) => variable(to),
        Type::Named { qualifier, name } => Some(qualifier.as_deref().unwrap_or(name)),
        Type::Struct { .. }
        | Type::Interface { .. }
        | Type::Container(_)
        | Type::Function
        | Type::Unknown => None,
    }
}

pub(super) fn to_pointers(mut types: Types) -> Types {
    for one in &mut types.concrete {
        one.ty = std::mem::replace(&mut one.ty, Type::Unknown).pointer();
    }
    types
}
