//! The codec and the JSON mapping of `nri`: instead of deriving `prost::Message`, each message lists its fields, and
//! shares the code for them with all others. This makes plugins smaller, and quicker to compile.
//!
//! Types and numbers come from the attributes that prost-build writes for the derive, names in the proto from the schema.

use heck::{ToSnakeCase, ToUpperCamelCase};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, ExprLit, Field, Ident, Item, ItemEnum, ItemStruct, Lit, Meta, Path, Token,
};

use nri_schema::model::{self, Protocol};
use nri_schema::{Error, ErrorKind, Problem};

/// The types of fields, of keys and of values in maps that `nri/src/codec` handles.
const TYPES: [&str; 8] = [
    "bool",
    "enumeration",
    "int32",
    "int64",
    "message",
    "string",
    "uint32",
    "uint64",
];

/// The messages of `nri` without the derive of prost, and their codec.
pub(super) struct Codec {
    pub(super) messages: TokenStream,
    pub(super) codec: TokenStream,
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
    let messages = messages.replace("::prost::alloc::", "::std::");
    let mut file = syn::parse_file(&messages).map_err(|error| unexpected(error.to_string()))?;
    let mut codec = TokenStream::new();
    for item in &mut file.items {
        each(item, &[], &protocol.messages, &mut codec)?;
    }
    Ok(Codec {
        messages: file.into_token_stream(),
        codec: quote! {
            //! The fields of all messages, for encoding, decoding and JSON, and access to fields that are enums.

            use crate::api;
            use crate::codec::named;

            #codec
        },
    })
}

