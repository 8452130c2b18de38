//! Large messages within the elements of lists. An empty element has two bytes on the wire; in
//! `nri`, a box keeps it small until the large part is set.

use std::collections::BTreeMap;

use syn::{GenericArgument, Item, ItemStruct, PathArguments, PathSegment, Type, parse_quote};

/// The most words of a message that an element of a list holds without a box. A text, a list and a
/// map have three words each.
const MAX_WORDS: usize = 16;

/// The structs of messages by their names.
type Structs = BTreeMap<String, ItemStruct>;

/// Boxes these fields.
pub(super) fn put(items: &mut [Item]) {
    let mut structs = Structs::new();
    collect(items, &mut structs);
    let fields = structs.values().flat_map(|found| &found.fields);
    let elements: Vec<String> = fields.filter_map(|field| element_of(&field.ty)).collect();
    each(items, &mut |found| {
        if elements.iter().any(|name| found.ident == name) {
            found.fields.iter_mut().for_each(|field| put_into(&mut field.ty, &structs));
        }
    });
}

fn collect(items: &[Item], structs: &mut Structs) {
    for item in items {
        match item {
            Item::Struct(found) => {
                structs.insert(found.ident.to_string(), found.clone());
            }
            Item::Mod(found) => {
                found.content.iter().for_each(|(_, inner)| collect(inner, structs));
            }
            _ => {}
        }
    }
}

/// Calls a function with each struct, also in modules.
fn each(items: &mut [Item], change: &mut impl FnMut(&mut ItemStruct)) {
    for item in items {
        match item {
            Item::Struct(found) => change(found),
            Item::Mod(found) => {
                found.content.iter_mut().for_each(|(_, inner)| each(inner, change));
            }
            _ => {}
        }
    }
}

/// Returns the name of the type of the elements, if a type is a list, or of the values of a map.
fn element_of(ty: &Type) -> Option<String> {
    let collection = last(ty)?;
    let is_repeated = collection.ident == "Vec" || collection.ident == "BTreeMap";
    let element = arguments(collection).filter(|_| is_repeated).last()?;
    last(element).map(|last| last.ident.to_string())
}

/// Boxes the message in `Option<Message>` if it is large.
fn put_into(ty: &mut Type, structs: &Structs) {
    let Some(optional) = last(ty).filter(|last| last.ident == "Option") else {
        return;
    };
    let message = arguments(optional).next().cloned();
    if let Some(message) = message.filter(|message| words(message, structs) > MAX_WORDS) {
        *ty = parse_quote!(Option<Box<#message>>);
    }
}

/// Returns about how many words a value of this type takes. No message contains itself.
fn words(ty: &Type, structs: &Structs) -> usize {
    let Some(last) = last(ty) else { return 1 };
    let name = last.ident.to_string();
    match (name.as_str(), structs.get(&name)) {
        (_, Some(found)) => found.fields.iter().map(|field| words(&field.ty, structs)).sum(),
        ("String" | "Vec" | "BTreeMap", None) => 3,
        ("Option", None) => match arguments(last).next().map_or(1, |inner| words(inner, structs)) {
            1 => 2,
            more => more,
        },
        (_number, None) => 1,
    }
}

fn last(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

fn arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        PathArguments::None | PathArguments::Parenthesized(_) => None,
    };
    arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn large_messages_are_boxed_in_elements_of_lists_only() {
        let file: syn::File = parse_quote! {
            struct Request { list: Vec<Element>, large: Option<Large> }
            struct Element { small: Option<Small>, large: Option<Large>, id: String }
            struct Small { names: Vec<String>, number: Option<i64> }
            struct Large { a: Option<Part>, b: Option<Part>, c: String }
            struct Part { a: Option<i64>, b: Option<i64>, c: Option<i64>, d: bool }
        };
        let mut items = file.items;
        put(&mut items);
        let expected: syn::File = parse_quote! {
            struct Request { list: Vec<Element>, large: Option<Large> }
            struct Element { small: Option<Small>, large: Option<Box<Large>>, id: String }
            struct Small { names: Vec<String>, number: Option<i64> }
            struct Large { a: Option<Part>, b: Option<Part>, c: String }
            struct Part { a: Option<i64>, b: Option<i64>, c: Option<i64>, d: bool }
        };
        assert_eq!(quote!(#(#items)*).to_string(), quote!(#expected).to_string());
    }
}
