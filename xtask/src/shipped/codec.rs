//! The codec and the JSON mapping of `nri`: instead of deriving `prost::Message`, each message
//! lists its fields, and shares the code for them with all others. This makes plugins smaller, and
//! quicker to compile.
//!
//! Types and numbers come from the attributes that prost-build writes for the derive, names in the
//! proto from the schema.

use heck::{ToSnakeCase, ToUpperCamelCase};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{
    Arm, Attribute, Expr, ExprLit, Field, Ident, ImplItem, Item, ItemEnum, ItemImpl, ItemStruct,
    Lit, Meta, Pat, Path, Stmt, Token,
};

use super::{boxed, optional};
use nri_schema::model::{self, Protocol};
use nri_schema::{Error, ErrorKind, Problem};

/// The types of fields, of keys and of values in maps that `nri/src/codec` handles.
const TYPES: [&str; 8] =
    ["bool", "enumeration", "int32", "int64", "message", "string", "uint32", "uint64"];

/// Paths that `nri` writes shorter, because none of its messages has these names.
const PATHS: [(&str, &str); 4] = [
    ("::prost::alloc::string::", ""),
    ("::prost::alloc::vec::", ""),
    ("::core::option::", ""),
    ("::prost::alloc::", "::std::"),
];

/// Tables of RPCs and events and their types. `nri` has them in `plugin::Rpc`.
const TABLES: [&str; 5] = ["EVENTS", "EventInfo", "RPCS", "Rpc", "StateChangeCoverage"];

/// The value of `Event` that is one more than the highest event. It changes with every new event,
/// so `nri` lacks it.
const SENTINEL: (&str, &str) = ("Event", "Last");

/// The longest line of the codec.
const MAX_WIDTH: usize = 118;

/// The messages of `nri` without the derive of prost, and their codec.
pub(super) struct Codec {
    pub(super) messages: TokenStream,
    pub(super) codec: String,
}

/// A field, as described by its attribute.
struct Described {
    name: Ident,
    number: u32,
    /// The name in the proto, if it is not that in Rust.
    proto_name: Option<String>,
    /// The enum, if it is one.
    enumeration: Option<Path>,
    is_list: bool,
}

