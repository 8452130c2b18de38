//! Function bodies: bindings of names, returned values, and uses of the stub.

use tree_sitter::Node;

use super::super::nri;
use super::super::syntax::{Binding, Expr, Function, Import, StubUse, Type, Value};
use super::{descendants, field, line, names, of, types};

/// The maximum depth of nested expressions.
const MAX_DEPTH: usize = 50;

/// A function, or the initializers of a `var` declaration, while it is parsed.
pub(super) struct Scope<'t> {
    text: &'t str,
    imports: &'t [Import],
    /// Type parameters and local types, which are not followed.
    hidden: Vec<String>,
    pub(super) receiver: Option<Type>,
    pub(super) function: Function,
}

impl<'t> Scope<'t> {
    /// Reads a function or method.
    pub(super) fn of_function(node: Node<'_>, text: &'t str, imports: &'t [Import]) -> Self {
        let mut scope = Self::new(node, text, imports);
        scope.hidden.extend(types::parameters(node, text));
        if let Some(receiver) = node.child_by_field_name("receiver") {
            scope.hidden.extend(types::arguments(receiver, text));
        }
        scope.function.name = field(node, "name", text);
        scope.function.signature = types::signature(node, text, &scope.hidden);
        if let Some(receiver) = node.child_by_field_name("receiver") {
            scope.receiver(receiver);
        }
        if let Some(parameters) = node.child_by_field_name("parameters") {
            scope.parameters(parameters, Binding::Parameter);
        }
        if let Some(result) = node.child_by_field_name("result") {
            scope.parameters(result, Binding::Declared);
            let mut cursor = result.walk();
            let declared = result.named_children(&mut cursor);
            scope.function.result_names = declared.flat_map(|one| names(one, text)).collect();
        }
        scope.statements(node);
        scope
    }

    /// Reads a `var` declaration at package level.
    pub(super) fn of_initializers(node: Node<'_>, text: &'t str, imports: &'t [Import]) -> Self {
        let mut scope = Self::new(node, text, imports);
        scope.statements(node);
        scope
    }

    fn new(node: Node<'_>, text: &'t str, imports: &'t [Import]) -> Self {
        let local = descendants(node).filter(|n| matches!(n.kind(), "type_spec" | "type_alias"));
        Self {
            text,
            imports,
            hidden: local.map(|node| field(node, "name", text)).collect(),
            receiver: None,
            function: Function::default(),
        }
    }

    fn receiver(&mut self, list: Node<'_>) {
        let mut cursor = list.walk();
        let declared = list
            .named_children(&mut cursor)
            .find(|n| n.kind() == "parameter_declaration");
        let Some(declared) = declared else { return };
        let ty = types::of_field(declared, "type", self.text, &self.hidden);
        for name in names(declared, self.text) {
            self.bind(name, Binding::Declared(ty.clone()));
        }
        self.receiver = Some(ty);
    }

    fn parameters(&mut self, list: Node<'_>, binding: fn(Type) -> Binding) {
        let mut cursor = list.walk();
        for declared in list.named_children(&mut cursor) {
            let ty = types::of_field(declared, "type", self.text, &self.hidden);
            let ty = match declared.kind() {
                "variadic_parameter_declaration" => Type::Container(Box::new(ty)),
                _ => ty,
            };
            for name in names(declared, self.text) {
                self.bind(name, binding(ty.clone()));
            }
        }
    }

    fn bind(&mut self, name: String, binding: Binding) {
        self.function
            .bindings
            .entry(name)
            .or_default()
            .push(binding);
    }

    fn statements(&mut self, root: Node<'_>) {
        let mut literals_end = 0;
        for node in descendants(root) {
            match node.kind() {
                "func_literal" => {
                    literals_end = literals_end.max(node.end_byte());
                    if let Some(parameters) = node.child_by_field_name("parameters") {
                        self.parameters(parameters, Binding::Parameter);
                    }
                    if let Some(result) = node.child_by_field_name("result") {
                        self.parameters(result, Binding::Declared);
                    }
                }
                "return_statement" if node.start_byte() >= literals_end => {
                    let operands = expressions(node.named_child(0), self.text, &self.hidden);
                    self.function.returns.push(operands);
                }
                "var_spec" => self.variables(node),
                "const_spec" => {
                    for name in names(node, self.text) {
                        self.bind(name, Binding::NotFollowed);
                    }
                }
                "short_var_declaration" => self.assignment(node, Binding::Defined),
                "assignment_statement" => self.assignment(node, Binding::Assigned),
                "range_clause" | "receive_statement" | "type_switch_statement" => {
                    self.not_followed(node);
                }
                "unary_expression" => self.address(node),
                "selector_expression" | "identifier" | "field_identifier" => self.stub_use(node),
                _ => {}
            }
        }
    }

