//! Random changes. Each returns a description, even if it has found no place to apply.

use fastrand::Rng;

use super::ast::{Enum, Field, Reserved, Set, Type, one, take};
use super::generate::{
    FILE_OPTIONS, LABELS, PACKAGES, SCALARS, extension, field, message, method, option, scalar,
};
use super::place::{
    a_field, a_file, a_message, a_method, a_service, a_type, an_enum, an_extend, enum_list,
    message_list, message_uid,
};

type Change = (&'static str, fn(&mut Set, &mut Rng) -> Option<()>);

/// Applies one change to a schema.
pub(super) fn apply(set: &mut Set, rng: &mut Rng) -> &'static str {
    let (name, change) = CHANGES[rng.usize(..CHANGES.len())];
    change(set, rng);
    name
}

const CHANGES: &[Change] = &[
    ("rename a field", |set, rng| {
        let name = format!("f_{}", set.fresh());
        a_field(set, rng)?.name = name;
        Some(())
    }),
    ("renumber a field", |set, rng| {
        let number = 300 + i32::try_from(set.fresh()).ok()?;
        a_field(set, rng)?.number = number;
        Some(())
    }),
    ("delete a field", |set, rng| take(&mut a_message(set, rng)?.fields, rng).map(drop)),
    ("delete and reserve a field", |set, rng| {
        let message = a_message(set, rng)?;
        let field = take(&mut message.fields, rng)?;
        reserve(&mut message.reserved, (field.name, field.number), rng);
        Some(())
    }),
    ("add a field", |set, rng| {
        let number = 300 + i32::try_from(set.fresh()).ok()?;
        let field = field(number, set, rng);
        a_message(set, rng)?.fields.push(field);
        Some(())
    }),
    ("replace a field by another of its number", |set, rng| {
        let new = field(1, set, rng);
        let old = a_field(set, rng)?;
        *old = Field { number: old.number, name: old.name.clone(), ..new };
        Some(())
    }),
    ("change a scalar type", scalar_type),
    ("change a scalar type", scalar_type),
    ("change a type to a named one", |set, rng| {
        let uid = a_type(set, rng)?;
        a_field(set, rng)?.ty = Type::Named(uid);
        Some(())
    }),
    ("change a type to or from a map", |set, rng| {
        let field = a_field(set, rng)?;
        field.ty = match field.ty.clone() {
            Type::Map(_, value) => *value,
            Type::Group(_) => scalar(rng),
            value => Type::Map(["string", "int32"][rng.usize(..2)], Box::new(value)),
        };
        Some(())
    }),
    ("change the key or value of a map", |set, rng| {
        let (uid, field) = (a_type(set, rng)?, a_field(set, rng)?);
        if let Type::Map(key, value) = &mut field.ty {
            *key = ["string", "int32", "int64"][rng.usize(..3)];
            **value = if rng.bool() { scalar(rng) } else { Type::Named(uid) };
        }
        Some(())
    }),
    ("change a label", |set, rng| {
        a_field(set, rng)?.label = LABELS[rng.usize(..4)];
        Some(())
    }),
    ("change a default", |set, rng| {
        a_field(set, rng)?.default = (rng.u8(..4) > 0).then(|| rng.usize(..3));
        Some(())
    }),
    ("change a field option", field_option),
    ("change a field option", field_option),
    ("move a field into, out of or between oneofs", |set, rng| {
        let oneofs = [None, Some("choice"), Some("other")];
        a_field(set, rng)?.oneof = oneofs[rng.usize(..3)].map(str::to_owned);
        Some(())
    }),
    ("rename a oneof", |set, rng| {
        let message = a_message(set, rng)?;
        let members = message.fields.iter_mut().filter_map(|field| field.oneof.as_mut());
        members.filter(|oneof| *oneof == "choice").for_each(|oneof| *oneof = "renamed".to_owned());
        Some(())
    }),
    ("reorder fields", |set, rng| {
        let fields = &mut a_message(set, rng)?.fields;
        rng.shuffle(fields);
        Some(())
    }),
    ("rename a message", |set, rng| {
        let name = format!("Renamed{}", set.fresh());
        a_message(set, rng)?.name = name;
        Some(())
    }),
    ("delete a message", |set, rng| take(message_list(set, rng)?, rng).map(drop)),
    ("add a message", |set, rng| {
        let message = message(set, rng, 0);
        message_list(set, rng)?.push(message);
        Some(())
    }),
    ("move a message", |set, rng| {
        let moved = take(message_list(set, rng)?, rng)?;
        message_list(set, rng)?.push(moved);
        Some(())
    }),
    ("reorder messages", |set, rng| {
        let messages = message_list(set, rng)?;
        rng.shuffle(messages);
        Some(())
    }),
    ("change an accessor option", |set, rng| {
        let message = a_message(set, rng)?;
        message.no_accessor = !message.no_accessor;
        Some(())
    }),
    ("change extension ranges", |set, rng| {
        let ranges: &[&[(i32, i32)]] = &[
            &[],
            &[(1000, 1500)],
            &[(1000, 1004), (1006, 1999)],
            &[(1000, 2500), (3000, 536_870_911)],
        ];
        a_message(set, rng)?.extensions = ranges[rng.usize(..ranges.len())].to_vec();
        Some(())
    }),
    ("change what a message reserves", |set, rng| {
        change_reserved(&mut a_message(set, rng)?.reserved, rng);
        Some(())
    }),
    ("change what an enum reserves", |set, rng| {
        change_reserved(&mut an_enum(set, rng)?.reserved, rng);
        Some(())
    }),
    ("rename an enum value", |set, rng| {
        let name = format!("V_{}", set.fresh());
        one(&mut an_enum(set, rng)?.values, rng)?.0 = name;
        Some(())
    }),
    ("renumber an enum value", |set, rng| {
        let number = i32::try_from(set.fresh()).ok()?;
        one(&mut an_enum(set, rng)?.values, rng)?.1 = 300 + number;
        Some(())
    }),
    ("add an alias", |set, rng| {
        let name = format!("ALIAS_{}", set.fresh());
        let values = &mut an_enum(set, rng)?.values;
        let number = one(values, rng)?.1;
        values.push((name, number));
        Some(())
    }),
    ("swap the names of enum values", |set, rng| {
        let values = &mut an_enum(set, rng)?.values;
        let name = values.first()?.0.clone();
        values.first_mut()?.0 = std::mem::replace(&mut values.last_mut()?.0, name);
        Some(())
    }),
    ("delete an enum value", |set, rng| {
        let values = &mut an_enum(set, rng)?.values;
        if values.len() > 1 { take(values, rng).map(drop) } else { None }
    }),
    ("delete and reserve an enum value", |set, rng| {
        let declared = an_enum(set, rng)?;
        if declared.values.len() > 1 {
            let value = take(&mut declared.values, rng)?;
            reserve(&mut declared.reserved, value, rng);
        }
        Some(())
    }),
    ("reorder enum values", |set, rng| {
        let values = &mut an_enum(set, rng)?.values;
        rng.shuffle(values);
        Some(())
    }),
    ("delete an enum", |set, rng| take(enum_list(set, rng)?, rng).map(drop)),
    ("rename an enum", |set, rng| {
        let name = format!("Renamed{}", set.fresh());
        an_enum(set, rng)?.name = name;
        Some(())
    }),
    ("move an enum", |set, rng| {
        let moved = take(enum_list(set, rng)?, rng)?;
        enum_list(set, rng)?.push(moved);
        Some(())
    }),
    ("copy an enum and use the copy", |set, rng| {
        let mut copy: Enum = an_enum(set, rng)?.clone();
        let uid = copy.uid;
        copy.uid = set.fresh();
        let new = copy.uid;
        copy.values.iter_mut().for_each(|(name, _)| name.push_str("_COPY"));
        message_list(set, rng)?.first_mut()?.enums.push(copy);
        let field = a_field(set, rng)?;
        if matches!(field.ty, Type::Named(used) if used == uid) {
            field.ty = Type::Named(new);
        }
        Some(())
    }),
    ("delete a service", |set, rng| take(&mut a_file(set, rng)?.services, rng).map(drop)),
    ("rename a service", |set, rng| {
        let name = format!("Service{}", set.fresh());
        a_service(set, rng)?.name = name;
        Some(())
    }),
    ("move a service", |set, rng| {
        let moved = take(&mut a_file(set, rng)?.services, rng)?;
        a_file(set, rng)?.services.push(moved);
        Some(())
    }),
    ("delete an RPC", |set, rng| take(&mut a_service(set, rng)?.methods, rng).map(drop)),
    ("add an RPC", |set, rng| {
        let uid = message_uid(set, rng)?;
        let method = method(&[uid], set, rng);
        a_service(set, rng)?.methods.push(method);
        Some(())
    }),
    ("rename an RPC", |set, rng| {
        let name = format!("Call{}", set.fresh());
        a_method(set, rng)?.name = name;
        Some(())
    }),
    ("change an RPC's request", |set, rng| {
        let uid = message_uid(set, rng)?;
        a_method(set, rng)?.input = uid;
        Some(())
    }),
    ("change an RPC's response", |set, rng| {
        let uid = message_uid(set, rng)?;
        a_method(set, rng)?.output = uid;
        Some(())
    }),
    ("change an RPC's streaming", |set, rng| {
        let method = a_method(set, rng)?;
        (method.client_streaming, method.server_streaming) = (rng.bool(), rng.bool());
        Some(())
    }),
    ("change an RPC's idempotency", |set, rng| {
        a_method(set, rng)?.idempotency =
            [None, Some("IDEMPOTENT"), Some("NO_SIDE_EFFECTS")][rng.usize(..3)];
        Some(())
    }),
    ("change a package", |set, rng| {
        a_file(set, rng)?.package = PACKAGES[rng.usize(..PACKAGES.len())].to_owned();
        Some(())
    }),
    ("rename a file", |set, rng| {
        let name = format!("renamed{}.proto", set.fresh());
        a_file(set, rng)?.name = name;
        Some(())
    }),
    (
        "delete a file",
        |set, rng| {
            if set.files.len() > 1 { take(&mut set.files, rng).map(drop) } else { None }
        },
    ),
    ("change the syntax", |set, rng| {
        let file = a_file(set, rng)?;
        file.proto3 = !file.proto3;
        Some(())
    }),
    ("change a file option", file_option),
    ("change a file option", file_option),
    ("change a file option", file_option),
    ("import or drop a well-known type", |set, rng| {
        let file = a_file(set, rng)?;
        file.well_known = !file.well_known;
        Some(())
    }),
    ("rename an extension", |set, rng| {
        let name = format!("x_{}", set.fresh());
        one(&mut an_extend(set, rng)?.fields, rng)?.name = name;
        Some(())
    }),
    ("renumber an extension", |set, rng| {
        let number = 1000 + i32::try_from(set.fresh()).ok()?;
        one(&mut an_extend(set, rng)?.fields, rng)?.number = number;
        Some(())
    }),
    ("change an extension", |set, rng| {
        let new = extension(set, rng);
        let old = one(&mut an_extend(set, rng)?.fields, rng)?;
        *old = Field { number: old.number, name: old.name.clone(), ..new };
        Some(())
    }),
    ("move an extension", |set, rng| {
        let moved = take(&mut a_file(set, rng)?.extends, rng)?;
        if rng.bool() {
            a_message(set, rng)?.extends.push(moved);
        } else {
            a_file(set, rng)?.extends.push(moved);
        }
        Some(())
    }),
    ("delete an extension", |set, rng| take(&mut a_file(set, rng)?.extends, rng).map(drop)),
];