pub(super) fn emit(messages: &str, protocol: &Protocol) -> Result<Codec, Error> {
    let messages =
        PATHS.iter().fold(messages.to_owned(), |text, (long, short)| text.replace(long, short));
    let file = syn::parse_file(&messages).map_err(|error| unexpected(error.to_string()))?;
    let mut codec = "\
//! The fields of all messages, for encoding, decoding and JSON, and the names of enum values.

use crate::api;
use crate::codec::enum_fields;

"
    .to_owned();
    let mut items = inner_items(file);
    items.retain(|item| !is_table(item));
    optional::unwrap(&mut items, &protocol.messages)?;
    boxed::put(&mut items);
    for item in &mut items {
        each(item, "api::", &protocol.messages, &mut codec)?;
    }
    Ok(Codec { messages: quote!(#(#items)*), codec })
}

/// Returns the items of the outermost module, whose attributes are those of a file that is
/// included.
fn inner_items(file: syn::File) -> Vec<Item> {
    let modules = file.items.into_iter().filter_map(|item| match item {
        Item::Mod(module) => module.content,
        _ => None,
    });
    modules.flat_map(|(_, items)| items).collect()
}

/// Finds messages and enums among items. `declared` are the messages that the schema has there.
fn each(
    item: &mut Item,
    module: &str,
    declared: &[model::Message],
    codec: &mut String,
) -> Result<(), Error> {
    match item {
        Item::Struct(found) if derives(&found.attrs).iter().any(is_message) => {
            *codec += &message(found, module, declared)?;
        }
        Item::Enum(found) => {
            replace_derives(&mut found.attrs, |path| !is_enumeration(path), None);
            grow(found);
        }
        Item::Impl(found) => {
            let name = spelled(&found.self_ty);
            let mut names = names(found);
            if !names.is_empty() {
                names.retain(|row| !is_sentinel(&name, row.split(' ').next().unwrap_or_default()));
                *codec += &call("enumeration", module, &name, &names);
                *item = Item::Verbatim(TokenStream::new());
            }
        }
        Item::Mod(found) => {
            let path = format!("{module}{}::", found.ident);
            let outer = declared.iter().find(|message| found.ident == message.name.to_snake_case());
            let nested = outer.map_or(&[][..], |message| &message.messages);
            for inner in found.content.iter_mut().flat_map(|(_, items)| items) {
                each(inner, &path, nested, codec)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Lets an enum get more values in a later release of NRI without breaking the code that matches
/// it.
fn grow(found: &mut ItemEnum) {
    let name = found.ident.to_string();
    let variants = std::mem::take(&mut found.variants);
    let kept =
        variants.into_iter().filter(|variant| !is_sentinel(&name, &variant.ident.to_string()));
    found.variants = kept.collect();
    found.attrs.push(syn::parse_quote!(#[non_exhaustive]));
}

fn is_sentinel(enumeration: &str, value: &str) -> bool {
    (enumeration, value) == SENTINEL
}

fn is_table(item: &Item) -> bool {
    let name = match item {
        Item::Const(found) => &found.ident,
        Item::Struct(found) => &found.ident,
        _ => return false,
    };
    TABLES.iter().any(|table| name == table)
}

fn derives(attrs: &[Attribute]) -> Vec<Path> {
    let derives = attrs.iter().filter(|attr| attr.path().is_ident("derive"));
    let paths = derives.filter_map(|attr| {
        attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated).ok()
    });
    paths.flatten().collect()
}

fn is_message(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "Message")
}

fn is_enumeration(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "Enumeration")
}

/// Returns the values of an enum with their names in the proto, from the function of prost-build
/// that returns these: `RunPodSandbox "RUN_POD_SANDBOX"`. Returns nothing for other items.
fn names(found: &ItemImpl) -> Vec<String> {
    let function = found.items.iter().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == "as_str_name" => Some(function),
        _ => None,
    });
    match function.map(|function| &function.block.stmts[..]) {
        Some([Stmt::Expr(Expr::Match(names), None)]) => names.arms.iter().map(row_of_arm).collect(),
        _ => Vec::new(),
    }
}

fn row_of_arm(arm: &Arm) -> String {
    let value = match &arm.pat {
        Pat::Path(value) => value.path.segments.last().map(spelled).unwrap_or_default(),
        other => spelled(other),
    };
    format!("{value} {}", spelled(&arm.body))
}

fn spelled(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}

/// Returns the call of a macro of `nri/src/codec` for a type, with as many rows in a line as fit.
fn call(name: &str, module: &str, ty: &str, rows: &[String]) -> String {
    let mut text = format!("{name}! {{ {module}{ty}, {ty:?} {{");
    let mut width = text.len();
    for row in rows {
        if width + row.len() > MAX_WIDTH {
            text += "\n   ";
            width = 3;
        }
        text += &format!(" {row},");
        width += row.len() + 2;
    }
    text + " } }\n"
}

/// Keeps some derives, and adds others.
fn replace_derives(
    attrs: &mut Vec<Attribute>,
    keep: impl Fn(&Path) -> bool,
    more: Option<TokenStream>,
) {
    let kept = derives(attrs).into_iter().filter(keep);
    let derive: Attribute = syn::parse_quote!(#[derive(#(#kept,)* #more)]);
    attrs.retain(|attr| !attr.path().is_ident("derive"));
    attrs.push(derive);
}

/// Replaces the derive of a message, and returns its codec.
fn message(
    found: &mut ItemStruct,
    module: &str,
    declared: &[model::Message],
) -> Result<String, Error> {
    let name = found.ident.clone();
    let declared = declared
        .iter()
        .find(|message| name == message.name.to_upper_camel_case())
        .ok_or_else(|| unexpected(format!("the schema has no message {name}")))?;
    let mut fields = Vec::new();
    for field in &mut found.fields {
        let mut described = described(&name, field)?;
        described.proto_name = proto_name(declared, &described)?;
        fields.push(described);
        field.attrs.retain(|attr| !attr.path().is_ident("prost"));
    }
    let has_enums = fields.iter().any(|field| field.enumeration.is_some());
    let debug = (!has_enums).then(|| quote!(Debug,));
    let more = quote!(#debug Default);
    replace_derives(&mut found.attrs, |path| !is_message(path), Some(more));

    let lines: Vec<_> = fields.iter().map(|field| shown(field, module)).collect();
    let shown = has_enums.then(|| call("enum_fields", module, &name.to_string(), &lines));
    fields.sort_by_key(|field| std::cmp::Reverse(field.number));
    let rows: Vec<_> = fields.iter().map(|field| row(field, module)).collect();
    Ok(call("message", module, &name.to_string(), &rows) + &shown.unwrap_or_default())
}

/// Returns the row of a field: `6 => nri_version "NRI_version"`,
/// `2 => level: api::log_request::Level`.
fn row(field: &Described, module: &str) -> String {
    let mut row = format!("{} => {}", field.number, field.name);
    if let Some(name) = &field.proto_name {
        row += &format!(" {name:?}");
    }
    if let Some(enumeration) = &field.enumeration {
        row += &format!(": {module}{}", spelled(enumeration));
    }
    row
}

/// Returns the row of a field with the functions that prost has for an enum:
/// `level: api::log_request::Level = set_level`, `flags[api::MpolFlag] = push_flags`.
fn shown(field: &Described, module: &str) -> String {
    let name = field.name.to_string();
    let bare = name.trim_start_matches("r#");
    match &field.enumeration {
        None => name,
        Some(item) if field.is_list => {
            format!("{name}[{module}{}] = push_{bare}", spelled(item))
        }
        Some(value) => format!("{name}: {module}{} = set_{bare}", spelled(value)),
    }
}

/// Returns the name of a field in the proto, unless it is that in Rust. Its name in JSON follows
/// from it.
fn proto_name(message: &model::Message, field: &Described) -> Result<Option<String>, Error> {
    let number = i32::try_from(field.number).unwrap_or_default();
    let declared = message
        .fields
        .iter()
        .find(|found| found.number == number)
        .ok_or_else(|| unexpected(format!("{} has no field {number}", message.full_name)))?;
    if declared.json_name != json_name(&declared.name) {
        let fact = format!("{} has a `json_name`", declared.full_name);
        let problem = Problem::new(ErrorKind::Protocol, fact);
        return Err(problem.with_help("let nri/src/json read it").into());
    }
    Ok((field.name != declared.name).then(|| declared.name.clone()))
}

/// Returns the name in JSON that follows from a name in the proto, as `nri/src/json` derives it.
fn json_name(name: &str) -> String {
    let mut parts = name.split('_');
    let start = parts.next().unwrap_or_default().to_owned();
    parts.fold(start, |json_name, part| {
        let (first, rest) = part.split_at(part.len().min(1));
        json_name + &first.to_ascii_uppercase() + rest
    })
}

/// Reads the attribute of a field.
fn described(message: &Ident, field: &Field) -> Result<Described, Error> {
    let name = field
        .ident
        .clone()
        .ok_or_else(|| unexpected(format!("{message} has a field without name")))?;
    let unsupported =
        || unexpected(format!("{message}.{name} has a type that nri/src/codec does not handle"));
    let attr =
        field.attrs.iter().find(|attr| attr.path().is_ident("prost")).ok_or_else(unsupported)?;
    let parts = attr
        .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        .map_err(|_| unsupported())?;
    let mut found = Described {
        name: name.clone(),
        number: 0,
        proto_name: None,
        enumeration: None,
        is_list: false,
    };
    let mut is_message = false;
    for part in &parts {
        let key = part.path().require_ident().map_err(|_| unsupported())?.to_string();
        match (key.as_str(), text(part)) {
            ("tag", Some(number)) => found.number = number.parse().map_err(|_| unsupported())?,
            ("enumeration", Some(path)) => {
                found.enumeration = Some(syn::parse_str(&path).map_err(|_| unsupported())?);
            }
            ("btree_map", Some(types)) if types.split(", ").all(|ty| TYPES.contains(&ty)) => {}
            ("repeated", None) => found.is_list = true,
            ("optional", None) if is_message => {}
            (known, None) if TYPES.contains(&known) => is_message = known == "message",
            _ => return Err(unsupported().into()),
        }
    }
    Ok(found)
}

/// Returns the text of `key = "text"`.
fn text(part: &Meta) -> Option<String> {
    match part {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        Meta::Path(_) | Meta::List(_) => None,
    }
}

fn unexpected(fact: String) -> Problem {
    Problem::new(ErrorKind::Protocol, fact).with_help("add the type to nri/src/codec")
}