/// Finds messages and enums among items, without the outermost module, which is not part of their paths. `declared` are
/// the messages that the schema has there.
fn each(
    item: &mut Item,
    modules: &[Ident],
    declared: &[model::Message],
    codec: &mut TokenStream,
) -> Result<(), Error> {
    match item {
        Item::Struct(found) if derives(&found.attrs).iter().any(is_message) => {
            codec.extend(message(found, modules, declared)?);
        }
        Item::Enum(found) if derives(&found.attrs).iter().any(is_enumeration) => {
            codec.extend(enumeration(found, modules)?);
        }
        Item::Mod(module) if module.ident == "generated" => {
            for item in module.content.iter_mut().flat_map(|(_, items)| items) {
                each(item, modules, declared, codec)?;
            }
        }
        Item::Mod(module) => {
            let path = [modules, std::slice::from_ref(&module.ident)].concat();
            let outer = declared
                .iter()
                .find(|message| module.ident == message.name.to_snake_case());
            let nested = outer.map_or(&[][..], |message| &message.messages);
            for item in module.content.iter_mut().flat_map(|(_, items)| items) {
                each(item, &path, nested, codec)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn derives(attrs: &[Attribute]) -> Vec<Path> {
    let derives = attrs.iter().filter(|attr| attr.path().is_ident("derive"));
    let paths = derives.filter_map(|attr| {
        attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
            .ok()
    });
    paths.flatten().collect()
}

fn is_message(path: &Path) -> bool {
    path.segments
        .last()
        .is_some_and(|last| last.ident == "Message")
}

fn is_enumeration(path: &Path) -> bool {
    path.segments
        .last()
        .is_some_and(|last| last.ident == "Enumeration")
}

/// Removes the derive of an enum, and returns the conversions of its values.
fn enumeration(found: &mut ItemEnum, modules: &[Ident]) -> Result<TokenStream, Error> {
    replace_derives(&mut found.attrs, |path| !is_enumeration(path), None);
    let (name, text) = (&found.ident, found.ident.to_string());
    let rows = found.variants.iter().map(|variant| {
        let (_, number) = variant
            .discriminant
            .as_ref()
            .ok_or_else(|| unexpected(format!("{name} has a value without number")))?;
        let value = &variant.ident;
        Ok(quote!(#number => #value))
    });
    let rows = rows.collect::<Result<Vec<_>, Error>>()?;
    Ok(quote!(
        enumeration! { api::#(#modules::)*#name, #text { #(#rows),* } }
    ))
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
    modules: &[Ident],
    declared: &[model::Message],
) -> Result<TokenStream, Error> {
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

    let path = quote!(api::#(#modules::)*#name);
    let text = name.to_string();
    let own = has_enums.then(|| {
        [
            accessors(&path, modules, &fields),
            shown(&path, modules, &text, &fields),
        ]
    });
    let own = own.into_iter().flatten();
    fields.sort_by_key(|field| std::cmp::Reverse(field.number));
    let rows = fields.iter().map(|field| row(field, modules));
    Ok(quote! {
        message! { #path, #text { #(#rows),* } }
        #(#own)*
    })
}

/// Returns the row of a field: `6 => nri_version "NRI_version"`, `2 => level: api::log_request::Level`.
fn row(field: &Described, modules: &[Ident]) -> TokenStream {
    let number = proc_macro2::Literal::u32_unsuffixed(field.number);
    let (name, proto_name) = (&field.name, &field.proto_name);
    let enumeration = field.enumeration.as_ref().map(|found| {
        let path = enum_path(modules, found);
        quote!(: #path)
    });
    quote!(#number => #name #proto_name #enumeration)
}

/// Returns the name of a field in the proto, unless it is that in Rust. Its name in JSON follows from it.
fn proto_name(message: &model::Message, field: &Described) -> Result<Option<String>, Error> {
    let number = i32::try_from(field.number).unwrap_or_default();
    let declared = message.fields.iter().find(|found| found.number == number);
    let declared = declared
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
    let unsupported = || {
        unexpected(format!(
            "{message}.{name} has a type that nri/src/codec does not handle"
        ))
    };
    let attr = field
        .attrs
        .iter()
        .find(|attr| attr.path().is_ident("prost"))
        .ok_or_else(unsupported)?;
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
        let key = part
            .path()
            .require_ident()
            .map_err(|_| unsupported())?
            .to_string();
        match (key.as_str(), text(part)) {
            ("tag", Some(number)) => found.number = number.parse().map_err(|_| unsupported())?,
            ("enumeration", Some(path)) => {
                found.enumeration = Some(syn::parse_str(&path).map_err(|_| unsupported())?);
            }
            ("btree_map", Some(types)) if types.split(", ").all(|part| TYPES.contains(&part)) => {}
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
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        Meta::Path(_) | Meta::List(_) => None,
    }
}

/// Returns the path of an enum that an attribute names from the module of its message.
fn enum_path(modules: &[Ident], enumeration: &Path) -> TokenStream {
    quote!(api::#(#modules::)*#enumeration)
}

/// Returns the functions that the derive of prost generates for fields that are enums.
fn accessors(path: &TokenStream, modules: &[Ident], fields: &[Described]) -> TokenStream {
    let functions = fields.iter().filter_map(|field| {
        let (name, ty) = (&field.name, enum_path(modules, field.enumeration.as_ref()?));
        let bare = name.to_string();
        let bare = bare.trim_start_matches("r#");
        Some(if field.is_list {
            list_accessors(name, bare, &ty)
        } else {
            single_accessors(name, bare, &ty)
        })
    });
    quote!(impl #path { #(#functions)* })
}

fn single_accessors(name: &Ident, bare: &str, ty: &TokenStream) -> TokenStream {
    let set = format_ident!("set_{bare}");
    let get_doc = format!(
        " Returns the enum value of `{bare}`, or the default if the field is set to an invalid enum value."
    );
    let set_doc = format!(" Sets `{bare}` to the provided enum value.");
    quote! {
        #[doc = #get_doc]
        pub fn #name(&self) -> #ty {
            #ty::try_from(self.#name).unwrap_or_default()
        }

        #[doc = #set_doc]
        pub fn #set(&mut self, value: #ty) {
            self.#name = value as i32;
        }
    }
}

fn list_accessors(name: &Ident, bare: &str, ty: &TokenStream) -> TokenStream {
    let push = format_ident!("push_{bare}");
    let get_doc =
        format!(" Returns an iterator which yields the valid enum values contained in `{bare}`.");
    let push_doc = format!(" Appends the provided enum value to `{bare}`.");
    quote! {
        #[doc = #get_doc]
        pub fn #name(&self) -> impl Iterator<Item = #ty> {
            self.#name.iter().filter_map(|number| #ty::try_from(*number).ok())
        }

        #[doc = #push_doc]
        pub fn #push(&mut self, value: #ty) {
            self.#name.push(value as i32);
        }
    }
}

/// Returns the implementation of `Debug`, which prints enums by name.
fn shown(path: &TokenStream, modules: &[Ident], text: &str, fields: &[Described]) -> TokenStream {
    let fields = fields.iter().map(|field| {
        let (name, label) = (&field.name, field.name.to_string());
        let value = match &field.enumeration {
            None => quote!(&self.#name),
            Some(enumeration) => {
                let ty = enum_path(modules, enumeration);
                if field.is_list {
                    quote!(&self.#name.iter().map(|number| named::<#ty>(*number)).collect::<Vec<_>>())
                } else {
                    quote!(&named::<#ty>(self.#name))
                }
            }
        };
        quote!(.field(#label, #value))
    });
    quote! {
        impl std::fmt::Debug for #path {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(#text) #(#fields)* .finish()
            }
        }
    }
}

fn unexpected(fact: String) -> Problem {
    Problem::new(ErrorKind::Protocol, fact).with_help("add the type to nri/src/codec")
}
