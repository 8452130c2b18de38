//! Type expressions.

use tree_sitter::Node;

use super::super::syntax::{Signature, Type};
use super::{descendants, field, names, of as text_of};

/// The maximum depth of nested type expressions.
const MAX_DEPTH: usize = 50;

/// Returns the names of the type parameters of a declaration, which hide other types within it.
pub(super) fn parameters(declaration: Node<'_>, text: &str) -> Vec<String> {
    let Some(list) = declaration.child_by_field_name("type_parameters") else {
        return Vec::new();
    };
    let mut cursor = list.walk();
    list.named_children(&mut cursor)
        .flat_map(|parameter| names(parameter, text))
        .collect()
}

/// Returns the names between the brackets of a receiver, which declare type parameters.
pub(super) fn arguments(receiver: Node<'_>, text: &str) -> Vec<String> {
    let lists = descendants(receiver).filter(|node| node.kind() == "type_arguments");
    let names = lists.flat_map(descendants);
    names
        .filter(|node| node.kind() == "type_identifier")
        .map(|name| text_of(name, text))
        .collect()
}

/// Returns the type in a field of a node. `hidden` are names of things that are not followed.
pub(super) fn of_field(node: Node<'_>, name: &str, text: &str, hidden: &[String]) -> Type {
    node.child_by_field_name(name)
        .map_or(Type::Unknown, |node| of(node, text, hidden))
}

/// Returns the type expressed by a node.
pub(super) fn of(node: Node<'_>, text: &str, hidden: &[String]) -> Type {
    Reader { text, hidden }.read(node, 0)
}

/// Parses parameters and results of a function, method or method of an interface.
pub(super) fn signature(node: Node<'_>, text: &str, hidden: &[String]) -> Signature {
    Reader { text, hidden }.signature(node, 0)
}

struct Reader<'t> {
    text: &'t str,
    hidden: &'t [String],
}

impl Reader<'_> {
    fn read(&self, node: Node<'_>, depth: usize) -> Type {
        if depth > MAX_DEPTH {
            return Type::Unknown;
        }
        let inner = |name| {
            let inner = node.child_by_field_name(name);
            inner.map_or(Type::Unknown, |inner| self.read(inner, depth + 1))
        };
        match node.kind() {
            "type_identifier" | "identifier" => self.named(None, text_of(node, self.text)),
            "qualified_type" => self.named(
                Some(field(node, "package", self.text)),
                field(node, "name", self.text),
            ),
            "generic_type" => inner("type"),
            "pointer_type" | "parenthesized_type" => {
                let to = node
                    .named_child(0)
                    .map_or(Type::Unknown, |to| self.read(to, depth + 1));
                if node.kind() == "pointer_type" {
                    to.pointer()
                } else {
                    to
                }
            }
            "struct_type" => self.structure(node, depth),
            "interface_type" => self.interface(node, depth),
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                Type::Container(Box::new(inner("element")))
            }
            "map_type" | "channel_type" => Type::Container(Box::new(inner("value"))),
            "function_type" => Type::Function,
            // A constraint of one type is that type.
            "type_elem" | "type_constraint" if node.named_child_count() == 1 => node
                .named_child(0)
                .map_or(Type::Unknown, |only| self.read(only, depth + 1)),
            // Unions, constraints, and future syntax.
            _ => Type::Unknown,
        }
    }

    fn named(&self, qualifier: Option<String>, name: String) -> Type {
        if qualifier.is_none() && self.hidden.contains(&name) {
            return Type::Unknown;
        }
        Type::Named { qualifier, name }
    }

    fn structure(&self, node: Node<'_>, depth: usize) -> Type {
        let (mut embedded, mut fields) = (Vec::new(), Vec::new());
        let mut cursor = node.walk();
        let lists = node.named_children(&mut cursor);
        for list in lists.filter(|list| list.kind() == "field_declaration_list") {
            let mut cursor = list.walk();
            for declaration in list.named_children(&mut cursor) {
                match declaration.kind() {
                    "field_declaration" => {
                        self.field(declaration, depth, &mut embedded, &mut fields);
                    }
                    "comment" => {}
                    // It may be an embedded type.
                    _ => embedded.push(Type::Unknown),
                }
            }
        }
        Type::Struct { embedded, fields }
    }

    fn field(
        &self,
        node: Node<'_>,
        depth: usize,
        embedded: &mut Vec<Type>,
        fields: &mut Vec<(String, Type)>,
    ) {
        let ty = node
            .child_by_field_name("type")
            .map_or(Type::Unknown, |ty| self.read(ty, depth + 1));
        let names = names(node, self.text);
        if !names.is_empty() {
            fields.extend(names.into_iter().map(|name| (name, ty.clone())));
            return;
        }
        let mut cursor = node.walk();
        let is_pointer = node.children(&mut cursor).any(|child| child.kind() == "*");
        embedded.push(if is_pointer { ty.pointer() } else { ty });
    }

    fn interface(&self, node: Node<'_>, depth: usize) -> Type {
        let (mut methods, mut embedded) = (Vec::new(), Vec::new());
        let mut cursor = node.walk();
        for element in node.named_children(&mut cursor) {
            match element.kind() {
                "method_elem" => {
                    let signature = self.signature(element, depth + 1);
                    methods.push((field(element, "name", self.text), signature));
                }
                "comment" => {}
                _ => embedded.push(self.read(element, depth + 1)),
            }
        }
        Type::Interface { methods, embedded }
    }

    fn signature(&self, node: Node<'_>, depth: usize) -> Signature {
        let list = |name| {
            let list = node.child_by_field_name(name);
            list.map_or_else(Vec::new, |list| self.list(list, depth + 1))
        };
        Signature {
            parameters: list("parameters"),
            results: list("result"),
        }
    }

    /// Returns one type for each name of a parameter list; a single result has no list around it.
    fn list(&self, node: Node<'_>, depth: usize) -> Vec<Type> {
        if node.kind() != "parameter_list" {
            return vec![self.read(node, depth)];
        }
        let mut types = Vec::new();
        let mut cursor = node.walk();
        for parameter in node.named_children(&mut cursor) {
            let ty = parameter.child_by_field_name("type");
            let ty = ty.map_or(Type::Unknown, |ty| self.read(ty, depth));
            match parameter.kind() {
                "parameter_declaration" => {
                    let count = names(parameter, self.text).len().max(1);
                    types.extend(std::iter::repeat_n(ty, count));
                }
                "variadic_parameter_declaration" => types.push(Type::Container(Box::new(ty))),
                "comment" => {}
                _ => types.push(Type::Unknown),
            }
        }
        types
    }
}
