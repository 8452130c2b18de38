//! Protos of several files.

use super::{Case, Expected};
use crate::generated::NRI;

/// Returns every case of several files.
pub(super) fn several_files() -> Vec<Case> {
    let case = |name, files: &[(&str, &str)], expected| Case {
        name,
        files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
        expected,
    };
    let nri = NRI;
    let with_nri = |text: &str| format!("syntax = \"proto3\"; {text}\n{nri}");
    vec![
        case(
            "a package over two files",
            &[
                (
                    "case.proto",
                    "syntax = \"proto3\"; package a.b; import \"other.proto\";\nmessage NriEmpty {} service Plugin { rpc Configure(NriEmpty) returns (Other); rpc StateChange(Other) returns (NriEmpty); }",
                ),
                (
                    "other.proto",
                    "syntax = \"proto3\"; package a.b;\nenum Event { UNKNOWN = 0; RUN_POD_SANDBOX = 1; LAST = 2; } message Other { Event e = 1; } service More { rpc X(Other) returns (Other); }",
                ),
            ],
            Expected::Compiles,
        ),
        case(
            "other packages",
            &[
                (
                    "case.proto",
                    &with_nri(
                        "package a.b; import \"x.proto\"; import \"sub/y.proto\";\nmessage M { x.y.T t = 1; a.b.c.U u = 2; map<string, V> v = 3; oneof o { x.y.T.Inner i = 4; } } message V {} service S { rpc Do(x.y.T) returns (a.b.c.U); }",
                    ),
                ),
                (
                    "x.proto",
                    "syntax = \"proto3\"; package x.y;\nmessage T { message Inner { T t = 1; } Inner inner = 1; K k = 2; } enum K { A = 0; } service S { rpc Do(T) returns (T); }",
                ),
                (
                    "sub/y.proto",
                    "syntax = \"proto2\"; package a.b.c; import \"x.proto\";\nmessage U { optional x.y.T t = 1; optional x.y.K k = 2 [default = A]; }",
                ),
            ],
            Expected::Compiles,
        ),
        case(
            "a package and none",
            &[
                ("case.proto", &with_nri("package a; import \"x.proto\";\nmessage M { T t = 1; }")),
                ("x.proto", "syntax = \"proto3\";\nmessage T { T t = 1; }"),
            ],
            Expected::Compiles,
        ),
        case(
            "packages of keywords",
            &[
                (
                    "case.proto",
                    &with_nri(
                        "package self.type; import \"x.proto\";\nmessage M { super.crate.T t = 1; }",
                    ),
                ),
                ("x.proto", "syntax = \"proto3\"; package super.crate;\nmessage T { T t = 1; }"),
            ],
            Expected::Compiles,
        ),
        case(
            "public imports and unused ones",
            &[
                (
                    "case.proto",
                    &with_nri(
                        "package a; import \"pub.proto\"; import \"unused.proto\";\nmessage M { x.T t = 1; }",
                    ),
                ),
                ("pub.proto", "syntax = \"proto3\"; package pub; import public \"x.proto\";"),
                ("x.proto", "syntax = \"proto3\"; package x; message T {}"),
                (
                    "unused.proto",
                    "syntax = \"proto3\"; package unused; message FooBar {} message foo_bar {} enum E { A = 0; B = 1; }",
                ),
            ],
            Expected::Compiles,
        ),
        case(
            "a clash in another package",
            &[
                (
                    "case.proto",
                    &with_nri("package a; import \"x.proto\";\nmessage M { x.FooBar t = 1; }"),
                ),
                (
                    "x.proto",
                    "syntax = \"proto3\"; package x;\nmessage FooBar {}\nmessage foo_bar {}",
                ),
            ],
            Expected::Refused("both `FooBar`", 3),
        ),
        case(
            "a package without letters",
            &[
                (
                    "case.proto",
                    &with_nri("package a; import \"x.proto\";\nmessage M { _.T t = 1; }"),
                ),
                ("x.proto", "syntax = \"proto3\";\npackage _;\nmessage T {}"),
            ],
            Expected::Refused("package part _ has no letter", 2),
        ),
        case(
            "a package with the name of a tool",
            &[
                (
                    "case.proto",
                    &with_nri(
                        "package a; import \"x.proto\";\nmessage M { a.rustfmt.T t = 1; a.rustfmt.clippy.T u = 2; } import \"y.proto\";",
                    ),
                ),
                ("x.proto", "syntax = \"proto3\"; package a.rustfmt;\nmessage T {}"),
                ("y.proto", "syntax = \"proto3\"; package a.rustfmt.clippy;\nmessage T {}"),
            ],
            Expected::Compiles,
        ),
        case(
            "a message's module that is a package",
            &[
                (
                    "case.proto",
                    &with_nri(
                        "package a; import \"x.proto\";\nmessage X { message Y {} a.x.T t = 1; }",
                    ),
                ),
                ("x.proto", "syntax = \"proto3\"; package a.x;\nmessage T {}"),
            ],
            Expected::Refused("module", 2),
        ),
    ]
}
