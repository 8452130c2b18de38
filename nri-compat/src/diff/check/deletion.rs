//! Declarations that were removed from a file or package.

use std::collections::{BTreeSet, HashSet};

use super::super::sink::Run;
use crate::report::finding::Location;
use nri_schema::Schema;
use nri_schema::schema::{File, Id};

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

pub(in crate::diff) fn message_of_file(run: &mut Run<'_>) {
    of_file(run, &MESSAGE);
}

pub(in crate::diff) fn enum_of_file(run: &mut Run<'_>) {
    of_file(run, &ENUM);
}

pub(in crate::diff) fn extension_of_file(run: &mut Run<'_>) {
    of_file(run, &EXTENSION);
}

pub(in crate::diff) fn service_of_file(run: &mut Run<'_>) {
    of_file(run, &SERVICE);
}

pub(in crate::diff) fn message_of_package(run: &mut Run<'_>) {
    of_package(run, &MESSAGE, &packages_with(&MESSAGE, run.pairs.to));
}

pub(in crate::diff) fn enum_of_package(run: &mut Run<'_>) {
    of_package(run, &ENUM, &packages_with(&ENUM, run.pairs.to));
}

pub(in crate::diff) fn extension_of_package(run: &mut Run<'_>) {
    of_package(run, &EXTENSION, &packages_with(&EXTENSION, run.pairs.to));
}

pub(in crate::diff) fn service_of_package(run: &mut Run<'_>) {
    of_package(run, &SERVICE, &packages(run.pairs.to));
}

/// Returns the packages to check. buf checks a package only if it still declares something of the
/// kind, or for services, only if it exists.
fn packages_with<'a>(kind: &DeclarationKind, schema: &'a Schema) -> BTreeSet<&'a str> {
    let ids = (kind.list)(schema);
    ids.into_iter()
        .map(|id| schema.file_of(id).package.as_str())
        .collect()
}

fn of_file(run: &mut Run<'_>, kind: &DeclarationKind) {
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

fn of_package(run: &mut Run<'_>, kind: &DeclarationKind, packages: &BTreeSet<&str>) {
    let pairs = run.pairs;
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
