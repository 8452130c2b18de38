//! The schema behind the JSON mapping of `nri` (feature `serde`): every message and enum as data.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use nri_schema::history::History;
use nri_schema::model::{Enum, Field, FieldKind, Label, Message, Protocol};
use nri_schema::{Error, ErrorKind, Problem};

pub(super) fn emit(history: &History) -> Result<TokenStream, Error> {
    let Some(newest) = history.revisions().last() else {
        return Ok(TokenStream::new());
    };
    let protocol = newest.protocol()?;
    let package = &protocol.package;
    let declared = declared(protocol);
    let messages = declared
        .messages
        .iter()
        .map(|found| message(found, package));
    let messages = messages.collect::<Result<Vec<_>, Problem>>()?;
    let enums = declared
        .enums
        .iter()
        .map(|found| enumeration(found, package));
    let message_types = types(
        declared.messages.iter().map(|found| &*found.full_name),
        package,
    );
    let enum_types = types(
        declared.enums.iter().map(|found| &*found.full_name),
        package,
    );
    let has_floats = declared.messages.iter().any(|found| has_floats(found));
    Ok(quote! {
        use super::schema::{Enum, Field, Kind, Message, Shape};
        use crate::api;

        /// Whether any field is a floating-point number.
        pub(super) const HAS_FLOATS: bool = #has_floats;

        #(super::message! { #message_types })*
        #(super::enumeration! { #enum_types })*
        #(#messages)*
        #(#enums)*
    })
}

/// All declarations of a protocol, including nested ones.
#[derive(Default)]
struct Declared<'p> {
    messages: Vec<&'p Message>,
    enums: Vec<&'p Enum>,
}

fn declared(protocol: &Protocol) -> Declared<'_> {
    let mut declared = Declared::default();
    let mut open: Vec<&Message> = protocol.messages.iter().rev().collect();
    while let Some(message) = open.pop() {
        declared.messages.push(message);
        declared.enums.extend(&message.enums);
        open.extend(message.messages.iter().rev());
    }
    declared.enums.extend(&protocol.enums);
    declared
}

/// Pairs of a Rust type and its constant.
fn types<'p>(
    names: impl Iterator<Item = &'p str>,
    package: &str,
) -> impl Iterator<Item = TokenStream> {
    names.map(move |name| {
        let (path, constant) = (rust_path(name, package), constant(name, package));
        quote!(#path => #constant)
    })
}

/// Returns the path of the type that prost generates for this name: `LogRequest.Level` is
/// `log_request::Level`.
fn rust_path(full_name: &str, package: &str) -> TokenStream {
    let mut parts: Vec<&str> = local(full_name, package).split('.').collect();
    let name = parts.pop().unwrap_or_default().to_upper_camel_case();
    let modules = parts
        .iter()
        .map(|part| format_ident!("{}", part.to_snake_case()));
    let name = Ident::new(&name, Span::call_site());
    quote!(api::#(#modules::)*#name)
}

fn constant(full_name: &str, package: &str) -> Ident {
    format_ident!(
        "{}",
        local(full_name, package)
            .replace('.', "_")
            .to_shouty_snake_case()
    )
}

fn local<'n>(full_name: &'n str, package: &str) -> &'n str {
    let local = full_name.strip_prefix(package);
    local.map_or(full_name, |local| local.trim_start_matches('.'))
}

fn message(message: &Message, package: &str) -> Result<TokenStream, Problem> {
    let (constant, name) = (constant(&message.full_name, package), &message.name);
    let fields = message.fields.iter().map(|found| field(found, package));
    let fields = fields.collect::<Result<Vec<_>, Problem>>()?;
    Ok(quote! {
        static #constant: Message = Message { name: #name, fields: &[#(#fields),*] };
    })
}

fn field(field: &Field, package: &str) -> Result<TokenStream, Problem> {
    let Field {
        name, json_name, ..
    } = field;
    let number = u32::try_from(field.number).unwrap_or_default();
    let (shape, kind) = match (&field.kind, field.label) {
        (FieldKind::Map { key, value }, _) => {
            let key = scalar(key, field)?;
            (quote!(Shape::Map(#key)), kind(value, field, package)?)
        }
        (single, Label::Repeated) => (quote!(Shape::List), kind(single, field, package)?),
        (single, Label::Single | Label::Required) => {
            (quote!(Shape::Single), kind(single, field, package)?)
        }
    };
    Ok(quote! {
        Field { name: #name, json_name: #json_name, number: #number, shape: #shape, kind: #kind }
    })
}

fn has_floats(message: &Message) -> bool {
    message.fields.iter().any(|field| match &field.kind {
        FieldKind::Scalar(name) => is_float(name),
        FieldKind::Map { value, .. } => {
            matches!(&**value, FieldKind::Scalar(name) if is_float(name))
        }
        FieldKind::Message(_) | FieldKind::Enum(_) => false,
    })
}

fn is_float(scalar: &str) -> bool {
    matches!(scalar, "float" | "double")
}

fn kind(kind: &FieldKind, field: &Field, package: &str) -> Result<TokenStream, Problem> {
    match kind {
        FieldKind::Scalar(name) => scalar(name, field),
        FieldKind::Message(name) if name.starts_with(package) => {
            let constant = constant(name, package);
            Ok(quote!(Kind::Message(&#constant)))
        }
        FieldKind::Enum(name) if name.starts_with(package) => {
            let constant = constant(name, package);
            Ok(quote!(Kind::Enum(&#constant)))
        }
        FieldKind::Message(name) | FieldKind::Enum(name) => Err(unmapped(name, field)),
        FieldKind::Map { .. } => Err(unmapped("a map of maps", field)),
    }
}

fn scalar(name: &str, field: &Field) -> Result<TokenStream, Problem> {
    let variant = match name {
        "bool" => "Bool",
        "int32" => "Int32",
        "int64" => "Int64",
        "uint32" => "Uint32",
        "uint64" => "Uint64",
        "sint32" => "Sint32",
        "sint64" => "Sint64",
        "fixed32" => "Fixed32",
        "fixed64" => "Fixed64",
        "sfixed32" => "Sfixed32",
        "sfixed64" => "Sfixed64",
        "float" => "Float",
        "double" => "Double",
        "string" => "String",
        "bytes" => "Bytes",
        other => return Err(unmapped(other, field)),
    };
    let variant = Ident::new(variant, Span::call_site());
    Ok(quote!(Kind::#variant))
}

fn unmapped(name: &str, field: &Field) -> Problem {
    let fact = format!(
        "{} has type {name}, which has no JSON mapping here",
        field.full_name
    );
    Problem::new(ErrorKind::Protocol, fact).with_help("add the mapping to nri/src/json")
}

fn enumeration(found: &Enum, package: &str) -> TokenStream {
    let (constant, name) = (constant(&found.full_name, package), &found.name);
    let values = found.values.iter().map(|value| {
        let (name, number) = (&value.name, value.number);
        quote!((#name, #number))
    });
    quote! {
        static #constant: Enum = Enum { name: #name, values: &[#(#values),*] };
    }
}
