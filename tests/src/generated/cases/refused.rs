//! Protos that must be rejected.

/// The name and the declarations of each, a part of the error, and the line that it names.
pub(super) const REFUSED: &[(&str, &str, &str, usize)] = &[
    (
        "values that are one in Rust",
        "enum E {\n  FOO_BAR = 0;\n  FooBar = 1;\n}",
        "are the same name",
        4,
    ),
    (
        "values that are one without the enum's name",
        "enum Kind {\n  KIND_A = 0;\n  A = 1;\n}",
        "are the same name",
        4,
    ),
    ("messages that are one in Rust", "message FooBar {}\nmessage foo_bar {}", "both `FooBar`", 3),
    ("a message and a service", "message svc {}\nservice Svc {}", "both `Svc`", 3),
    (
        "fields that are one in Rust",
        "message M {\n  int32 foo_bar = 1;\n  int32 foo__bar = 2;\n}",
        "",
        4,
    ),
    (
        "fields of a oneof that are one in Rust",
        "message M { oneof o {\n  int32 foo_b = 1;\n  int32 FooB_ = 2;\n} }",
        "conflicts",
        4,
    ),
    (
        "a field and a oneof that are one in Rust",
        "message M {\n  int32 foo = 1;\n  oneof Foo { int32 a = 2; }\n}",
        "both `foo`",
        4,
    ),
    (
        "accessors that meet",
        "message M {\n  Event foo = 1;\n  Event set_foo = 2;\n}",
        "both `set_foo`",
        4,
    ),
    (
        "an accessor of a list and another field",
        "message M {\n  repeated Event foo = 1;\n  Event push_foo = 2;\n}",
        "both `push_foo`",
        4,
    ),
    (
        "accessors of a map and another field",
        "message M {\n  map<string, Event> foo = 1;\n  Event insert_foo = 2;\n}",
        "both `insert_foo`",
        4,
    ),
    (
        "an RPC of underscores",
        "service S {\n  rpc __(NriEmpty) returns (NriEmpty);\n}",
        "no letter or digit",
        3,
    ),
    (
        "RPCs that are one in Rust",
        "service S {\n  rpc GetX(NriEmpty) returns (NriEmpty);\n  rpc get_x(NriEmpty) returns (NriEmpty);\n}",
        "both `get_x`",
        4,
    ),
    ("services that are one in Rust", "service S {}\nservice s {}", "both `S`", 3),
    ("a client that is a message", "message SClient {}\nservice S {}", "both `SClient`", 3),
    ("a message with the name of a generated item", "message Status {}", "both `Status`", 2),
    (
        "an enum with the name of a generated item",
        "\nenum EventMask { A = 0; }",
        "both `EventMask`",
        3,
    ),
    ("a name of underscores", "message _ {}", "no letter or digit", 2),
    ("a field of underscores", "message M {\n int32 __ = 1;\n}", "no letter or digit", 3),
    ("a value of underscores", "enum E {\n __ = 0;\n}", "no letter or digit", 3),
    (
        "a map of enums named like a keyword",
        "message M {\n map<string, Event> type = 1;\n}",
        "keyword",
        3,
    ),
    ("streams", "service S {\n rpc X(stream NriEmpty) returns (NriEmpty);\n}", "streaming", 3),
    ("an edition", "edition = \"2023\";\npackage a;\nmessage M {}", "", 1),
    ("not NRI", "syntax = \"proto3\";\npackage a;\nmessage M {}", "not an NRI protocol", 2),
];
