//! Declarations that were removed from a file or package.

use std::collections::{BTreeSet, HashSet};

use super::super::pairs::Pairs;
use super::super::schema::Schema;
use super::super::schema::element::{File, Id};
use super::super::schema::start_of;
use super::super::sink::Sink;
use crate::report::finding::Location;

/// A kind of declaration: its noun, and how to list it.
struct DeclarationKind {
    noun: &'static str,
    list: fn(&Schema) -> Vec<&Id>,
}

const MESSAGE: DeclarationKind = DeclarationKind {
    noun: "message",
    list: |schema| schema.messages.iter().map(|it| &it.id).collect(),
};
const ENUM: DeclarationKind = DeclarationKind {
    noun: "enum",
    list: |schema| schema.enums.iter().map(|it| &it.id).collect(),
};
const EXTENSION: DeclarationKind = DeclarationKind {
    noun: "extension",
    list: |schema| schema.extensions.iter().map(|it| &it.id).collect(),
};
const SERVICE: DeclarationKind = DeclarationKind {
    noun: "service",
    list: |schema| schema.services.iter().map(|it| &it.id).collect(),
};

pub(in super::super) fn file(pairs: &Pairs<'_>, sink: &mut Sink) {
    for file in pairs
        .from
        .files
        .iter()
        .filter(|file| pairs.to.file(&file.name).is_none())
    {
        sink.add(
            None,
            &file.name,
            format!("file {:?} was deleted", file.name),
        );
    }
}

pub(in super::super) fn package(pairs: &Pairs<'_>, sink: &mut Sink) {
    for package in packages(pairs.from).difference(&packages(pairs.to)) {
        sink.add(None, package, format!("package {package:?} was deleted"));
    }
}

fn packages(schema: &Schema) -> BTreeSet<&str> {
    schema
        .files
        .iter()
        .map(|file| file.package.as_str())
        .collect()
}

pub(in super::super) fn message_of_file(pairs: &Pairs<'_>, sink: &mut Sink) {
    of_file(&MESSAGE, pairs, sink);
}

pub(in super::super) fn enum_of_file(pairs: &Pairs<'_>, sink: &mut Sink) {
    of_file(&ENUM, pairs, sink);
}

pub(in super::super) fn extension_of_file(pairs: &Pairs<'_>, sink: &mut Sink) {
    of_file(&EXTENSION, pairs, sink);
}

pub(in super::super) fn service_of_file(pairs: &Pairs<'_>, sink: &mut Sink) {
    of_file(&SERVICE, pairs, sink);
}

pub(in super::super) fn message_of_package(pairs: &Pairs<'_>, sink: &mut Sink) {
    of_package(&MESSAGE, pairs, sink, &packages_with(&MESSAGE, pairs.to));
}

pub(in super::super) fn enum_of_package(pairs: &Pairs<'_>, sink: &mut Sink) {
    of_package(&ENUM, pairs, sink, &packages_with(&ENUM, pairs.to));
}

pub(in super::super) fn extension_of_package(pairs: &Pairs<'_>, sink: &mut Sink) {
    of_package(
        &EXTENSION,
        pairs,
        sink,
        &packages_with(&EXTENSION, pairs.to),
    );
}

pub(in super::super) fn service_of_package(pairs: &Pairs<'_>, sink: &mut Sink) {
    of_package(&SERVICE, pairs, sink, &packages(pairs.to));
}

/// Returns the packages to check. buf checks a package only if it still declares something of the
/// kind, or for services, only if it exists.
fn packages_with<'a>(kind: &DeclarationKind, schema: &'a Schema) -> BTreeSet<&'a str> {
    let ids = (kind.list)(schema);
    ids.into_iter()
        .map(|id| schema.file_of(id).package.as_str())
        .collect()
}

fn of_file(kind: &DeclarationKind, pairs: &Pairs<'_>, sink: &mut Sink) {
    let key = |schema: &Schema, id: &Id| (schema.file_of(id).name.clone(), id.nested().to_owned());
    let kept: HashSet<_> = (kind.list)(pairs.to)
        .into_iter()
        .map(|id| key(pairs.to, id))
        .collect();
    for id in (kind.list)(pairs.from) {
        let Some(file) = pairs.to.file(&pairs.from.file_of(id).name) else {
            continue;
        };
        if !kept.contains(&key(pairs.from, id)) {
            let message = format!("{} {:?} was deleted from its file", kind.noun, id.nested());
            sink.add(
                Some(place_in_file(pairs.to, file, id.nested())),
                &id.full,
                message,
            );
        }
    }
}

fn of_package(
    kind: &DeclarationKind,
    pairs: &Pairs<'_>,
    sink: &mut Sink,
    packages: &BTreeSet<&str>,
) {
    let key =
        |schema: &Schema, id: &Id| (schema.file_of(id).package.clone(), id.nested().to_owned());
    let kept: HashSet<_> = (kind.list)(pairs.to)
        .into_iter()
        .map(|id| key(pairs.to, id))
        .collect();
    for id in (kind.list)(pairs.from) {
        let File { package, name, .. } = pairs.from.file_of(id);
        if packages.contains(package.as_str()) && !kept.contains(&key(pairs.from, id)) {
            // buf looks for the remains of a message in its package, and for those of anything else
            // in its file.
            let place = pairs.to.file(name).map(|file| match kind.noun {
                "message" => place_in_package(pairs.to, file, id.nested(), package),
                _ => place_in_file(pairs.to, file, id.nested()),
            });
            let message = format!(
                "{} {:?} was deleted from package {package:?}",
                kind.noun,
                id.nested()
            );
            sink.add(place, &id.full, message);
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
            return schema.declared(id).unwrap_or_else(|| schema.file_start(id));
        }
        around = outer;
    }
    start_of(file)
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
