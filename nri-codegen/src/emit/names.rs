//! Names that would conflict in Rust: rejected here, with their location, before rustc or
//! prost-build fail.

use std::collections::HashMap;

use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    ServiceDescriptorProto,
};

use super::fields::{self, Shape};
use super::naming::{type_name, value_name, variants};
use super::place::{Place, Step};
use super::schema::Schema;
use super::{Options, services};
use nri_schema::{Error, Problem};

/// Checks that every declaration gets a valid Rust name that is not used by another one.
///
/// # Errors
///
/// Returns all invalid names, each with file and line.
pub(super) fn check(schema: &Schema<'_>, options: &Options) -> Result<(), Error> {
    let mut names = Names::default();
    names.reserve_own(schema, options);
    for file in schema.files() {
        names.file(file, schema);
    }
    for service in schema.services() {
        names.service(service.0, service.1, schema, options);
    }
    Error::unless_empty(names.problems)
}

/// Names in use, by scope; those of generated items have no declaration.
#[derive(Default)]
struct Names {
    taken: HashMap<(String, Space, String), Option<Declared>>,
    problems: Vec<Problem>,
}

/// A declaration with a name in Rust.
#[derive(Clone, PartialEq)]
struct Declared {
    /// The kind and name of the declaration, for errors.
    what: String,
    remedy: Remedy,
}

/// The remedy for the name of a declaration.
#[derive(Clone, PartialEq)]
enum Remedy {
    /// The builder can give this message or enum another name.
    Rename(String),
    /// The builder can leave out services.
    LeaveOut,
    /// Only the proto can change.
    Edit,
}

impl Remedy {
    fn new(proto: &str, place: &Place<'_>) -> Self {
        if place.is_top_type() {
            Remedy::Rename(proto.to_owned())
        } else if place.is_in_service() {
            Remedy::LeaveOut
        } else {
            Remedy::Edit
        }
    }

    /// Returns the easier of two remedies.
    fn or(&self, other: Option<&Remedy>) -> Remedy {
        match (self, other) {
            (Remedy::Rename(_), _) | (_, None | Some(Remedy::Edit)) => self.clone(),
            (_, Some(other @ Remedy::Rename(_))) => other.clone(),
            (Remedy::LeaveOut | Remedy::Edit, Some(Remedy::LeaveOut)) => Remedy::LeaveOut,
        }
    }

    fn help(&self) -> String {
        match self {
            Remedy::Rename(proto) => format!(
                "give it another name in Rust: `Builder::rename(\"{proto}\", \"Other{proto}\")`"
            ),
            Remedy::LeaveOut => {
                "rename one of them, or leave out services: `Builder::messages_only`".to_owned()
            }
            Remedy::Edit => "rename one of them; names are not sent on the wire".to_owned(),
        }
    }
}

/// The namespaces of Rust, and those within a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Space {
    Types,
    Values,
    Members,
    Methods,
}

impl Names {
    /// Reserves the names of the items of the bindings other than messages and enums.
    fn reserve_own(&mut self, schema: &Schema<'_>, options: &Options) {
        let module = schema.module_of(schema.package());
        for name in services::own_types(options) {
            let key = (module.clone(), Space::Types, name.to_owned());
            self.taken.insert(key, None);
        }
    }

    fn file(&mut self, file: &FileDescriptorProto, schema: &Schema<'_>) {
        let place = Place::new(file);
        let module = schema.module_of(file.package());
        self.package(file, schema);
        for (index, message) in file.message_type.iter().enumerate() {
            self.message(message, &module, &place.step(Step::FileMessage, index));
        }
        for (index, declared) in file.enum_type.iter().enumerate() {
            self.enumeration(declared, &module, &place.step(Step::FileEnum, index));
        }
    }

