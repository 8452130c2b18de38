//! From descriptors to a schema: flatten, name, resolve, check.

use std::collections::{HashMap, HashSet};

use super::super::descriptor::{
    EnumProto, FieldProto, FileProto, FileSet, MessageProto, RangeProto, ServiceProto,
};
use super::super::features::{Features, Syntax};
use super::Schema;
use super::element::{
    Cardinality, Enum, EnumValue, Field, File, Id, Message, Method, Service, Span,
};
use super::error::{Kind, SchemaError};
use super::field::{self, oneofs, without_dot};
use super::location::Locations;
use super::scope::{Scope, join};
use super::types::Types;

type Result<T> = std::result::Result<T, SchemaError>;

/// Builds the schema of a set.
pub(super) fn schema(set: FileSet, text: &dyn Fn(&str) -> Option<String>) -> Result<Schema> {
    let mut builder = Builder {
        types: Types::of(&set),
        ..Builder::default()
    };
    let known: HashSet<String> = set.file.iter().map(|file| file.name.clone()).collect();
    for file in set.file {
        check_imports(&file, &known)?;
        let text = text(&file.name);
        builder.file(file, text)?;
    }
    Ok(builder.schema)
}

fn check_imports(file: &FileProto, known: &HashSet<String>) -> Result<()> {
    match file
        .dependency
        .iter()
        .find(|import| !known.contains(*import))
    {
        Some(import) => Err(SchemaError::new(Kind::Import(import.clone()), &file.name)),
        None => Ok(()),
    }
}

/// Tags of the lists in which each kind of element is declared: at the top of a file, in a message.
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
    declared: HashSet<String>,
    numbers: HashSet<(String, i32)>,
}

impl Builder {
    fn file(&mut self, mut proto: FileProto, text: Option<String>) -> Result<()> {
        let (syntax, features) = head(&proto)?;
        let file = self.schema.files.len();
        if self
            .schema
            .file_by_name
            .insert(proto.name.clone(), file)
            .is_some()
        {
            return Err(SchemaError::new(Kind::Duplicate(proto.name), ""));
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
            let service = self.service(service, &scope, index)?;
            self.schema.services.push(service);
        }
        self.schema.files.push(File {
            locations: Locations::new(proto.source_code_info.unwrap_or_default().location, text),
            options: proto.options.unwrap_or_default(),
            name: proto.name,
            package: proto.package,
            syntax,
            edition: proto.edition,
        });
        Ok(())
    }

    fn messages(
        &mut self,
        protos: Vec<MessageProto>,
        scope: &Scope<'_>,
        tag: i32,
        map_fields: &HashMap<String, Vec<i32>>,
    ) -> Result<()> {
        for (index, proto) in protos.into_iter().enumerate() {
            let mut id = scope.id(proto.name.clone(), "message", tag, index)?;
            id.stands_at = map_fields.get(&id.full).cloned();
            self.message(proto, id, scope)?;
        }
        Ok(())
    }

