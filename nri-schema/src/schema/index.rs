//! Creates a schema from descriptors: flatten, name, resolve, check.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use prost::bytes::Bytes;
use prost_reflect::DescriptorPool;

use super::Schema;
use super::descriptor::{
    EnumProto, EnumValueProto, FieldProto, FileProto, FileSet, FileTypes, MessageProto,
    MethodProto, RangeProto, ServiceProto,
};
use super::element::{
    Cardinality, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, File, Id, MessageDescriptor,
    Method, ServiceDescriptor, Span,
};
use super::features::{Features, Syntax};
use super::field::{self, oneofs, without_dot};
use super::location::{Locations, Source};
use super::problem;
use super::scope::Scope;
use super::size;
use super::types::Types;
use super::unique;
use crate::error::Error;

type Result<T> = std::result::Result<T, Error>;

/// Creates the schema of an encoded set. Files are decoded one after the other, because the
/// descriptors of a large set take more memory than its schema.
pub(super) fn of_set(bytes: &[u8]) -> Result<Schema> {
    size::check(bytes)?;
    let set: FileSet = decode(Bytes::copy_from_slice(bytes))?;
    let mut builder = Builder::default();
    let mut known = HashSet::new();
    for encoded in &set.file {
        let types: FileTypes = decode(encoded.clone())?;
        builder.types.add(&types);
        known.insert(types.name);
    }
    for encoded in set.file {
        let mut file: FileProto = decode(encoded)?;
        check_imports(&file, &known)?;
        let source = Source::Encoded(std::mem::take(&mut file.source_code_info));
        builder.file(file, source)?;
    }
    builder.checked()
}

/// Creates the schema of compiled files.
pub(super) fn of_pool(pool: &DescriptorPool) -> Result<Schema> {
    let mut builder = Builder { types: Types::of_pool(pool), schema: Schema::default() };
    for file in pool.files() {
        builder.file(file.file_descriptor_proto().into(), Source::Compiled(file))?;
    }
    builder.checked()
}

fn decode<M: prost::Message + Default>(bytes: Bytes) -> Result<M> {
    M::decode(bytes).map_err(|error| problem::undecodable(error).into())
}

fn check_imports(file: &FileProto, known: &HashSet<String>) -> Result<()> {
    match file.dependency.iter().find(|import| !known.contains(*import)) {
        Some(import) => Err(problem::no_import(import, &file.name).into()),
        None => Ok(()),
    }
}

/// The tags of the lists in which each kind of element is declared, in a file and in a message.
mod tag {
    pub(super) const FILE_MESSAGE: i32 = 4;
    pub(super) const FILE_ENUM: i32 = 5;
    pub(super) const SERVICE: i32 = 6;
    pub(super) const FILE_EXTENSION: i32 = 7;
    pub(super) const FIELD: i32 = 2;
    pub(super) const MESSAGE: i32 = 3;
    pub(super) const ENUM: i32 = 4;
    pub(super) const EXTENSION: i32 = 6;
    pub(super) const ENUM_VALUE: i32 = 2;
    pub(super) const METHOD: i32 = 2;
    pub(super) const TYPE_NAME: i32 = 6;
}

#[derive(Default)]
struct Builder {
    schema: Schema,
    types: Types,
}

impl Builder {
    fn file(&mut self, mut proto: FileProto, source: Source) -> Result<()> {
        let (syntax, features) = head(&proto)?;
        let file = self.schema.files.len();
        if self.schema.file_by_name.insert(proto.name.clone(), file).is_some() {
            return Err(problem::declared_twice(&proto.name, "").into());
        }
        let (messages, enums) = (take(&mut proto.message_type), take(&mut proto.enum_type));
        let (extensions, services) = (take(&mut proto.extension), take(&mut proto.service));
        let scope = Scope {
            file,
            file_name: &proto.name,
            package: &proto.package,
            nested: "",
            path: &[],
            features,
        };
        self.messages(messages, &scope, tag::FILE_MESSAGE, &HashMap::new())?;
        self.enums(enums, &scope, tag::FILE_ENUM)?;
        self.extensions(extensions, &scope, tag::FILE_EXTENSION)?;
        for (index, service) in services.into_iter().enumerate() {
            let service = Self::service(service, &scope, index)?;
            self.schema.services.push(service);
        }
        self.schema.files.push(File {
            locations: Locations::new(source),
            options: proto.options.unwrap_or_default(),
            name: proto.name,
            package: proto.package,
            syntax,
            edition: proto.edition,
        });
        Ok(())
    }

    fn checked(self) -> Result<Schema> {
        unique::check(&self.schema)?;
        Ok(self.schema)
    }

    fn messages(
        &mut self,
        protos: Vec<MessageProto>,
        scope: &Scope<'_>,
        tag: i32,
        map_fields: &HashMap<String, Box<[i32]>>,
    ) -> Result<()> {
        for (index, proto) in protos.into_iter().enumerate() {
            let mut id = scope.id(&proto.name, "message", tag, index)?;
            id.stands_at = map_fields.get(&id.full).cloned();
            self.message(proto, id, scope)?;
        }
        Ok(())
    }

