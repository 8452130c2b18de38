//! From descriptors to a schema: flatten, name, resolve, check.

use std::collections::{HashMap, HashSet};

use super::super::descriptor::{
    EnumProto, FieldProto, FileProto, FileSet, MessageProto, OneofProto, RangeProto, ServiceProto,
};
use super::super::features::{Features, Syntax, value};
use super::Schema;
use super::element::{
    Cardinality, Enum, EnumValue, Field, File, Id, Message, Method, Oneof, Service, Span, number,
};
use super::error::{Kind, SchemaError};
use super::location::Locations;

type Result<T> = std::result::Result<T, SchemaError>;

/// Builds the schema of a set.
pub(super) fn schema(set: FileSet, text: &dyn Fn(&str) -> Option<String>) -> Result<Schema> {
    let mut builder = Builder {
        types: types_of(&set),
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

/// What a type name can stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Message,
    MapEntry,
    Enum,
}

/// Every type of the set by its full name: fields may use types that come later.
fn types_of(set: &FileSet) -> HashMap<String, Type> {
    fn messages(scope: &str, protos: &[MessageProto], types: &mut HashMap<String, Type>) {
        for proto in protos {
            let full = join(scope, &proto.name);
            let is_entry = proto
                .options
                .as_ref()
                .is_some_and(|options| options.map_entry);
            messages(&full, &proto.nested_type, types);
            enums(&full, &proto.enum_type, types);
            types.insert(
                full,
                if is_entry {
                    Type::MapEntry
                } else {
                    Type::Message
                },
            );
        }
    }
    fn enums(scope: &str, protos: &[EnumProto], types: &mut HashMap<String, Type>) {
        types.extend(
            protos
                .iter()
                .map(|proto| (join(scope, &proto.name), Type::Enum)),
        );
    }
    let mut types = HashMap::new();
    for file in &set.file {
        messages(&file.package, &file.message_type, &mut types);
        enums(&file.package, &file.enum_type, &mut types);
    }
    types
}

fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() {
        name.to_owned()
    } else {
        format!("{scope}.{name}")
    }
}

/// Where the walk is: names, path and features that what is declared here inherits.
struct Scope<'a> {
    file: usize,
    file_name: &'a str,
    package: &'a str,
    nested: &'a str,
    path: &'a [i32],
    features: Features,
}

impl Scope<'_> {
    fn id(&self, name: String, what: &'static str, tag: i32, index: usize) -> Result<Id> {
        if name.is_empty() {
            return Err(SchemaError::new(Kind::Unnamed(what), self.file_name));
        }
        let nested = join(self.nested, &name);
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        Ok(Id {
            full: join(self.package, &nested),
            nested,
            name,
            file: self.file,
            path: [self.path, &[tag, index]].concat(),
            stands_at: None,
        })
    }

    fn inside<'a>(&'a self, id: &'a Id, features: Features) -> Scope<'a> {
        Scope {
            nested: &id.nested,
            path: &id.path,
            features,
            ..*self
        }
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
    types: HashMap<String, Type>,
    declared: HashSet<String>,
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
            let mut field = self.field(field, &inner, (tag::FIELD, index), &oneofs)?;
            field.owner.clone_from(&id.name);
            field.in_map_entry = entry;
            field.id.stands_at.clone_from(&id.stands_at);
            fields.push(field);
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
            let values = values.collect::<Result<_>>()?;
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
            let extension = self.field(proto, scope, (tag, index), &[])?;
            self.declare(&extension.id.full, scope)?;
            self.schema.extensions.push(Field {
                owner,
                is_extension: true,
                ..extension
            });
        }
        Ok(())
    }

    fn field(
        &self,
        proto: FieldProto,
        scope: &Scope<'_>,
        (tag, index): (i32, usize),
        oneofs: &[Oneof],
    ) -> Result<Field> {
        let id = scope.id(proto.name.clone(), "field", tag, index)?;
        let options = proto.options.as_ref();
        let features = scope
            .features
            .with(options.and_then(|options| options.features.as_ref()));
        let type_name = without_dot(&proto.type_name);
        let Some((declared, is_map)) = self.declared_type(&proto, &type_name) else {
            return Err(SchemaError::new(Kind::Type(id.full), scope.file_name));
        };
        let oneof = oneof_of(&proto, oneofs, &id, scope)?;
        let delimited = declared == number::MESSAGE
            && features.message_encoding == value::ENCODING_DELIMITED
            && !is_map;
        Ok(Field {
            number: proto.number,
            label: proto.label,
            declared,
            kind: if delimited { number::GROUP } else { declared },
            cardinality: cardinality(&proto, declared, is_map, features),
            oneof: oneof
                .filter(|oneof| !oneof.synthetic)
                .map(|oneof| oneof.name.clone()),
            owner: String::new(),
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

    /// A field's type, and whether it is a map.
    fn declared_type(&self, proto: &FieldProto, type_name: &str) -> Option<(i32, bool)> {
        match (proto.r#type, self.types.get(type_name)) {
            (0 | number::ENUM, Some(Type::Enum)) => Some((number::ENUM, false)),
            (0 | number::MESSAGE, Some(Type::Message)) => Some((number::MESSAGE, false)),
            (0 | number::MESSAGE, Some(Type::MapEntry)) => {
                Some((number::MESSAGE, proto.label == number::LABEL_REPEATED))
            }
            (number::GROUP, Some(Type::Message)) => Some((number::GROUP, false)),
            (number::GROUP | number::MESSAGE | number::ENUM, _) => None,
            (number::DOUBLE..=number::SINT64, _) => Some((proto.r#type, false)),
            _ => None,
        }
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
        let methods = methods.collect::<Result<_>>()?;
        Ok(Service { methods, id })
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

fn without_dot(name: &str) -> String {
    name.strip_prefix('.').unwrap_or(name).to_owned()
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

/// A proto3 `optional` is compiled as a oneof of one field, which nobody wrote.
fn oneofs(proto: &mut MessageProto, scope: &Scope<'_>) -> Result<Vec<Oneof>> {
    let (mut members, mut optional) = (HashMap::<_, usize>::new(), HashSet::new());
    for (field, index) in proto
        .field
        .iter()
        .filter_map(|field| Some((field, field.oneof_index?)))
    {
        *members.entry(index).or_default() += 1;
        if field.proto3_optional {
            optional.insert(index);
        }
    }
    let declared = (0..).zip(take(&mut proto.oneof_decl));
    declared
        .map(|(index, OneofProto { name })| {
            if name.is_empty() {
                return Err(SchemaError::new(Kind::Unnamed("oneof"), scope.file_name));
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
    let oneof = usize::try_from(index)
        .ok()
        .and_then(|index| oneofs.get(index));
    oneof
        .map(Some)
        .ok_or_else(|| SchemaError::new(Kind::Oneof(id.full.clone()), scope.file_name))
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
