//! Messages that hold one optional value, such as `OptionalInt64`: in `nri`, a field of such a type
//! is an `Option` of the value.

use syn::{GenericArgument, Item, ItemStruct, PathArguments, Type, TypePath};

use nri_schema::model::Message;
use nri_schema::{Error, ErrorKind, Problem};

/// The start of the names of these messages.
const PREFIX: &str = "Optional";

/// The name of their only field.
const VALUE: &str = "value";

/// Removes these messages, and gives the fields that have them as types the type of the value.
pub(super) fn unwrap(items: &mut Vec<Item>, declared: &[Message]) -> Result<(), Error> {
    let names: Vec<&str> = declared.iter().filter(|it| is_holder(it)).map(|it| &*it.name).collect();
    let mut values = Vec::new();
    items.retain(|item| match item {
        Item::Struct(found) => match value_of(found, &names) {
            Some(value) => {
                values.push((found.ident.to_string(), value));
                false
            }
            None => true,
        },
        _ => true,
    });
    if values.len() != names.len() {
        let fact = format!("{} of these messages have no single value: {names:?}", names.len());
        return Err(Problem::new(ErrorKind::Protocol, fact).into());
    }
    items.iter_mut().for_each(|item| replace(item, &values));
    Ok(())
}

fn is_holder(message: &Message) -> bool {
    let is_value =
        matches!(&message.fields[..], [field] if field.name == VALUE && field.number == 1);
    message.name.starts_with(PREFIX) && is_value
}

/// Returns the type of the value, if a struct is one of these messages.
fn value_of(found: &ItemStruct, names: &[&str]) -> Option<Type> {
    let is_named = names.iter().any(|name| found.ident == name);
    found.fields.iter().next().filter(|_| is_named).map(|field| field.ty.clone())
}

/// Replaces the types of fields, also in modules.
fn replace(item: &mut Item, values: &[(String, Type)]) {
    match item {
        Item::Struct(found) => {
            for field in &mut found.fields {
                if let Type::Path(path) = &mut field.ty {
                    replace_argument(path, values);
                }
            }
        }
        Item::Mod(found) => {
            let items = found.content.iter_mut().flat_map(|(_, items)| items);
            items.for_each(|inner| replace(inner, values));
        }
        _ => {}
    }
}

/// Replaces `OptionalInt64` in `Option<OptionalInt64>`.
fn replace_argument(path: &mut TypePath, values: &[(String, Type)]) {
    let arguments = path.path.segments.last_mut().map(|segment| &mut segment.arguments);
    let Some(PathArguments::AngleBracketed(arguments)) = arguments else {
        return;
    };
    for argument in &mut arguments.args {
        if let GenericArgument::Type(Type::Path(inner)) = argument
            && let Some(last) = inner.path.segments.last()
            && let Some((_, value)) = values.iter().find(|(name, _)| last.ident == name)
        {
            *argument = GenericArgument::Type(value.clone());
        }
    }
}