    /// Reserves the modules of a package, which are next to those of messages with nested types.
    fn package(&mut self, file: &FileDescriptorProto, schema: &Schema<'_>) {
        if !schema.is_nested() {
            return;
        }
        let mut module = String::new();
        let nameless = |part: &str| !part.is_empty() && value_name(part).is_empty();
        if let Some(part) = file.package().split('.').find(|part| nameless(part)) {
            let fact = format!("package part {part} has no letter or digit for a Rust name");
            self.problems.push(Place::new(file).package().problem(fact));
            return;
        }
        for part in file.package().split('.').filter(|part| !part.is_empty()) {
            let name = value_name(part);
            let key = (module.clone(), Space::Types, name.clone());
            let same = Declared { what: format!("package part {part}"), remedy: Remedy::Edit };
            let taken = self.taken.entry(key).or_insert(Some(same.clone()));
            if *taken != Some(same) {
                let fact = format!(
                    "package {} and {} are both module `{name}` in Rust",
                    file.package(),
                    shown(taken.as_ref())
                );
                let place = Place::new(file).package();
                self.problems.push(place.problem(fact));
            }
            module = format!("{module}::{name}");
        }
    }

    fn message(&mut self, message: &DescriptorProto, module: &str, place: &Place<'_>) {
        let what = format!("message {}", message.name());
        let rust = type_name(message.name());
        if !self.take(module, Space::Types, message.name(), &rust, &what, place) {
            return;
        }
        let inner = format!("{module}::{}", value_name(message.name()));
        let oneofs = fields::oneofs(message);
        let nested: Vec<_> = fields::nested(message).collect();
        if !nested.is_empty() || !message.enum_type.is_empty() || !oneofs.is_empty() {
            let snake = value_name(message.name());
            let described = format!("the module of {what}");
            self.take(module, Space::Types, message.name(), &snake, &described, place);
        }
        for (index, nested_message) in nested {
            self.message(nested_message, &inner, &place.step(Step::Nested, index));
        }
        for (index, declared) in message.enum_type.iter().enumerate() {
            self.enumeration(declared, &inner, &place.step(Step::NestedEnum, index));
        }
        self.members(message, &format!("{module}::{rust}"), place);
        for (index, oneof) in oneofs {
            let place = place.step(Step::Oneof, index);
            self.oneof(message, oneof, index, &inner, &place);
        }
    }

    /// Reserves the fields and oneofs of a message, and the methods that prost derives for them.
    fn members(&mut self, message: &DescriptorProto, owner: &str, place: &Place<'_>) {
        for (index, field) in message.field.iter().enumerate() {
            let place = place.step(Step::Field, index);
            let what = format!("field {}.{}", message.name(), field.name());
            if fields::oneof_of(field).is_none() {
                let rust = value_name(field.name());
                self.take(owner, Space::Members, field.name(), &rust, &what, &place);
                self.methods(message, field, owner, &place);
            }
        }
        for (index, oneof) in fields::oneofs(message) {
            let place = place.step(Step::Oneof, index);
            let what = format!("oneof {}.{oneof}", message.name());
            let rust = value_name(oneof);
            self.take(owner, Space::Members, oneof, &rust, &what, &place);
        }
    }

    fn methods(
        &mut self,
        message: &DescriptorProto,
        field: &FieldDescriptorProto,
        owner: &str,
        place: &Place<'_>,
    ) {
        let rust = value_name(field.name());
        let shape = fields::shape(message, field, place.file());
        if shape == Shape::EnumMap && super::naming::is_keyword(&rust) {
            let fact =
                format!("map {}.{} has the name of a Rust keyword", message.name(), field.name());
            let problem = place.problem(fact);
            self.problems.push(problem.with_help(
                "prost cannot derive the accessors of such a map of enums; rename the field",
            ));
        }
        for method in shape.methods(&rust) {
            let what = format!("an accessor of field {}.{}", message.name(), field.name());
            self.take(owner, Space::Methods, field.name(), &method, &what, place);
        }
    }

