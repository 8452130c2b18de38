//! A random schema.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::ast::{
    Enum, Extend, Field, File, Label, Message, Method, Reserved, Service, Set, Type, Uid,
};

pub(super) const SCALARS: [&str; 15] = [
    "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32",
    "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes",
];
pub(super) const PACKAGES: [&str; 5] = ["p", "p.v1", "q", "", "r.s.t"];
const MESSAGES: [&str; 6] = ["Pod", "Container", "Mount", "Entry", "State", "Value"];
const ENUMS: [&str; 3] = ["Event", "Kind", "Mode"];
pub(super) const LABELS: [Label; 4] =
    [Label::None, Label::Optional, Label::Required, Label::Repeated];

/// Options of files, with two values each; an empty text omits the option.
pub(super) const FILE_OPTIONS: [(&str, [&str; 3]); 17] = [
    ("java_package", ["", "\"a.b\"", "\"a.c\""]),
    ("java_outer_classname", ["", "\"Ab\"", "\"Ac\""]),
    ("java_multiple_files", ["", "true", "false"]),
    ("java_string_check_utf8", ["", "true", "false"]),
    ("java_generic_services", ["", "true", "false"]),
    ("py_generic_services", ["", "true", "false"]),
    ("cc_generic_services", ["", "true", "false"]),
    ("cc_enable_arenas", ["", "true", "false"]),
    ("optimize_for", ["", "SPEED", "CODE_SIZE"]),
    ("go_package", ["", "\"x/a;a\"", "\"x/b\""]),
    ("objc_class_prefix", ["", "\"AB\"", "\"AC\""]),
    ("csharp_namespace", ["", "\"A.B\"", "\"A.C\""]),
    ("swift_prefix", ["", "\"AB\"", "\"AC\""]),
    ("php_class_prefix", ["", "\"AB\"", "\"AC\""]),
    ("php_namespace", ["", "\"A\\\\B\"", "\"A\\\\C\""]),
    ("php_metadata_namespace", ["", "\"A\"", "\"B\""]),
    ("ruby_package", ["", "\"A\"", "\"B\""]),
];

pub(super) fn set(rng: &mut Rng) -> Set {
    let mut set = Set::default();
    for index in 0..rng.usize(1..=3) {
        let file = file(index, &mut set, rng);
        set.files.push(file);
    }
    let (mut messages, mut enums) = (Vec::new(), Vec::new());
    for file in &set.files {
        enums.extend(file.enums.iter().map(|declared| declared.uid));
        uids(&file.messages, &mut messages, &mut enums);
    }
    let mut files = std::mem::take(&mut set.files);
    for file in &mut files {
        link_all(&mut file.messages, &messages, &enums, rng);
        services(file, &messages, &mut set, rng);
        file.extends = extends(&messages, &mut set, rng);
    }
    set.files = files;
    set
}

fn file(index: usize, set: &mut Set, rng: &mut Rng) -> File {
    let names = ["a.proto", "dir/b.proto", "dir/sub/c.proto"];
    let messages = (0..rng.usize(1..=3)).map(|_| message(set, rng, 0)).collect();
    let mut options = BTreeMap::new();
    for (name, values) in FILE_OPTIONS {
        if rng.u8(..4) == 0 {
            options.insert(name, values[rng.usize(..3)].to_owned());
        }
    }
    File {
        name: names[index].to_owned(),
        package: PACKAGES[rng.usize(..PACKAGES.len())].to_owned(),
        proto3: rng.bool(),
        options,
        messages,
        enums: (0..rng.usize(..3)).map(|_| enumeration(set, rng)).collect(),
        services: Vec::new(),
        extends: Vec::new(),
        well_known: rng.u8(..4) == 0,
        custom_options: rng.u8(..6) == 0,
    }
}

/// Generates a message. Names of nested messages repeat in different places; at the top of a file
/// they carry a number.
pub(super) fn message(set: &mut Set, rng: &mut Rng, depth: u32) -> Message {
    let uid = set.fresh();
    let nested = if depth < 2 { rng.usize(..3) } else { 0 };
    let name = MESSAGES[rng.usize(..MESSAGES.len())];
    let mut message = Message {
        uid,
        name: if depth == 0 { format!("{name}{uid}") } else { name.to_owned() },
        fields: Vec::new(),
        messages: Vec::new(),
        enums: Vec::new(),
        extends: Vec::new(),
        reserved: reserved(rng),
        extensions: vec![(1000, 1999)],
        no_accessor: rng.u8(..8) == 0,
    };
    for _ in 0..nested {
        let inner = self::message(set, rng, depth + 1);
        if message.messages.iter().all(|other| other.name != inner.name) {
            message.messages.push(inner);
        }
    }
    if rng.u8(..3) == 0 {
        message.enums.push(enumeration(set, rng));
    }
    for number in 1..=rng.i32(1..6) {
        message.fields.push(field(number, set, rng));
    }
    message
}

