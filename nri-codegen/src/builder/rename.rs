//! Messages and enums under other names in Rust. Names are not sent on the wire, so they are
//! renamed in the descriptors.

use std::collections::BTreeMap;

use prost_types::{DescriptorProto, FileDescriptorProto, FileDescriptorSet};

use nri_schema::compile::Compiled;
use nri_schema::{Error, ErrorKind, Problem};

/// Returns the schema with these messages and enums renamed, each from a name (`Status`) or a full
/// name with a leading dot (`.example.v1.Status`), and marks in `used` which of them it has.
pub(super) fn apply(
    compiled: Compiled,
    renames: &[(String, String)],
    used: &mut [bool],
) -> Result<Compiled, Error> {
    let mut files = compiled.descriptor_set().file;
    let mut names = BTreeMap::new();
    for ((from, to), is_used) in renames.iter().zip(used) {
        for declared in files.iter().flat_map(declared) {
            let (scope, name) = declared.rsplit_once('.').unwrap_or(("", &declared));
            if declared == *from || name == from {
                names.insert(declared.clone(), format!("{scope}.{to}"));
                *is_used = true;
            }
        }
    }
    if names.is_empty() {
        return Ok(compiled);
    }
    files.iter_mut().for_each(|file| in_file(file, &names));
    let set = FileDescriptorSet { file: files };
    compiled.with_descriptors(set).map_err(|error| {
        Problem::new(ErrorKind::Option, "the schema is not valid after `rename`")
            .caused_by(error)
            .into()
    })
}

/// Returns a problem for each name that no schema has, or that is not a name in protobuf.
pub(super) fn problems(renames: &[(String, String)], used: &[bool]) -> Vec<Problem> {
    renames
        .iter()
        .zip(used)
        .filter_map(|((from, to), is_used)| {
            let fact = if !is_name(to) {
                format!("`{to}` in `rename(\"{from}\", \"{to}\")` is not a name in protobuf")
            } else if !is_used {
                format!(
                    "`rename(\"{from}\", \"{to}\")` names no message or enum at the top of a file"
                )
            } else {
                return None;
            };
            Some(Problem::new(ErrorKind::Option, fact))
        })
        .collect()
}

fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Returns the full names of the messages and enums at the top of a file, with a leading dot.
fn declared(file: &FileDescriptorProto) -> Vec<String> {
    let messages = file.message_type.iter().map(|message| message.name());
    let names = messages.chain(file.enum_type.iter().map(|declared| declared.name()));
    names.map(|name| full_name(file, name)).collect()
}

fn full_name(file: &FileDescriptorProto, name: &str) -> String {
    match file.package() {
        "" => format!(".{name}"),
        package => format!(".{package}.{name}"),
    }
}

fn in_file(file: &mut FileDescriptorProto, names: &BTreeMap<String, String>) {
    let package = match file.package() {
        "" => String::new(),
        package => format!(".{package}"),
    };
    let own = |name: &mut Option<String>| {
        let known = names.get(&format!("{package}.{}", name.as_deref().unwrap_or_default()));
        if let Some(new) = known.and_then(|new| new.rsplit('.').next()) {
            *name = Some(new.to_owned());
        }
    };
    file.message_type.iter_mut().for_each(|message| own(&mut message.name));
    file.enum_type.iter_mut().for_each(|declared| own(&mut declared.name));
    file.message_type.iter_mut().for_each(|message| in_message(message, names));
    for extension in &mut file.extension {
        reference(&mut extension.type_name, names);
        reference(&mut extension.extendee, names);
    }
    for rpc in file.service.iter_mut().flat_map(|service| &mut service.method) {
        reference(&mut rpc.input_type, names);
        reference(&mut rpc.output_type, names);
    }
}

fn in_message(message: &mut DescriptorProto, names: &BTreeMap<String, String>) {
    for field in message.field.iter_mut().chain(&mut message.extension) {
        reference(&mut field.type_name, names);
        reference(&mut field.extendee, names);
    }
    message.nested_type.iter_mut().for_each(|nested| in_message(nested, names));
}

/// Renames a reference to a renamed type, or to one that is nested in it.
fn reference(name: &mut Option<String>, names: &BTreeMap<String, String>) {
    let Some(full) = name.as_deref() else { return };
    let renamed = names.iter().find_map(|(old, new)| {
        let rest = full.strip_prefix(old.as_str())?;
        (rest.is_empty() || rest.starts_with('.')).then(|| format!("{new}{rest}"))
    });
    *name = renamed.or_else(|| name.take());
}