    fn oneof(
        &mut self,
        message: &DescriptorProto,
        oneof: &str,
        index: usize,
        module: &str,
        place: &Place<'_>,
    ) {
        let rust = fields::oneof_type(message, oneof);
        let what = format!("oneof {}.{oneof}", message.name());
        self.take(module, Space::Types, oneof, &rust, &what, place);
        let owner = format!("{module}::{rust}");
        for (field_index, field) in message.field.iter().enumerate() {
            if fields::oneof_of(field) == Some(index) {
                let place = place.parent().step(Step::Field, field_index);
                let described = format!("field {}.{}", message.name(), field.name());
                let variant = type_name(field.name());
                self.take(&owner, Space::Members, field.name(), &variant, &described, &place);
            }
        }
    }

    fn enumeration(&mut self, declared: &EnumDescriptorProto, module: &str, place: &Place<'_>) {
        let what = format!("enum {}", declared.name());
        let rust = type_name(declared.name());
        if !self.take(module, Space::Types, declared.name(), &rust, &what, place) {
            return;
        }
        let owner = format!("{module}::{rust}");
        for (value, variant) in variants(declared) {
            let index = declared.value.iter().position(|known| known == value);
            let place = place.step(Step::EnumValue, index.unwrap_or_default());
            let described = format!("value {}.{}", declared.name(), value.name());
            self.take(&owner, Space::Members, value.name(), &variant, &described, &place);
        }
    }

    fn service(
        &mut self,
        file: &FileDescriptorProto,
        index: usize,
        schema: &Schema<'_>,
        options: &Options,
    ) {
        let Some(service) = file.service.get(index) else {
            return;
        };
        let place = Place::new(file).step(Step::Service, index);
        let module = schema.module_of(file.package());
        let what = format!("service {}", service.name());
        let rust = type_name(service.name());
        if !self.valid(service.name(), &rust, &what, &place) {
            return;
        }
        for name in services::types_of(&rust, options) {
            self.take(&module, Space::Types, service.name(), &name, &what, &place);
        }
        let constant = services::constant(service.name()).to_string();
        self.take(&module, Space::Values, service.name(), &constant, &what, &place);
        self.rpcs(service, &format!("{module}::{rust}"), &place);
    }

    fn rpcs(&mut self, service: &ServiceDescriptorProto, owner: &str, place: &Place<'_>) {
        for (index, rpc) in service.method.iter().enumerate() {
            let place = place.step(Step::Rpc, index);
            let what = format!("rpc {}.{}", service.name(), rpc.name());
            let rust = services::method_name(&value_name(rpc.name()));
            self.take(owner, Space::Methods, rpc.name(), &rust, &what, &place);
        }
    }

    /// Reserves a name; an invalid or reserved one is a problem at `place`.
    fn take(
        &mut self,
        scope: &str,
        space: Space,
        proto: &str,
        rust: &str,
        what: &str,
        place: &Place<'_>,
    ) -> bool {
        if !self.valid(proto, rust, what, place) {
            return false;
        }
        let key = (scope.to_owned(), space, rust.to_owned());
        let declared = Declared { what: what.to_owned(), remedy: Remedy::new(proto, place) };
        let Some(other) = self.taken.get(&key) else {
            self.taken.insert(key, Some(declared));
            return true;
        };
        let fact = format!("{what} and {} are both `{rust}` in Rust", shown(other.as_ref()));
        let others = other.as_ref().map(|other| &other.remedy);
        let help = declared.remedy.or(others).help();
        self.problems.push(place.problem(fact).with_help(help));
        false
    }

    fn valid(&mut self, proto: &str, rust: &str, what: &str, place: &Place<'_>) -> bool {
        let ascii = proto.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if ascii && !rust.is_empty() && !proto.starts_with(|c: char| c.is_ascii_digit()) {
            return true;
        }
        let fact = if ascii && rust.is_empty() {
            format!("{what} has no letter or digit for a Rust name")
        } else {
            format!("{what} is not a valid name in protobuf")
        };
        self.problems.push(place.problem(fact));
        false
    }
}

fn shown(declared: Option<&Declared>) -> &str {
    declared.map_or("a generated item", |declared| &declared.what)
}
