//! The outline of a proto file: its elements in declaration order, each with its comment and its
//! canonical line in `snapshots/protos`.
//!
//! It is derived only from the compiled descriptor, and shares no code with `nri-codegen`, so that
//! it can verify it.

use std::collections::HashMap;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    ServiceDescriptorProto,
};
use protox::file::{File, FileResolver};

/// The kind of element that a line describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Syntax, package or a file option.
    File,
    /// A service.
    Service,
    /// A method of a service.
    Rpc,
    /// A message, at the top or nested.
    Message,
    /// A field of a message.
    Field,
    /// An enum, at the top or nested.
    Enum,
    /// A value of an enum.
    Value,
}

/// One element of a proto file.
#[derive(Clone, Debug)]
pub struct Element {
    /// The kind of element.
    pub kind: Kind,
    /// Its name without the package, such as `Plugin.Configure` or `LogRequest.Level.LEVEL_INFO`.
    pub name: String,
    /// Everything about it that affects the wire format or generated code, on one line.
    pub line: String,
    /// The comment in front of it, on one line with single spaces.
    pub comment: Option<String>,
}

/// Compiles `source` and lists its elements.
///
/// # Errors
///
/// Returns an error if it does not compile; the error shows where.
pub fn outline(source: &str) -> Result<Vec<Element>, protox::Error> {
    let mut compiler = protox::Compiler::with_file_resolver(OneFile(source.to_owned()));
    compiler.include_source_info(true).open_file(ONE_FILE)?;
    let set = compiler.file_descriptor_set();
    Ok(set.file.iter().flat_map(|file| Walk::new(file).run(file)).collect())
}

const ONE_FILE: &str = "api.proto";

struct OneFile(String);

impl FileResolver for OneFile {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match name {
            ONE_FILE => File::from_source(name, &self.0),
            _ => Err(protox::Error::file_not_found(name)),
        }
    }
}

/// Field numbers of the descriptor messages, of which source locations consist.
mod tag {
    pub(super) const FILE_MESSAGE: i32 = 4;
    pub(super) const FILE_ENUM: i32 = 5;
    pub(super) const FILE_SERVICE: i32 = 6;
    pub(super) const MESSAGE_FIELD: i32 = 2;
    pub(super) const MESSAGE_NESTED: i32 = 3;
    pub(super) const MESSAGE_ENUM: i32 = 4;
    pub(super) const MEMBER: i32 = 2;
}

struct Walk {
    package: String,
    comments: HashMap<Vec<i32>, String>,
    elements: Vec<Element>,
}

impl Walk {
    fn new(file: &FileDescriptorProto) -> Self {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let comments = locations
            .filter_map(|location| {
                Some((location.path.clone(), one_line(location.leading_comments.as_deref()?)))
            })
            .collect();
        Walk { package: format!(".{}.", file.package()), comments, elements: Vec::new() }
    }

    fn run(mut self, file: &FileDescriptorProto) -> Vec<Element> {
        self.file(file);
        for (index, service) in (0..).zip(&file.service) {
            self.service(service, &[tag::FILE_SERVICE, index]);
        }
        for (index, message) in (0..).zip(&file.message_type) {
            self.message(message, "", &[tag::FILE_MESSAGE, index]);
        }
        for (index, item) in (0..).zip(&file.enum_type) {
            self.enumeration(item, "", &[tag::FILE_ENUM, index]);
        }
        self.elements
    }

    fn push(&mut self, kind: Kind, name: &str, line: String, path: &[i32]) {
        let comment = self.comments.get(path).cloned();
        self.elements.push(Element { kind, name: name.to_owned(), line, comment });
    }

    fn file(&mut self, file: &FileDescriptorProto) {
        let go_package = file.options.as_ref().map_or("", |options| options.go_package());
        self.push(Kind::File, "syntax", format!("syntax {}", file.syntax()), &[]);
        self.push(Kind::File, "package", format!("package {}", file.package()), &[]);
        self.push(Kind::File, "go_package", format!("option go_package = {go_package:?}"), &[]);
    }

