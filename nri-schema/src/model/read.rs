//! Converts a schema to the model: its declarations as a tree, with their comments.

use std::collections::HashMap;

use super::{
    About, Enum, EnumValue, Field, FieldKind, Label, Message, Protocol, Rpc, Service, nri,
};
use crate::location::Location;
use crate::schema::{self, Cardinality, Declaration, Id, LineColumn, Schema, number};

/// Returns the declarations of the files whose names `is_read` accepts.
pub(super) fn protocol(schema: &Schema, is_read: impl Fn(&str) -> bool) -> Protocol {
    let read = |(_, file): &(usize, &schema::File)| is_read(&file.name);
    let files: Vec<_> = schema.files.iter().enumerate().filter(read).collect();
    let package = files.first().map(|(_, file)| file.package.clone());
    let mut protocol = Protocol { package: package.unwrap_or_default(), ..Protocol::default() };
    for (index, file) in files {
        Reader::new(schema, index, file).add_to(&mut protocol);
    }
    protocol.nri = nri::view(&protocol);
    protocol
}

/// Reads one file.
struct Reader<'s> {
    schema: &'s Schema,
    index: usize,
    file: &'s schema::File,
    comments: HashMap<Vec<i32>, (String, LineColumn)>,
    /// Messages and enums by the path of what encloses them; in the file itself, it is empty.
    messages: HashMap<&'s [i32], Vec<&'s schema::MessageDescriptor>>,
    enums: HashMap<&'s [i32], Vec<&'s schema::EnumDescriptor>>,
}

impl<'s> Reader<'s> {
    fn new(schema: &'s Schema, index: usize, file: &'s schema::File) -> Self {
        Reader {
            schema,
            index,
            file,
            comments: file.locations.comments(),
            messages: by_parent(&schema.messages, index),
            enums: by_parent(&schema.enums, index),
        }
    }

    fn add_to(&self, protocol: &mut Protocol) {
        let own = |service: &&schema::ServiceDescriptor| service.id.file == self.index;
        let services = self.schema.services.iter().filter(own);
        protocol.services.extend(services.map(|service| self.service(service)));
        protocol.messages.extend(self.messages_in(&[]));
        protocol.enums.extend(self.enums_in(&[]));
    }

    fn service(&self, service: &schema::ServiceDescriptor) -> Service {
        Service {
            name: service.id.name().to_owned(),
            full_name: service.id.full.clone(),
            rpcs: service.methods.iter().map(|rpc| self.rpc(rpc)).collect(),
            about: self.about(&service.id),
        }
    }

    fn rpc(&self, rpc: &schema::Method) -> Rpc {
        Rpc {
            name: rpc.id.name().to_owned(),
            full_name: rpc.id.full.clone(),
            input: rpc.input.clone(),
            output: rpc.output.clone(),
            client_streaming: rpc.client_streaming,
            server_streaming: rpc.server_streaming,
            about: self.about(&rpc.id),
        }
    }

    /// Returns the messages in the declaration with this path, without entries of maps.
    fn messages_in(&self, path: &[i32]) -> Vec<Message> {
        let messages = self.messages.get(path).into_iter().flatten();
        let written = messages.filter(|message| !message.is_map_entry());
        written.map(|message| self.message(message)).collect()
    }

    fn message(&self, message: &schema::MessageDescriptor) -> Message {
        let oneofs = message.oneofs.iter().filter(|oneof| !oneof.synthetic);
        Message {
            name: message.id.name().to_owned(),
            full_name: message.id.full.clone(),
            fields: message.fields.iter().map(|f| self.field(f)).collect(),
            messages: self.messages_in(&message.id.path),
            enums: self.enums_in(&message.id.path),
            oneofs: oneofs.map(|oneof| oneof.name.clone()).collect(),
            about: self.about(&message.id),
        }
    }

    fn field(&self, field: &schema::FieldDescriptor) -> Field {
        Field {
            name: field.id.name().to_owned(),
            full_name: field.id.full.clone(),
            number: field.number,
            json_name: field.json_name.clone(),
            kind: kind(self.schema, field),
            label: match field.cardinality {
                Cardinality::Map | Cardinality::Repeated => Label::Repeated,
                Cardinality::Required => Label::Required,
                Cardinality::Explicit | Cardinality::Implicit => Label::Single,
            },
            presence: match field.cardinality {
                Cardinality::Explicit | Cardinality::Required => true,
                Cardinality::Implicit | Cardinality::Map | Cardinality::Repeated => false,
            },
            oneof: field.oneof.clone(),
            about: self.about(&field.id),
        }
    }

    /// Returns the enums in the declaration with this path.
    fn enums_in(&self, path: &[i32]) -> Vec<Enum> {
        let enums = self.enums.get(path).into_iter().flatten();
        enums.map(|declared| self.enumeration(declared)).collect()
    }

    fn enumeration(&self, declared: &schema::EnumDescriptor) -> Enum {
        let value = |value: &schema::EnumValueDescriptor| EnumValue {
            name: value.id.name().to_owned(),
            full_name: value.id.full.clone(),
            number: value.number,
            about: self.about(&value.id),
        };
        Enum {
            name: declared.id.name().to_owned(),
            full_name: declared.id.full.clone(),
            values: declared.values.iter().map(value).collect(),
            about: self.about(&declared.id),
        }
    }

    fn about(&self, id: &Id) -> About {
        let Some((comment, (line, column))) = self.comments.get(&*id.path) else {
            return About::default();
        };
        About {
            comment: comment.clone(),
            location: Some(Location { file: self.file.name.clone(), line: *line, column: *column }),
        }
    }
}

/// Returns the elements of a file by the path of what encloses them, in the order of their
/// declaration.
fn by_parent<T: Declaration>(all: &[T], file: usize) -> HashMap<&[i32], Vec<&T>> {
    let mut by_parent: HashMap<&[i32], Vec<&T>> = HashMap::new();
    for element in all.iter().filter(|element| element.id().file == file) {
        let parent =
            element.id().path.split_last_chunk::<2>().map_or(&[][..], |(parent, _)| parent);
        by_parent.entry(parent).or_default().push(element);
    }
    by_parent
}

/// Returns the type of a value of the field; a repeated entry of a map is that map.
fn kind(schema: &Schema, field: &schema::FieldDescriptor) -> FieldKind {
    let name = || field.type_name.clone();
    if field.cardinality == Cardinality::Map {
        return map(schema, field).unwrap_or_else(|| FieldKind::Message(name()));
    }
    match field.declared {
        number::MESSAGE | number::GROUP => FieldKind::Message(name()),
        number::ENUM => FieldKind::Enum(name()),
        scalar => FieldKind::Scalar(number::word(scalar)),
    }
}

fn map(schema: &Schema, field: &schema::FieldDescriptor) -> Option<FieldKind> {
    let entry = schema.message(&field.type_name)?;
    let part = |number| entry.fields.iter().find(|part| part.number == number);
    Some(FieldKind::Map {
        key: number::word(part(1)?.declared),
        value: Box::new(kind(schema, part(2)?)),
    })
}