    fn message(&mut self, mut proto: MessageProto, id: Id, scope: &Scope<'_>) -> Result<()> {
        let options = proto.options.take().unwrap_or_default();
        let features = scope.features.with(options.features.as_ref());
        let inner = scope.inside(&id, features);
        let oneofs = oneofs(&mut proto, scope)?;
        let entry = options.map_entry;
        let owner: Arc<str> = id.name().into();
        let mut fields = Vec::with_capacity(proto.field.len());
        for (index, field) in take(&mut proto.field).into_iter().enumerate() {
            let mut field =
                field::field(&self.types, field, &owner, &inner, (tag::FIELD, index), &oneofs)?;
            field.in_map_entry = entry;
            if entry {
                // Maps are never delimited, regardless of the file's features.
                field.kind = field.declared;
            }
            field.id.stands_at.clone_from(&id.stands_at);
            fields.push(field);
        }
        let map_fields = Self::map_fields(&fields);
        self.messages(take(&mut proto.nested_type), &inner, tag::MESSAGE, &map_fields)?;
        self.enums(take(&mut proto.enum_type), &inner, tag::ENUM)?;
        self.extensions(take(&mut proto.extension), &inner, tag::EXTENSION)?;
        self.schema.message_by_name.insert(id.full.clone(), self.schema.messages.len());
        self.schema.messages.push(MessageDescriptor {
            fields,
            oneofs,
            reserved: spans(&proto.reserved_range, 1),
            reserved_names: proto.reserved_name,
            extension_ranges: spans(&proto.extension_range, 1),
            no_standard_descriptor_accessor: options.no_standard_descriptor_accessor,
            features,
            id,
        });
        Ok(())
    }

    /// Returns the entry types that fields of a message stand in for, with the place of the field's
    /// type.
    fn map_fields(fields: &[FieldDescriptor]) -> HashMap<String, Box<[i32]>> {
        let maps = fields.iter().filter(|field| field.cardinality == Cardinality::Map);
        maps.map(|field| {
            (field.type_name.clone(), [&*field.id.path, &[tag::TYPE_NAME]].concat().into())
        })
        .collect()
    }

    fn enums(&mut self, protos: Vec<EnumProto>, scope: &Scope<'_>, tag: i32) -> Result<()> {
        for (index, proto) in protos.into_iter().enumerate() {
            let id = scope.id(&proto.name, "enum", tag, index)?;
            let own = proto.options.as_ref().and_then(|options| options.features.as_ref());
            let features = scope.features.with(own);
            let inner = scope.inside(&id, features);
            let values = enum_values(proto.value, &inner)?;
            self.schema.enum_by_name.insert(id.full.clone(), self.schema.enums.len());
            self.schema.enums.push(EnumDescriptor {
                values,
                reserved: spans(&proto.reserved_range, 0),
                reserved_names: proto.reserved_name,
                features,
                id,
            });
        }
        Ok(())
    }

    fn extensions(&mut self, protos: Vec<FieldProto>, scope: &Scope<'_>, tag: i32) -> Result<()> {
        for (index, mut proto) in protos.into_iter().enumerate() {
            proto.oneof_index = None;
            let owner: Arc<str> = without_dot(&proto.extendee).into();
            let extension = field::field(&self.types, proto, &owner, scope, (tag, index), &[])?;
            self.schema.extensions.push(FieldDescriptor { is_extension: true, ..extension });
        }
        Ok(())
    }

    fn service(proto: ServiceProto, scope: &Scope<'_>, index: usize) -> Result<ServiceDescriptor> {
        let id = scope.id(&proto.name, "service", tag::SERVICE, index)?;
        let methods = methods(proto.method, id.name(), &scope.inside(&id, scope.features))?;
        Ok(ServiceDescriptor { methods, id })
    }
}

/// Creates the values of an enum, whose scope is given.
fn enum_values(protos: Vec<EnumValueProto>, scope: &Scope<'_>) -> Result<Vec<EnumValueDescriptor>> {
    let value = |(index, value): (usize, EnumValueProto)| {
        let id = scope.id(&value.name, "enum value", tag::ENUM_VALUE, index)?;
        Ok(EnumValueDescriptor { id, number: value.number })
    };
    protos.into_iter().enumerate().map(value).collect()
}

/// Creates the RPCs of a service, whose scope is given.
fn methods(protos: Vec<MethodProto>, service: &str, scope: &Scope<'_>) -> Result<Vec<Method>> {
    let method = |(index, method): (usize, MethodProto)| {
        Ok(Method {
            id: scope.id(&method.name, "RPC", tag::METHOD, index)?,
            service: service.to_owned(),
            input: without_dot(&method.input_type),
            output: without_dot(&method.output_type),
            client_streaming: method.client_streaming,
            server_streaming: method.server_streaming,
            idempotency_level: method.options.map_or(0, |options| options.idempotency_level),
        })
    };
    protos.into_iter().enumerate().map(method).collect()
}

fn take<T>(list: &mut Vec<T>) -> Vec<T> {
    std::mem::take(list)
}

fn head(proto: &FileProto) -> Result<(Syntax, Features)> {
    if proto.name.is_empty() {
        return Err(problem::unnamed("file", "").into());
    }
    let syntax =
        Syntax::of(proto).ok_or_else(|| problem::unknown_syntax(&proto.syntax, &proto.name))?;
    let features = Features::of_file(proto)
        .ok_or_else(|| problem::unknown_edition(proto.edition, &proto.name))?;
    Ok((syntax, features))
}

/// Returns ranges with both ends included; `beyond` is the distance of the stored end from the last
/// number.
fn spans(ranges: &[RangeProto], beyond: i64) -> Vec<Span> {
    let span =
        |range: &RangeProto| Span { start: range.start.into(), end: i64::from(range.end) - beyond };
    ranges.iter().map(span).collect()
}
