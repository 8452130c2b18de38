//! Source info in the form that prost-build needs: an entry per declaration, with comments that are
//! safe in rustdoc.

use std::collections::HashMap;

use prost_types::source_code_info::Location;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, SourceCodeInfo};

use super::docs;
use super::place::{Place, Step};

/// Characters that prost-build rewrites in comments, each with a private replacement that it does
/// not rewrite.
const HIDDEN: [(&str, &str); 3] = [("[", "\u{e000}"), ("]", "\u{e001}"), ("://", "\u{e002}")];

/// Restores the hidden characters in the generated source.
pub(super) fn plain(source: &str) -> String {
    HIDDEN.iter().fold(source.to_owned(), |source, (sign, stand_in)| source.replace(stand_in, sign))
}

/// Gives every declaration an entry, because prost-build panics if one is missing.
pub(super) fn complete(file: &mut FileDescriptorProto) {
    let info = file.source_code_info.take().unwrap_or_default();
    let known: HashMap<Vec<i32>, Location> =
        info.location.into_iter().map(|location| (location.path.clone(), location)).collect();
    let mut paths = vec![Place::new(file).package().path().to_vec()];
    paths.extend(declarations(file));
    let entry = |path: Vec<i32>| match known.get(&path) {
        Some(location) => with_docs(location.clone()),
        None => Location { path, ..Location::default() },
    };
    let location = paths.into_iter().map(entry).collect();
    file.source_code_info = Some(SourceCodeInfo { location });
}

fn with_docs(mut location: Location) -> Location {
    // Detached comments belong to nothing that is generated.
    location.leading_detached_comments.clear();
    for comment in [&mut location.leading_comments, &mut location.trailing_comments] {
        *comment = comment.as_deref().map(hidden);
    }
    location
}

fn hidden(comment: &str) -> String {
    let lines = comment.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    let markdown = docs::markdown(&lines.collect::<Vec<_>>().join("\n"));
    HIDDEN.iter().fold(markdown, |text, (sign, stand_in)| text.replace(sign, stand_in))
}

/// Returns paths of all declarations of a file.
fn declarations(file: &FileDescriptorProto) -> Vec<Vec<i32>> {
    let place = Place::new(file);
    let mut paths = Vec::new();
    for (index, found) in file.message_type.iter().enumerate() {
        message(found, &place.step(Step::FileMessage, index), &mut paths);
    }
    for (index, found) in file.enum_type.iter().enumerate() {
        enumeration(found, &place.step(Step::FileEnum, index), &mut paths);
    }
    for (index, service) in file.service.iter().enumerate() {
        let place = place.step(Step::Service, index);
        paths.push(place.path().to_vec());
        steps(&place, Step::Rpc, service.method.len(), &mut paths);
    }
    paths
}

fn message(message: &DescriptorProto, place: &Place<'_>, paths: &mut Vec<Vec<i32>>) {
    paths.push(place.path().to_vec());
    steps(place, Step::Field, message.field.len(), paths);
    steps(place, Step::Oneof, message.oneof_decl.len(), paths);
    for (index, nested) in message.nested_type.iter().enumerate() {
        self::message(nested, &place.step(Step::Nested, index), paths);
    }
    for (index, nested) in message.enum_type.iter().enumerate() {
        enumeration(nested, &place.step(Step::NestedEnum, index), paths);
    }
}

fn enumeration(declared: &EnumDescriptorProto, place: &Place<'_>, paths: &mut Vec<Vec<i32>>) {
    paths.push(place.path().to_vec());
    steps(place, Step::EnumValue, declared.value.len(), paths);
}

fn steps(place: &Place<'_>, step: Step, count: usize, paths: &mut Vec<Vec<i32>>) {
    paths.extend((0..count).map(|index| place.step(step, index).path().to_vec()));
}
