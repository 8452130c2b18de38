//! The types of fields: which enums they may have, and which options.

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Syntax};
use prost_types::field_options::JsType;

use super::Broken;

pub(super) fn broken(message: &MessageDescriptor) -> Vec<Broken> {
    let fields = message.fields();
    fields
        .filter_map(|field| {
            let fact =
                closed_enum(&field).or_else(|| map_of_enum(&field)).or_else(|| option(&field))?;
            Some(Broken::at(field.path().to_vec(), fact))
        })
        .collect()
}

/// A closed enum has no room for values that its reader does not know, which proto3 promises to
/// keep.
fn closed_enum(field: &FieldDescriptor) -> Option<String> {
    let found = enum_of(field).filter(|found| found.parent_file().syntax() == Syntax::Proto2)?;
    let is_open = field.parent_file().syntax() == Syntax::Proto3;
    is_open.then(|| {
        let (field, found) = (field.full_name(), found.full_name());
        format!("`{field}` is a field of proto3, and cannot have the enum `{found}` of proto2")
    })
}

/// Returns the enum of a field, or of the values of a map.
fn enum_of(field: &FieldDescriptor) -> Option<EnumDescriptor> {
    match field.kind() {
        Kind::Enum(found) => Some(found),
        Kind::Message(entry) if entry.is_map_entry() => {
            entry.map_entry_value_field().kind().as_enum().cloned()
        }
        _ => None,
    }
}

/// A missing value of a map entry means the number 0.
fn map_of_enum(field: &FieldDescriptor) -> Option<String> {
    let found = enum_of(field).filter(|_| field.is_map())?;
    let first = found.values().next()?;
    (first.number() != 0).then(|| {
        let found = found.full_name();
        format!("the enum `{found}` of a map's values must have 0 as the number of its first value")
    })
}

/// Returns why an option does not fit the type of the field.
fn option(field: &FieldDescriptor) -> Option<String> {
    let options = field.field_descriptor_proto().options.as_ref()?;
    let name = field.full_name();
    let is_long = matches!(
        field.kind(),
        Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64
    );
    let is_number = !matches!(field.kind(), Kind::String | Kind::Bytes | Kind::Message(_));
    if options.packed() && !(field.is_list() && is_number) {
        return Some(format!("`{name}` is not a repeated number, and cannot be packed"));
    }
    if options.lazy() && field.kind().as_message().is_none() {
        return Some(format!("`{name}` is not a message, and cannot be lazy"));
    }
    if options.jstype() != JsType::JsNormal && !is_long {
        return Some(format!("`{name}` is not a 64-bit integer, and cannot have a `jstype`"));
    }
    None
}
