//! Declarations that were removed from a file or package.

use std::collections::{BTreeSet, HashSet};

use super::super::sink::Run;
use crate::report::finding::Location;
use nri_schema::Schema;
use nri_schema::schema::{Declaration, File, Id};

/// A kind of declaration: its noun, and how to list it.
pub(in crate::diff) struct Kind {
    noun: &'static str,
    list: fn(&Schema) -> Vec<&Id>,
}

impl Kind {
    const fn new(noun: &'static str, list: fn(&Schema) -> Vec<&Id>) -> Self {
        Self { noun, list }
    }
}

pub(in crate::diff) const MESSAGE: Kind = Kind::new("message", |schema| ids(&schema.messages));
pub(in crate::diff) const ENUM: Kind = Kind::new("enum", |schema| ids(&schema.enums));
pub(in crate::diff) const EXTENSION: Kind =
    Kind::new("extension", |schema| ids(&schema.extensions));
pub(in crate::diff) const SERVICE: Kind = Kind::new("service", |schema| ids(&schema.services));

fn ids<T: Declaration>(all: &[T]) -> Vec<&Id> {
    all.iter().map(Declaration::id).collect()
}

pub(in crate::diff) fn file(run: &mut Run<'_>) {
    let pairs = run.pairs;
    let files = pairs.from.files.iter();
    for File { name, .. } in files.filter(|file| pairs.to.file(&file.name).is_none()) {
        (run.sink).add(None, name, format!("file {name:?} was deleted"));
    }
}

pub(in crate::diff) fn package(run: &mut Run<'_>) {
    for package in packages(run.pairs.from).difference(&packages(run.pairs.to)) {
        let message = format!("package {package:?} was deleted");
        run.sink.add(None, package, message);
    }
}

fn packages(schema: &Schema) -> BTreeSet<&str> {
    schema
        .files
        .iter()
        .map(|file| file.package.as_str())
        .collect()
}

/// Returns the packages to check. buf checks a package only if it still declares something of the
/// kind, or for services, only if it exists.
fn packages_with<'a>(kind: &Kind, schema: &'a Schema) -> BTreeSet<&'a str> {
    if kind.noun == SERVICE.noun {
        return packages(schema);
    }
    let ids = (kind.list)(schema);
    ids.into_iter()
        .map(|id| schema.file_of(id).package.as_str())
        .collect()
}

/// Reports what was removed from a file.
pub(in crate::diff) fn of_file(run: &mut Run<'_>, kind: &Kind) {
    let pairs = run.pairs;
    let key = |schema: &Schema, id: &Id| (schema.file_of(id).name.clone(), id.nested().to_owned());
    let kept = (kind.list)(pairs.to).into_iter();
    let kept: HashSet<_> = kept.map(|id| key(pairs.to, id)).collect();
    for id in (kind.list)(pairs.from) {
        let Some(file) = pairs.to.file(&pairs.from.file_of(id).name) else {
            continue;
        };
        if !kept.contains(&key(pairs.from, id)) {
            let message = format!("{} {:?} was deleted from its file", kind.noun, id.nested());
            let place = place_in_file(pairs.to, file, id.nested());
            run.sink.add(Some(place), &id.full, message);
        }
    }
}

/// Reports what was removed from a package.
pub(in crate::diff) fn of_package(run: &mut Run<'_>, kind: &Kind) {
    let pairs = run.pairs;
    let packages = packages_with(kind, pairs.to);
    let key =
        |schema: &Schema, id: &Id| (schema.file_of(id).package.clone(), id.nested().to_owned());
    let kept = (kind.list)(pairs.to).into_iter();
    let kept: HashSet<_> = kept.map(|id| key(pairs.to, id)).collect();
    for id in (kind.list)(pairs.from) {
        let File { package, name, .. } = pairs.from.file_of(id);
        if packages.contains(package.as_str()) && !kept.contains(&key(pairs.from, id)) {
            // buf looks for the remains of a message in its package, and for those of anything else
            // in its file.
            let place = pairs.to.file(name).map(|file| match kind.noun {
                "message" => place_in_package(pairs.to, file, id.nested(), package),
                _ => place_in_file(pairs.to, file, id.nested()),
            });
            let (noun, nested) = (kind.noun, id.nested());
            let message = format!("{noun} {nested:?} was deleted from package {package:?}");
            run.sink.add(place, &id.full, message);
        }
    }
}

/// Returns the place of something nested that was removed: the innermost enclosing message that
/// still exists, else the start of the file. `package` and `accepts` restrict which messages count.
fn last_known_place(
    schema: &Schema,
    file: &File,
    nested: &str,
    package: &str,
    accepts: impl Fn(&Id) -> bool,
) -> Location {
    let mut around = nested;
    while let Some((outer, _)) = around.rsplit_once('.') {
        let message = schema
            .message(&full_name(package, outer))
            .map(|message| &message.id);
        if let Some(id) = message.filter(|id| id.nested() == outer && accepts(id)) {
            return schema
                .declared(id)
                .unwrap_or_else(|| schema.file_of(id).start());
        }
        around = outer;
    }
    file.start()
}

fn full_name(package: &str, nested: &str) -> String {
    if package.is_empty() {
        nested.to_owned()
    } else {
        format!("{package}.{nested}")
    }
}

/// Looks for remains in the same file.
fn place_in_file(schema: &Schema, file: &File, nested: &str) -> Location {
    last_known_place(schema, file, nested, &file.package, |id| {
        std::ptr::eq(schema.file_of(id), file)
    })
}

/// Looks for remains in all files of the package.
fn place_in_package(schema: &Schema, file: &File, nested: &str, package: &str) -> Location {
    last_known_place(schema, file, nested, package, |id| {
        schema.file_of(id).package == package
    })
}
