//! Declarations that were removed from a file or package.

use std::collections::{BTreeSet, HashSet};

use super::super::sink::RuleRun;
use crate::report::finding::Location;
use nri_schema::Schema;
use nri_schema::schema::{Declaration, File, Id};

/// A kind of declaration: its noun, and how to list it.
pub(in crate::diff) struct DeclarationKind(&'static str, fn(&Schema) -> Vec<&Id>);

pub(in crate::diff) const MESSAGE: DeclarationKind =
    DeclarationKind("message", |schema| ids(&schema.messages));
pub(in crate::diff) const ENUM: DeclarationKind =
    DeclarationKind("enum", |schema| ids(&schema.enums));
pub(in crate::diff) const EXTENSION: DeclarationKind =
    DeclarationKind("extension", |schema| ids(&schema.extensions));
pub(in crate::diff) const SERVICE: DeclarationKind =
    DeclarationKind("service", |schema| ids(&schema.services));

fn ids<T: Declaration>(all: &[T]) -> Vec<&Id> {
    all.iter().map(Declaration::id).collect()
}

pub(in crate::diff) fn file(run: &mut RuleRun<'_>) {
    let pairs = run.pairs;
    for File { name, .. } in
        pairs.from.files.iter().filter(|file| pairs.to.file(&file.name).is_none())
    {
        run.sink.add(None, name, format!("file {name:?} was deleted"));
    }
}

pub(in crate::diff) fn package(run: &mut RuleRun<'_>) {
    for package in packages(run.pairs.from).difference(&packages(run.pairs.to)) {
        let message = format!("package {package:?} was deleted");
        run.sink.add(None, package, message);
    }
}

fn packages(schema: &Schema) -> BTreeSet<&str> {
    schema.files.iter().map(|file| file.package.as_str()).collect()
}

/// Returns the packages to check. buf checks a package only if it still declares something of the
/// kind, or for services, only if it exists.
fn packages_with<'a>(kind: &DeclarationKind, schema: &'a Schema) -> BTreeSet<&'a str> {
    if kind.0 == SERVICE.0 {
        return packages(schema);
    }
    let files = (kind.1)(schema).into_iter().map(|id| schema.file_of(id));
    files.map(|file| file.package.as_str()).collect()
}

/// Reports what was removed from a file.
pub(in crate::diff) fn of_file(run: &mut RuleRun<'_>, kind: &DeclarationKind) {
    let to = run.pairs.to;
    for id in gone(run, kind, |file| &file.name) {
        if let Some(file) = to.file(&run.pairs.from.file_of(id).name) {
            let message = format!("{} {:?} was deleted from its file", kind.0, id.nested());
            run.sink.add(Some(place_in_file(to, file, id)), &id.full, message);
        }
    }
}

/// Reports what was removed from a package.
pub(in crate::diff) fn of_package(run: &mut RuleRun<'_>, kind: &DeclarationKind) {
    let to = run.pairs.to;
    let packages = packages_with(kind, to);
    for id in gone(run, kind, |file| &file.package) {
        let File { package, name, .. } = run.pairs.from.file_of(id);
        if packages.contains(package.as_str()) {
            // buf looks for the remains of a message in its package, and for those of anything else
            // in its file.
            let place = to.file(name).map(|file| {
                if kind.0 == MESSAGE.0 {
                    let is_in_package = |other: &File| other.package == *package;
                    last_known_place(to, file, package, id.nested(), is_in_package)
                } else {
                    place_in_file(to, file, id)
                }
            });
            let (noun, nested) = (kind.0, id.nested());
            let message = format!("{noun} {nested:?} was deleted from package {package:?}");
            run.sink.add(place, &id.full, message);
        }
    }
}

/// Returns the declarations of which the later side has none with the same name in the same scope,
/// which is a part of the file.
fn gone<'a>(run: &RuleRun<'a>, kind: &DeclarationKind, scope: fn(&File) -> &str) -> Vec<&'a Id> {
    let (from, to) = (run.pairs.from, run.pairs.to);
    let kept: HashSet<_> =
        (kind.1)(to).into_iter().map(|id| (scope(to.file_of(id)), id.nested())).collect();
    let mut all = (kind.1)(from);
    all.retain(|id| !kept.contains(&(scope(from.file_of(id)), id.nested())));
    all
}

/// Looks for remains in the same file.
fn place_in_file(schema: &Schema, file: &File, id: &Id) -> Location {
    let is_same = |other: &File| std::ptr::eq(other, file);
    last_known_place(schema, file, &file.package, id.nested(), is_same)
}

/// Returns the place of something nested that was removed: the innermost enclosing message that
/// still exists, else the start of the file. `package` and `accepts` restrict which messages count.
fn last_known_place(
    schema: &Schema,
    file: &File,
    package: &str,
    nested: &str,
    accepts: impl Fn(&File) -> bool,
) -> Location {
    let mut around = nested;
    while let Some((outer, _)) = around.rsplit_once('.') {
        let full = format!("{package}.{outer}");
        let message = schema.message(full.trim_start_matches('.'));
        let is_outer = |id: &&Id| id.nested() == outer && accepts(schema.file_of(id));
        if let Some(id) = message.map(|message| &message.id).filter(is_outer) {
            let start = || schema.file_of(id).start();
            return schema.declared(id).unwrap_or_else(start);
        }
        around = outer;
    }
    file.start()
}