fn scalar_type(set: &mut Set, rng: &mut Rng) -> Option<()> {
    let field = a_field(set, rng)?;
    let new = SCALARS[rng.usize(..SCALARS.len())];
    match &mut field.ty {
        Type::Map(_, value) => **value = Type::Scalar(new),
        other => *other = Type::Scalar(new),
    }
    Some(())
}

fn field_option(set: &mut Set, rng: &mut Rng) -> Option<()> {
    option(a_field(set, rng)?, rng);
    Some(())
}

fn file_option(set: &mut Set, rng: &mut Rng) -> Option<()> {
    let (name, values) = FILE_OPTIONS[rng.usize(..FILE_OPTIONS.len())];
    a_file(set, rng)?.options.insert(name, values[rng.usize(..3)].to_owned());
    Some(())
}

/// Reserves the name, the number or both.
fn reserve(reserved: &mut Reserved, (name, number): (String, i32), rng: &mut Rng) {
    let what = rng.u8(..3);
    if what != 0 {
        reserved.names.push(name);
    }
    if what != 1 {
        reserved.ranges.push((number, number));
    }
}

fn change_reserved(reserved: &mut Reserved, rng: &mut Rng) {
    match rng.u8(..5) {
        0 => reserved.ranges.clear(),
        1 => drop(take(&mut reserved.ranges, rng)),
        2 => drop(take(&mut reserved.names, rng)),
        3 => reserved.ranges = vec![(101, 150), (152, 300)],
        _ => reserved.ranges = vec![(100, 200)],
    }
}