    fn service(&mut self, service: &ServiceDescriptorProto, path: &[i32]) {
        let name = service.name();
        self.push(Kind::Service, name, format!("service {name}"), path);
        for (index, method) in (0..).zip(&service.method) {
            let name = format!("{name}.{}", method.name());
            let input = stream(method.client_streaming()) + &self.short(method.input_type());
            let output = stream(method.server_streaming()) + &self.short(method.output_type());
            let line = format!("rpc {name} ({input}) returns ({output})");
            self.push(Kind::Rpc, &name, line, &join(path, tag::MEMBER, index));
        }
    }

    fn message(&mut self, message: &DescriptorProto, prefix: &str, path: &[i32]) {
        let name = format!("{prefix}{}", message.name());
        let reserved: String =
            reserved(message).iter().map(|item| format!(" reserved={item}")).collect();
        self.push(Kind::Message, &name, format!("message {name}{reserved}"), path);
        for (index, field) in (0..).zip(&message.field) {
            let line = self.field_line(field, &name, message);
            let name = format!("{name}.{}", field.name());
            self.push(Kind::Field, &name, line, &join(path, tag::MESSAGE_FIELD, index));
        }
        let inner = format!("{name}.");
        for (index, item) in (0..).zip(&message.enum_type) {
            self.enumeration(item, &inner, &join(path, tag::MESSAGE_ENUM, index));
        }
        for (index, nested) in (0..).zip(&message.nested_type) {
            if !is_map_entry(nested) {
                self.message(nested, &inner, &join(path, tag::MESSAGE_NESTED, index));
            }
        }
    }

    fn enumeration(&mut self, item: &EnumDescriptorProto, prefix: &str, path: &[i32]) {
        let name = format!("{prefix}{}", item.name());
        self.push(Kind::Enum, &name, format!("enum {name}"), path);
        for (index, value) in (0..).zip(&item.value) {
            let name = format!("{name}.{}", value.name());
            let line = format!("value {name} = {}", value.number());
            self.push(Kind::Value, &name, line, &join(path, tag::MEMBER, index));
        }
    }

    fn field_line(
        &self,
        field: &FieldDescriptorProto,
        message_name: &str,
        message: &DescriptorProto,
    ) -> String {
        let entry = message.nested_type.iter().find(|nested| {
            is_map_entry(nested)
                && self.short(field.type_name()) == format!("{message_name}.{}", nested.name())
        });
        let kind = match entry.map(|entry| entry.field.as_slice()) {
            Some([key, value]) => {
                format!("map<{}, {}>", self.type_name(key), self.type_name(value))
            }
            _ if field.label() == Label::Repeated => format!("{} repeated", self.type_name(field)),
            _ => self.type_name(field),
        };
        let (name, number, json) = (field.name(), field.number(), field.json_name());
        let oneof = field.oneof_index.map_or(String::new(), |index| format!(" oneof={index}"));
        format!("field {message_name}.{name} = {number} {kind} json={json}{oneof}")
    }

    fn type_name(&self, field: &FieldDescriptorProto) -> String {
        match field.r#type() {
            Type::Message | Type::Enum | Type::Group => self.short(field.type_name()),
            scalar => scalar.as_str_name().trim_start_matches("TYPE_").to_lowercase(),
        }
    }

    fn short(&self, full: &str) -> String {
        full.strip_prefix(&self.package).unwrap_or(full).to_owned()
    }
}

fn stream(streams: bool) -> String {
    if streams { "stream ".to_owned() } else { String::new() }
}

/// Reserved numbers (end excluded) and names of a message.
fn reserved(message: &DescriptorProto) -> Vec<String> {
    let ranges =
        message.reserved_range.iter().map(|range| format!("{}..{}", range.start(), range.end()));
    ranges.chain(message.reserved_name.iter().cloned()).collect()
}

fn is_map_entry(message: &DescriptorProto) -> bool {
    message.options.as_ref().is_some_and(|options| options.map_entry())
}

fn join(path: &[i32], tag: i32, index: i32) -> Vec<i32> {
    [path, &[tag, index]].concat()
}

fn one_line(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<_>>().join(" ")
}