    fn variables(&mut self, node: Node<'_>) {
        let ty = node
            .child_by_field_name("type")
            .map(|n| types::of(n, self.text, &self.hidden));
        let values = expressions(node.child_by_field_name("value"), self.text, &self.hidden);
        let names = names(node, self.text);
        let count = names.len();
        for (index, name) in names.into_iter().enumerate() {
            let value = nth(&values, index, count);
            match (&ty, value) {
                (Some(ty), value) => {
                    self.bind(name.clone(), Binding::Declared(ty.clone()));
                    if let Some(value) = value {
                        self.bind(name, Binding::Assigned(value));
                    }
                }
                (None, Some(value)) => self.bind(name, Binding::Defined(value)),
                (None, None) => self.bind(name, Binding::NotFollowed),
            }
        }
    }

    fn assignment(&mut self, node: Node<'_>, binding: fn(Value) -> Binding) {
        let Some(left) = node.child_by_field_name("left") else {
            return;
        };
        let values = expressions(node.child_by_field_name("right"), self.text, &self.hidden);
        let mut cursor = left.walk();
        let targets: Vec<Node<'_>> = left.named_children(&mut cursor).collect();
        let count = targets.len();
        for (index, target) in targets.into_iter().enumerate() {
            let name = match expression(target, self.text, &self.hidden) {
                Expr::Name(name) => name,
                // Not a keyword: a variable may have this name.
                Expr::Nil => "nil".to_owned(),
                _ => continue,
            };
            let value = nth(&values, index, count);
            self.bind(name, value.map_or(Binding::NotFollowed, binding));
        }
    }

    /// Records names that a statement binds to something that is not followed.
    fn not_followed(&mut self, node: Node<'_>) {
        for list in ["left", "alias"]
            .iter()
            .filter_map(|name| node.child_by_field_name(name))
        {
            let mut cursor = list.walk();
            let bound: Vec<String> = list
                .named_children(&mut cursor)
                .map(|name| of(name, self.text))
                .collect();
            for name in bound {
                self.bind(name, Binding::NotFollowed);
            }
        }
    }

    fn address(&mut self, node: Node<'_>) {
        if let Expr::Address(of) = expression(node, self.text, &self.hidden)
            && let Expr::Name(name) = *of
        {
            self.bind(name, Binding::Escapes);
        }
    }

    /// Records every mention of `stub.New`: one that is not called right here may be called
    /// anywhere.
    fn stub_use(&mut self, node: Node<'_>) {
        if !self.names_new(node) {
            return;
        }
        let call = node.parent().filter(|parent| {
            parent.kind() == "call_expression"
                && parent.child_by_field_name("function") == Some(node)
        });
        let plugin = call.map(|call| {
            let arguments = call.child_by_field_name("arguments");
            let first = arguments.and_then(|arguments| first_argument(arguments));
            first.map_or(Expr::Unknown, |first| {
                expression(first, self.text, &self.hidden)
            })
        });
        self.function.stub_uses.push(StubUse {
            line: line(node),
            plugin,
        });
    }

    fn names_new(&self, node: Node<'_>) -> bool {
        let imported = |name: &str| {
            self.imports
                .iter()
                .any(|import| match import.alias.as_deref() {
                    Some(alias) => alias == name && nri::is_stub(&import.path),
                    None => name == "stub" && nri::is_stub(&import.path),
                })
        };
        if node.kind() == "selector_expression" {
            let operand = node.child_by_field_name("operand");
            return field(node, "field", self.text) == "New"
                && operand.is_some_and(|operand| {
                    matches!(expression(operand, self.text, &[]), Expr::Name(name) if imported(&name))
                });
        }
        let parent = node.parent().map_or("", |parent| parent.kind());
        node.kind() == "identifier"
            && parent != "selector_expression"
            && parent != "function_declaration"
            && of(node, self.text) == "New"
            && imported(".")
    }
}

