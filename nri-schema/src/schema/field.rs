//! Fields, and the oneofs that they are in.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::descriptor::{FieldProto, MessageProto, OneofProto};
use super::element::{Cardinality, FieldDescriptor, Id, Oneof, number};
use super::features::{Features, value};
use super::problem;
use super::scope::Scope;
use super::types::Types;
use crate::error::Error;

type Result<T> = std::result::Result<T, Error>;

/// Creates a field of the message called `owner`, or an extension of it; the caller fills in what
/// only the message knows.
pub(super) fn field(
    types: &Types,
    proto: FieldProto,
    owner: &Arc<str>,
    scope: &Scope<'_>,
    (tag, index): (i32, usize),
    oneofs: &[Oneof],
) -> Result<FieldDescriptor> {
    let id = scope.id(&proto.name, "field", tag, index)?;
    let options = proto.options.as_deref();
    let features = scope.features.with(options.and_then(|options| options.features.as_ref()));
    let type_name = without_dot(&proto.type_name);
    let Some((declared, is_map)) = types.of_field(&proto, &type_name) else {
        return Err(problem::no_type(&id.full, scope.file_name).into());
    };
    let oneof = oneof_of(&proto, oneofs, &id, scope)?;
    let delimited = declared == number::MESSAGE
        && features.message_encoding == value::ENCODING_DELIMITED
        && !is_map;
    Ok(FieldDescriptor {
        number: proto.number,
        label: proto.label,
        declared,
        kind: if delimited { number::GROUP } else { declared },
        cardinality: cardinality(&proto, declared, is_map, features),
        packed: is_packed(&proto, declared, features),
        oneof: oneof.filter(|oneof| !oneof.synthetic).map(|oneof| oneof.name.clone()),
        owner: Arc::clone(owner),
        is_extension: false,
        in_map_entry: false,
        ctype: options.and_then(|options| options.ctype),
        jstype: options.map_or(0, |options| options.jstype),
        json_name: proto.json_name,
        default_value: proto.default_value,
        type_name,
        features,
        id,
    })
}

/// Returns a type's name as elements have it.
pub(super) fn without_dot(name: &str) -> String {
    name.strip_prefix('.').unwrap_or(name).to_owned()
}

/// Adds the oneofs of a message. A proto3 `optional` is compiled to a oneof with one field, which
/// is not in the source.
pub(super) fn oneofs(proto: &mut MessageProto, scope: &Scope<'_>) -> Result<Vec<Oneof>> {
    let (mut members, mut optional) = (HashMap::<_, usize>::new(), HashSet::new());
    for (field, index) in proto.field.iter().filter_map(|field| Some((field, field.oneof_index?))) {
        *members.entry(index).or_default() += 1;
        if field.proto3_optional {
            optional.insert(index);
        }
    }
    let declared = (0..).zip(std::mem::take(&mut proto.oneof_decl));
    declared
        .map(|(index, OneofProto { name })| {
            if name.is_empty() {
                return Err(problem::unnamed("oneof", scope.file_name).into());
            }
            let synthetic = members.get(&index) == Some(&1) && optional.contains(&index);
            Ok(Oneof { name, synthetic })
        })
        .collect()
}

fn oneof_of<'a>(
    proto: &FieldProto,
    oneofs: &'a [Oneof],
    id: &Id,
    scope: &Scope<'_>,
) -> Result<Option<&'a Oneof>> {
    let Some(index) = proto.oneof_index else {
        return Ok(None);
    };
    let oneof = usize::try_from(index).ok().and_then(|index| oneofs.get(index));
    oneof.map(Some).ok_or_else(|| problem::no_oneof(&id.full, scope.file_name).into())
}

fn cardinality(proto: &FieldProto, declared: i32, is_map: bool, features: Features) -> Cardinality {
    let has_presence = || {
        let is_message = matches!(declared, number::MESSAGE | number::GROUP);
        let is_member = proto.oneof_index.is_some() || proto.proto3_optional;
        let is_extension = !proto.extendee.is_empty();
        is_message
            || is_member
            || is_extension
            || features.field_presence != value::PRESENCE_IMPLICIT
    };
    match proto.label {
        _ if is_map => Cardinality::Map,
        number::LABEL_REPEATED => Cardinality::Repeated,
        number::LABEL_REQUIRED => Cardinality::Required,
        _ if features.field_presence == value::PRESENCE_LEGACY_REQUIRED => Cardinality::Required,
        _ if has_presence() => Cardinality::Explicit,
        _ => Cardinality::Implicit,
    }
}

/// Returns true if a list is packed. Only lists of numbers can be; the option decides, or if there
/// is none the features.
fn is_packed(proto: &FieldProto, declared: i32, features: Features) -> bool {
    let is_number =
        !matches!(declared, number::STRING | number::BYTES | number::MESSAGE | number::GROUP);
    let option = proto.options.as_ref().and_then(|options| options.packed);
    let packed = option.unwrap_or(features.repeated_field_encoding == value::REPEATED_PACKED);
    proto.label == number::LABEL_REPEATED && is_number && packed
}
