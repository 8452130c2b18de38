//! Parses text to a [`SourceFile`], with the grammar of tree-sitter.

mod body;
mod types;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::constraint;
use super::syntax::{Function, Import, Method, SourceFile, Type, TypeDecl, Variable};
use body::Scope;

/// The time limit for one file; the largest real ones take less than a second.
const MAX_PARSE_TIME: Duration = Duration::from_secs(3);

/// The maximum number of nodes in one file.
const MAX_NODES: usize = 2_000_000;

/// Parses a file. `None` if that takes too long.
pub(super) fn parse(name: &str, text: &str) -> Option<SourceFile> {
    // The grammar does not know that a comment with a line break ends a line.
    let text = &*super::lexer::without_block_comments(text);
    let tree = tree(text)?;
    let root = tree.root_node();
    let is_broken = root.has_error() || root.descendant_count() > MAX_NODES;
    let mut file = SourceFile {
        name: name.to_owned(),
        error: is_broken.then(|| first_error(root)),
        ..SourceFile::default()
    };
    let mut header = text.len();
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        if node.kind() == "package_clause" {
            header = node.start_byte();
            file.package = node
                .named_child(0)
                .map_or_else(String::new, |n| of(n, text));
        }
        declaration(node, text, &mut file);
    }
    let uses_cgo = file.imports.iter().any(|import| import.path == "C");
    let header = text.get(..header).unwrap_or_default();
    file.in_plain_build = !uses_cgo && constraint::in_plain_build(name, header);
    file.in_every_build = !uses_cgo && constraint::in_every_build(name, header);
    Some(file)
}

fn tree(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).ok()?;
    let start = Instant::now();
    let mut stop = |_: &tree_sitter::ParseState| {
        if start.elapsed() > MAX_PARSE_TIME {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut stop);
    let mut piece = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut piece, None, Some(options))
}

/// Returns the line of the first syntax error, starting at 1.
fn first_error(root: Node<'_>) -> usize {
    let found = descendants(root).find(|node| node.is_error() || node.is_missing());
    line(found.unwrap_or(root))
}

fn line(node: Node<'_>) -> usize {
    node.start_position().row + 1
}

/// Returns all nodes below one, in the order of the text, without recursion.
fn descendants(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = root.walk();
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let node = cursor.node();
        if !cursor.goto_first_child() {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    done = true;
                    break;
                }
            }
        }
        Some(node)
    })
    .take(MAX_NODES)
}

fn declaration(node: Node<'_>, text: &str, file: &mut SourceFile) {
    match node.kind() {
        "import_declaration" => {
            let specs = descendants(node).filter(|node| node.kind() == "import_spec");
            file.imports.extend(specs.map(|spec| import(spec, text)));
        }
        "type_declaration" => file.types.extend(type_declarations(node, text)),
        "function_declaration" => {
            let scope = Scope::of_function(node, text, &file.imports);
            file.functions.push(scope.function);
        }
        "method_declaration" => method(node, text, file),
        "var_declaration" => variables(node, text, file),
        "const_declaration" => constants(node, text, file),
        // Comments and the package clause declare nothing with methods. Syntax errors are in
        // `error`.
        _ => {}
    }
}

fn import(spec: Node<'_>, text: &str) -> Import {
    let path = spec
        .child_by_field_name("path")
        .map_or_else(String::new, |path| of(path, text));
    Import {
        alias: spec.child_by_field_name("name").map(|name| of(name, text)),
        path: super::lexer::unquoted(&path),
    }
}

fn type_declarations(node: Node<'_>, text: &str) -> Vec<TypeDecl> {
    let mut cursor = node.walk();
    let specs = node.named_children(&mut cursor);
    specs
        .filter(|spec| matches!(spec.kind(), "type_spec" | "type_alias"))
        .map(|spec| {
            let parameters = types::parameters(spec, text);
            TypeDecl {
                name: field(spec, "name", text),
                alias: spec.kind() == "type_alias",
                ty: types::of_field(spec, "type", text, &parameters),
            }
        })
        .collect()
}

fn method(node: Node<'_>, text: &str, file: &mut SourceFile) {
    let scope = Scope::of_function(node, text, &file.imports);
    let (receiver, on_pointer) = match &scope.receiver {
        Some(Type::Pointer(to)) => (base_name(to), true),
        Some(other) => (base_name(other), false),
        None => (None, false),
    };
    let Some(receiver) = receiver else {
        // A receiver that cannot be parsed may be that of any type.
        file.error.get_or_insert(line(node));
        return;
    };
    file.methods.push(Method {
        receiver,
        on_pointer,
        name: field(node, "name", text),
        signature: scope.function.signature.clone(),
        line: line(node),
        body: file.functions.len(),
    });
    file.functions.push(Function {
        name: String::new(),
        ..scope.function
    });
}

fn base_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Named {
            qualifier: None,
            name,
        } => Some(name.clone()),
        _ => None,
    }
}

fn variables(node: Node<'_>, text: &str, file: &mut SourceFile) {
    for spec in descendants(node).filter(|node| node.kind() == "var_spec") {
        // Those within function literals belong to the body of the literal.
        let top = spec.parent().and_then(|parent| match parent.kind() {
            "var_spec_list" => parent.parent(),
            _ => Some(parent),
        });
        if top == Some(node) {
            file.variables.extend(variable(spec, text));
        }
    }
    file.functions
        .push(Scope::of_initializers(node, text, &file.imports).function);
}

/// Adds constants, which are not followed: their types may have methods.
fn constants(node: Node<'_>, text: &str, file: &mut SourceFile) {
    let specs = descendants(node).filter(|node| node.kind() == "const_spec");
    let names = specs.flat_map(|spec| names(spec, text));
    file.variables.extend(names.map(|name| Variable {
        name,
        ty: None,
        value: None,
    }));
}

fn variable(spec: Node<'_>, text: &str) -> Vec<Variable> {
    let ty = spec
        .child_by_field_name("type")
        .map(|node| types::of(node, text, &[]));
    let values = body::values(spec.child_by_field_name("value"), text);
    let names = names(spec, text);
    let count = names.len();
    let with = |(index, name): (usize, String)| Variable {
        name,
        ty: ty.clone(),
        value: body::nth(&values, index, count),
    };
    names.into_iter().enumerate().map(with).collect()
}

/// Returns the text of a node.
fn of(node: Node<'_>, text: &str) -> String {
    text.get(node.byte_range()).unwrap_or_default().to_owned()
}

/// Returns the text of a field, empty if there is none.
fn field(node: Node<'_>, name: &str, text: &str) -> String {
    node.child_by_field_name(name)
        .map_or_else(String::new, |node| of(node, text))
}

/// Returns the texts of all fields called `name`.
fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    names
        .filter(Node::is_named)
        .map(|name| of(name, text))
        .collect()
}
