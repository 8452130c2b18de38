//! The parts of a Go file that determine which methods a value has.
//!
//! Anything else becomes `Unknown`, which resolves to nothing: a construct that is not understood
//! can never prove that a plugin does not handle an event.

use std::collections::BTreeMap;

/// A parsed file.
#[derive(Debug, Default)]
pub(super) struct SourceFile {
    /// The name within its folder.
    pub(super) name: String,
    /// The name in its package clause.
    pub(super) package: String,
    /// True if a plain build for Linux includes it.
    pub(super) in_plain_build: bool,
    /// True if every build includes it.
    pub(super) in_every_build: bool,
    /// The line of the first syntax error.
    pub(super) error: Option<usize>,
    pub(super) imports: Vec<Import>,
    pub(super) types: Vec<TypeDecl>,
    pub(super) methods: Vec<Method>,
    pub(super) functions: Vec<Function>,
    pub(super) variables: Vec<Variable>,
}

/// One import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The local name, which may be `.` or `_`.
    pub(super) alias: Option<String>,
    pub(super) path: String,
}

/// A type declared at package level.
#[derive(Debug)]
pub(super) struct TypeDecl {
    pub(super) name: String,
    /// True if it is an alias.
    pub(super) alias: bool,
    pub(super) ty: Type,
}

/// A type expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Named {
        qualifier: Option<String>,
        name: String,
    },
    Pointer(Box<Type>),
    Struct {
        embedded: Vec<Type>,
        fields: Vec<(String, Type)>,
    },
    Interface {
        methods: Vec<(String, Signature)>,
        embedded: Vec<Type>,
    },
    /// A slice, array, map or channel of this type.
    Container(Box<Type>),
    /// A function, which has no methods.
    Function,
    /// Anything else, including type parameters.
    Unknown,
}

impl Type {
    pub(super) fn pointer(self) -> Self {
        Self::Pointer(Box::new(self))
    }
}

/// Parameters and results, one type for each name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) parameters: Vec<Type>,
    pub(super) results: Vec<Type>,
}

/// A method; its body is one of the file's functions.
#[derive(Debug)]
pub(super) struct Method {
    /// The name of the receiver's type.
    pub(super) receiver: String,
    /// True if only the pointer type has it.
    pub(super) on_pointer: bool,
    pub(super) name: String,
    pub(super) signature: Signature,
    pub(super) line: usize,
    /// The index of its body in [`SourceFile::functions`].
    pub(super) body: usize,
}

/// The body of a function or method, or the initializers of variables.
#[derive(Debug, Default)]
pub(super) struct Function {
    /// The name; empty for methods and initializers.
    pub(super) name: String,
    pub(super) signature: Signature,
    /// The names of results, if they have any.
    pub(super) result_names: Vec<String>,
    /// Everything that any scope of the body binds to a name.
    pub(super) bindings: BTreeMap<String, Vec<Binding>>,
    /// The operands of its `return` statements, without those of function literals.
    pub(super) returns: Vec<Vec<Expr>>,
    pub(super) stub_uses: Vec<StubUse>,
}

/// The way in which a name gets a value.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// `var name T`, a receiver or a named result.
    Declared(Type),
    /// A parameter.
    Parameter(Type),
    /// `name := value`.
    Defined(Value),
    /// `name = value`.
    Assigned(Value),
    /// Its address is taken, so anything may assign to it.
    Escapes,
    /// A statement binds it to something that is not followed, such as an element of a range.
    NotFollowed,
}

/// One value of a list of expressions.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    /// The index of the result of a call with several results.
    pub(super) index: usize,
}

/// A use of `stub.New`.
#[derive(Clone, Debug)]
pub(super) struct StubUse {
    pub(super) line: usize,
    /// The first argument; `None` if the function is not called directly.
    pub(super) plugin: Option<Expr>,
}

/// A variable at package level.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) ty: Option<Type>,
    pub(super) value: Option<Value>,
}

/// An expression, as far as its type can be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expr {
    Name(String),
    Nil,
    Select(Box<Expr>, String),
    /// `T{…}`
    Composite(Type),
    /// `new(T)`
    New(Type),
    Call {
        callee: Box<Expr>,
        first: Option<Box<Expr>>,
    },
    Address(Box<Expr>),
    Deref(Box<Expr>),
    /// `x.(T)`
    Assert(Type),
    Index(Box<Expr>),
    Unknown,
}