/// Returns the only child of a node besides comments.
fn only_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut children = node
        .named_children(&mut cursor)
        .filter(|child| child.kind() != "comment");
    let only = children.next()?;
    children.next().is_none().then_some(only)
}

fn first_argument(arguments: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = arguments.walk();
    arguments
        .named_children(&mut cursor)
        .find(|node| node.kind() != "comment")
}

/// Returns the expressions of a list, or the one that a node is.
pub(super) fn values(node: Option<Node<'_>>, text: &str) -> Vec<Expr> {
    expressions(node, text, &[])
}

fn expressions(node: Option<Node<'_>>, text: &str, hidden: &[String]) -> Vec<Expr> {
    let Some(node) = node else { return Vec::new() };
    if node.kind() != "expression_list" {
        return vec![expression(node, text, hidden)];
    }
    let mut cursor = node.walk();
    let all = node
        .named_children(&mut cursor)
        .filter(|node| node.kind() != "comment");
    all.map(|node| expression(node, text, hidden)).collect()
}

/// Returns the value for the target at `index` of `count`: one for each, or the results of a single
/// call.
pub(super) fn nth(values: &[Expr], index: usize, count: usize) -> Option<Value> {
    match values {
        [] => None,
        [call] if count > 1 => Some(Value {
            expr: call.clone(),
            index,
        }),
        all => all.get(index).map(|expr| Value {
            expr: expr.clone(),
            index: 0,
        }),
    }
}

fn expression(node: Node<'_>, text: &str, hidden: &[String]) -> Expr {
    Reader { text, hidden }.read(node, 0)
}

struct Reader<'t> {
    text: &'t str,
    hidden: &'t [String],
}

impl Reader<'_> {
    fn read(&self, node: Node<'_>, depth: usize) -> Expr {
        if depth > MAX_DEPTH {
            return Expr::Unknown;
        }
        let inner = |name| {
            let inner = node.child_by_field_name(name);
            Box::new(inner.map_or(Expr::Unknown, |inner| self.read(inner, depth + 1)))
        };
        match node.kind() {
            "identifier" | "type_identifier" | "package_identifier" => {
                let name = of(node, self.text);
                if self.hidden.contains(&name) {
                    Expr::Unknown
                } else {
                    Expr::Name(name)
                }
            }
            "nil" => Expr::Nil,
            "parenthesized_expression" | "literal_element" | "expression_list" => {
                only_child(node).map_or(Expr::Unknown, |only| self.read(only, depth + 1))
            }
            "selector_expression" => {
                Expr::Select(inner("operand"), field(node, "field", self.text))
            }
            "composite_literal" => {
                Expr::Composite(types::of_field(node, "type", self.text, self.hidden))
            }
            "unary_expression" => match field(node, "operator", self.text).as_str() {
                "&" => Expr::Address(inner("operand")),
                "*" => Expr::Deref(inner("operand")),
                _ => Expr::Unknown,
            },
            "type_assertion_expression" => {
                Expr::Assert(types::of_field(node, "type", self.text, self.hidden))
            }
            "index_expression" => Expr::Index(inner("operand")),
            "type_instantiation_expression" => {
                let generic = node.named_child(0);
                let generic = generic.map_or(Expr::Unknown, |node| self.read(node, depth + 1));
                Expr::Index(Box::new(generic))
            }
            "call_expression" => self.call(node, depth),
            _ => Expr::Unknown,
        }
    }

    fn call(&self, node: Node<'_>, depth: usize) -> Expr {
        let Some(function) = node.child_by_field_name("function") else {
            return Expr::Unknown;
        };
        let first = node
            .child_by_field_name("arguments")
            .and_then(first_argument);
        if of(function, self.text) == "new" {
            let ty = first.map_or(Type::Unknown, |ty| types::of(ty, self.text, self.hidden));
            return Expr::New(ty);
        }
        let first = first.map(|first| Box::new(self.read(first, depth + 1)));
        Expr::Call {
            callee: Box::new(self.read(function, depth + 1)),
            first,
        }
    }
}
