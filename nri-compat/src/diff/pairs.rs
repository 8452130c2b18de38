//! Pairs of elements that exist on both sides, determined once for all rules.

use std::collections::HashMap;

use nri_schema::Schema;
use nri_schema::schema::{
    Declaration, EnumDescriptor, FieldDescriptor, File, MessageDescriptor, Method,
    ServiceDescriptor,
};

/// An element before and after.
pub(super) type Pair<'a, T> = (&'a T, &'a T);

/// Both schemas, and all pairs of elements that rules check.
pub(super) struct Pairs<'a> {
    pub(super) from: &'a Schema,
    pub(super) to: &'a Schema,
    /// Files with the same name.
    pub(super) files: Vec<Pair<'a, File>>,
    /// Messages with the same full name, in any file.
    pub(super) messages: Vec<Pair<'a, MessageDescriptor>>,
    /// Enums with the same full name.
    pub(super) enums: Vec<Pair<'a, EnumDescriptor>>,
    /// Fields with the same number in a pair of messages, and extensions with the same number and
    /// message.
    pub(super) fields: Vec<Pair<'a, FieldDescriptor>>,
    /// Services with the same full name.
    pub(super) services: Vec<Pair<'a, ServiceDescriptor>>,
    /// RPCs with the same name in a pair of services.
    pub(super) methods: Vec<Pair<'a, Method>>,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(from: &'a Schema, to: &'a Schema) -> Self {
        let messages = pairs(&from.messages, &to.messages, full);
        let services = pairs(&from.services, &to.services, full);
        let of_messages = messages
            .iter()
            .flat_map(|(old, new)| pairs(&old.fields, &new.fields, |field| field.number));
        let extensions = pairs(&from.extensions, &to.extensions, |extension| {
            (&*extension.owner, extension.number)
        });
        let fields = of_messages.chain(extensions).collect();
        let methods = services
            .iter()
            .flat_map(|(old, new)| pairs(&old.methods, &new.methods, |method| method.id.name()));
        Self {
            files: pairs(&from.files, &to.files, |file| file.name.as_str()),
            enums: pairs(&from.enums, &to.enums, full),
            methods: methods.collect(),
            from,
            to,
            messages,
            fields,
            services,
        }
    }
}

fn full<T: Declaration>(element: &T) -> &str {
    &element.id().full
}

fn pairs<'a, T, K: std::hash::Hash + Eq>(
    old: &'a [T],
    new: &'a [T],
    key: impl Fn(&'a T) -> K,
) -> Vec<Pair<'a, T>> {
    let by_key: HashMap<K, &T> = new.iter().map(|element| (key(element), element)).collect();
    let pair = |element| Some((element, *by_key.get(&key(element))?));
    old.iter().filter_map(pair).collect()
}