fn reserved(rng: &mut Rng) -> Reserved {
    let mut reserved = Reserved::default();
    if rng.bool() {
        reserved.ranges = vec![(100, 105), (107, 107), (110, 200)];
        reserved.names = vec!["gone".into(), "lost".into()];
    }
    reserved
}

pub(super) fn enumeration(set: &mut Set, rng: &mut Rng) -> Enum {
    let uid = set.fresh();
    let first = i32::from(rng.u8(..6) == 0);
    let values = (0..rng.i32(1..5)).map(|index| (format!("E{uid}_V{index}"), index + first));
    Enum {
        uid,
        name: format!("{}{}", ENUMS[rng.usize(..ENUMS.len())], uid),
        values: values.collect(),
        reserved: reserved(rng),
    }
}

pub(super) fn field(number: i32, set: &mut Set, rng: &mut Rng) -> Field {
    let ty = match rng.u8(..10) {
        0 => Type::Map("string", Box::new(scalar(rng))),
        1 => {
            let mut group = message(set, rng, 2);
            group.name = format!("Group{}", group.uid);
            Type::Group(Box::new(group))
        }
        _ => scalar(rng),
    };
    let mut field = Field {
        name: format!("f_{}", set.fresh()),
        number,
        label: LABELS[rng.usize(..4)],
        ty,
        oneof: ["choice", "other"].get(rng.usize(..8)).map(|&name| name.to_owned()),
        default: rng.bool().then(|| rng.usize(..3)),
        options: BTreeMap::new(),
    };
    option(&mut field, rng);
    field
}

pub(super) fn scalar(rng: &mut Rng) -> Type {
    Type::Scalar(SCALARS[rng.usize(..SCALARS.len())])
}

/// Sets, changes or clears an option; the printer omits options that the type does not allow.
pub(super) fn option(field: &mut Field, rng: &mut Rng) {
    let (name, values): (_, &[&str]) = [
        ("json_name", &["a", "b"] as &[&str]),
        ("ctype", &["STRING", "CORD", "STRING_PIECE"]),
        ("jstype", &["JS_NORMAL", "JS_STRING", "JS_NUMBER"]),
        ("deprecated", &["true", "false"]),
        ("packed", &["true", "false"]),
    ][rng.usize(..5)];
    match values.get(rng.usize(..=values.len())) {
        Some(value) => field.options.insert(name, (*value).to_owned()),
        None => field.options.remove(name),
    };
}

fn uids(list: &[Message], messages: &mut Vec<Uid>, enums: &mut Vec<Uid>) {
    for message in list {
        messages.push(message.uid);
        enums.extend(message.enums.iter().map(|declared| declared.uid));
        uids(&message.messages, messages, enums);
    }
}

/// Changes the types of some fields to a message or an enum.
fn link_all(list: &mut [Message], messages: &[Uid], enums: &[Uid], rng: &mut Rng) {
    for message in list {
        for field in &mut message.fields {
            let target = if rng.bool() { rng.choice(messages) } else { rng.choice(enums) };
            match (&mut field.ty, target) {
                (Type::Map(_, value), Some(uid)) if rng.bool() => **value = Type::Named(*uid),
                (Type::Scalar(_), Some(uid)) if rng.bool() => field.ty = Type::Named(*uid),
                _ => {}
            }
        }
        link_all(&mut message.messages, messages, enums, rng);
    }
}

fn services(file: &mut File, messages: &[Uid], set: &mut Set, rng: &mut Rng) {
    for _ in 0..rng.usize(..3) {
        let methods = (0..rng.usize(..4)).map(|_| method(messages, set, rng)).collect();
        file.services.push(Service { name: format!("Service{}", set.fresh()), methods });
    }
}

pub(super) fn method(messages: &[Uid], set: &mut Set, rng: &mut Rng) -> Method {
    Method {
        name: format!("Call{}", set.fresh()),
        input: *rng.choice(messages).unwrap_or(&0),
        output: *rng.choice(messages).unwrap_or(&0),
        client_streaming: rng.bool(),
        server_streaming: rng.bool(),
        idempotency: [None, Some("IDEMPOTENT"), Some("NO_SIDE_EFFECTS")][rng.usize(..3)],
    }
}

fn extends(messages: &[Uid], set: &mut Set, rng: &mut Rng) -> Vec<Extend> {
    let mut extends = Vec::new();
    for _ in 0..rng.usize(..3) {
        let target = *rng.choice(messages).unwrap_or(&0);
        let fields = (0..rng.usize(1..3)).map(|_| extension(set, rng)).collect();
        extends.push(Extend { target, fields });
    }
    extends
}

pub(super) fn extension(set: &mut Set, rng: &mut Rng) -> Field {
    let number = 1000 + i32::try_from(set.fresh()).unwrap_or(0);
    let mut field = field(number, set, rng);
    if matches!(field.ty, Type::Map(..)) {
        field.ty = scalar(rng);
    }
    field.oneof = None;
    field
}