    fn message(&mut self, mut proto: MessageProto, id: Id, scope: &Scope<'_>) -> Result<()> {
        self.declare(&id.full, scope)?;
        let options = proto.options.take().unwrap_or_default();
        let features = scope.features.with(options.features.as_ref());
        let inner = scope.inside(&id, features);
        let oneofs = oneofs(&mut proto, scope)?;
        let entry = options.map_entry;
        let mut fields = Vec::with_capacity(proto.field.len());
        for (index, field) in take(&mut proto.field).into_iter().enumerate() {
            let mut field = field::field(&self.types, field, &inner, (tag::FIELD, index), &oneofs)?;
            self.declare_number(&id.full, &field, scope)?;
            field.owner.clone_from(&id.name);
            field.in_map_entry = entry;
            if entry {
                // Maps are never delimited, whatever the file's features say.
                field.kind = field.declared;
            }
            field.id.stands_at.clone_from(&id.stands_at);
            fields.push(field);
        }
        for oneof in &oneofs {
            self.declare(&join(&id.full, &oneof.name), scope)?;
        }
        let map_fields = self.map_fields(&fields);
        self.messages(
            take(&mut proto.nested_type),
            &inner,
            tag::MESSAGE,
            &map_fields,
        )?;
        self.enums(take(&mut proto.enum_type), &inner, tag::ENUM)?;
        self.extensions(take(&mut proto.extension), &inner, tag::EXTENSION)?;
        self.schema
            .message_by_name
            .insert(id.full.clone(), self.schema.messages.len());
        self.schema.messages.push(Message {
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

    /// The entry types that fields of a message stand in for, with the place of the field's type.
    fn map_fields(&self, fields: &[Field]) -> HashMap<String, Vec<i32>> {
        let maps = fields
            .iter()
            .filter(|field| field.cardinality == Cardinality::Map);
        maps.map(|field| {
            (
                field.type_name.clone(),
                [field.id.path.as_slice(), &[tag::TYPE_NAME]].concat(),
            )
        })
        .collect()
    }

    fn enums(&mut self, protos: Vec<EnumProto>, scope: &Scope<'_>, tag: i32) -> Result<()> {
        for (index, proto) in protos.into_iter().enumerate() {
            let id = scope.id(proto.name, "enum", tag, index)?;
            self.declare(&id.full, scope)?;
            let own = proto
                .options
                .as_ref()
                .and_then(|options| options.features.as_ref());
            let features = scope.features.with(own);
            let inner = scope.inside(&id, features);
            let values = proto.value.into_iter().enumerate().map(|(index, value)| {
                let id = inner.id(value.name, "enum value", tag::ENUM_VALUE, index)?;
                Ok(EnumValue {
                    id,
                    number: value.number,
                })
            });
            let values: Vec<EnumValue> = values.collect::<Result<_>>()?;
            for value in &values {
                self.declare(&value.id.full, scope)?;
            }
            self.schema
                .enum_by_name
                .insert(id.full.clone(), self.schema.enums.len());
            self.schema.enums.push(Enum {
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
            let owner = without_dot(&proto.extendee);
            let extension = field::field(&self.types, proto, scope, (tag, index), &[])?;
            self.declare_number(&owner, &extension, scope)?;
            self.schema.extensions.push(Field {
                owner,
                is_extension: true,
                ..extension
            });
        }
        Ok(())
    }

    fn service(&mut self, proto: ServiceProto, scope: &Scope<'_>, index: usize) -> Result<Service> {
        let id = scope.id(proto.name, "service", tag::SERVICE, index)?;
        self.declare(&id.full, scope)?;
        let inner = scope.inside(&id, scope.features);
        let methods = proto.method.into_iter().enumerate().map(|(index, method)| {
            Ok(Method {
                id: inner.id(method.name, "RPC", tag::METHOD, index)?,
                service: id.name.clone(),
                input: without_dot(&method.input_type),
                output: without_dot(&method.output_type),
                client_streaming: method.client_streaming,
                server_streaming: method.server_streaming,
                idempotency_level: method
                    .options
                    .map_or(0, |options| options.idempotency_level),
            })
        });
        let methods: Vec<Method> = methods.collect::<Result<_>>()?;
        for method in &methods {
            self.declare(&method.id.full, scope)?;
        }
        Ok(Service { methods, id })
    }

    /// Declares a field or extension, whose number is unique in the message that has it.
    fn declare_number(&mut self, message: &str, field: &Field, scope: &Scope<'_>) -> Result<()> {
        self.declare(&field.id.full, scope)?;
        if self.numbers.insert((message.to_owned(), field.number)) {
            return Ok(());
        }
        let kind = Kind::Number(message.to_owned(), field.number);
        Err(SchemaError::new(kind, scope.file_name))
    }

    fn declare(&mut self, full: &str, scope: &Scope<'_>) -> Result<()> {
        if self.declared.insert(full.to_owned()) {
            return Ok(());
        }
        Err(SchemaError::new(
            Kind::Duplicate(full.to_owned()),
            scope.file_name,
        ))
    }
}

fn take<T>(list: &mut Vec<T>) -> Vec<T> {
    std::mem::take(list)
}

fn head(proto: &FileProto) -> Result<(Syntax, Features)> {
    if proto.name.is_empty() {
        return Err(SchemaError::new(Kind::Unnamed("file"), ""));
    }
    let syntax = Syntax::of(proto)
        .ok_or_else(|| SchemaError::new(Kind::Syntax(proto.syntax.clone()), &proto.name))?;
    let features = Features::of_file(proto)
        .ok_or_else(|| SchemaError::new(Kind::Edition(proto.edition), &proto.name))?;
    Ok((syntax, features))
}

/// Ranges with both ends included; `beyond` is how far the written end lies past the last number.
fn spans(ranges: &[RangeProto], beyond: i64) -> Vec<Span> {
    let span = |range: &RangeProto| Span {
        start: range.start.into(),
        end: i64::from(range.end) - beyond,
    };
    ranges.iter().map(span).collect()
}
