//! Fields of values, promoted ones included, and variables of other packages.

use std::rc::Rc;

use super::super::syntax::{Expr, Type};
use super::names::Named;
use super::values::{Found, MAX_DEPTH, Place, Types};
use super::{Resolver, TypeRef};

/// A field, with the number of embedded types that it is promoted through; `None` if there is none.
type FieldFound = Result<Option<(usize, TypeRef)>, String>;

impl Resolver<'_, '_> {
    pub(super) fn select(&self, place: &Place, of: &Expr, field: &str, depth: usize) -> Found {
        if let Some(package) = self.package_of(place, of)? {
            return self.variable(&package, field, depth + 1);
        }
        let mut all = Types::default();
        for ty in self.infer(place, of, depth + 1)?.concrete {
            let found = self.field(&ty, field, 0)?;
            let (_, found) =
                found.ok_or_else(|| format!("the value of {field} is not followed"))?;
            all.add(self.concrete(&found)?);
        }
        Ok(all)
    }

    /// Returns the type of a field, and the number of types that it is promoted through. The
    /// shallowest field hides all others.
    fn field(&self, of: &TypeRef, field: &str, depth: usize) -> FieldFound {
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
                    return Ok(Some((0, with(ty))));
                }
                for ty in embedded {
                    if embedded_name(ty) == Some(field) {
                        return Ok(Some((0, with(ty))));
                    }
                }
                self.promoted(embedded.iter().map(with), field, depth)
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

    /// Returns the shallowest field of embedded types.
    fn promoted(
        &self,
        embedded: impl Iterator<Item = TypeRef>,
        field: &str,
        depth: usize,
    ) -> FieldFound {
        let (mut shallowest, mut missing) = (None, None);
        for ty in embedded {
            match self.field(&ty, field, depth + 1) {
                Err(why) => missing = Some(why),
                Ok(None) => {}
                Ok(Some((0, found))) => return Ok(Some((1, found))),
                Ok(Some((level, found))) => {
                    if shallowest
                        .as_ref()
                        .is_none_or(|(least, _)| level + 1 < *least)
                    {
                        shallowest = Some((level + 1, found));
                    }
                }
            }
        }
        // A type that is not available may have a shallower field.
        missing.map_or(Ok(shallowest), Err)
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
