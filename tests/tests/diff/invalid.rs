//! Schemas that break a rule of the language are rejected with the place of the mistake. buf judges
//! the same schemas.

use nri_schema::compile;

/// A proto that each schema imports.
const IMPORTED: (&str, &str) =
    ("closed.proto", "syntax = \"proto2\"; package q; enum Closed { ZERO = 0; }");

/// A broken rule: the syntax, the declarations, the text at which the mistake stands, and the fact.
type Case = (u8, &'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    (3, "message M { reserved 1 to 5, 3 to 8; }", "3 to 8", "the ranges 1 to 5 and 3 to 8 overlap"),
    (3, "message M { reserved 7, 7; }", "7;", "the ranges 7 to 7 and 7 to 7 overlap"),
    (3, "message M { reserved 5 to 1; }", "5 to 1", "the range 5 to 1 ends before it starts"),
    (3, "message M { reserved 1 to 9, 2, 5; }", "2, 5", "the ranges 1 to 9 and 2 to 2 overlap"),
    (2, "message M { extensions 10 to 20, 15 to 30; }", "15 to 30", "overlap"),
    (2, "message M { reserved 10 to 20; extensions 15 to max; }", "15 to max", "overlap"),
    (
        3,
        "message N { message M { reserved 3, 1 to 8; } }",
        "3,",
        "the ranges 1 to 8 and 3 to 3 overlap",
    ),
    (3, "enum E { A = 0; reserved 1 to 5, 5; }", "5; }", "the ranges 1 to 5 and 5 to 5 overlap"),
    (3, "enum E { A = 0; reserved -1 to -5; }", "-1 to -5", "ends before it starts"),
    (
        3,
        "message M { int32 a = 1; reserved \"a\"; }",
        "\"a\"",
        "the name `a` is reserved, but used",
    ),
    (3, "message M { reserved \"a\", \"a\"; }", "\"a\";", "the name `a` is reserved twice"),
    (3, "enum E { A = 0; reserved \"A\"; }", "\"A\"", "the name `A` is reserved, but used"),
    (3, "message M { extensions 10 to 20; }", "10 to 20", "which has no extension ranges"),
    (3, "enum E { option allow_alias = true; A = 0; B = 1; }", "option", "allows aliases"),
    (3, "enum Kind { KIND_ONE = 0; One = 1; }", "One", "are the same name without the prefix"),
    (3, "message M { q.Closed c = 1; }", "q.Closed", "cannot have the enum `q.Closed` of proto2"),
    (
        3,
        "message M { map<int32, q.Closed> c = 1; }",
        "map<",
        "cannot have the enum `q.Closed` of proto2",
    ),
    (3, "message M { repeated string a = 1 [packed = true]; }", "repeated", "cannot be packed"),
    (3, "message M { int32 a = 1 [packed = true]; }", "int32", "cannot be packed"),
    (3, "message M { int32 a = 1 [lazy = true]; }", "int32", "cannot be lazy"),
    (3, "message M { int32 a = 1 [jstype = JS_STRING]; }", "int32", "cannot have a `jstype`"),
];

/// Like the cases above, but buf accepts it, and protoc does not.
const FIRST_OF_MAP: Case = (
    2,
    "enum E { ONE = 1; } message M { map<int32, E> m = 1; }",
    "map<",
    "must have 0 as the number of its first value",
);

/// Like the cases, but nothing is wrong.
const VALID: &[(u8, &str)] = &[
    (3, "message M { reserved 1 to 5, 6, 7 to max; reserved \"a\", \"b\"; }"),
    (2, "message M { reserved 1 to 4; extensions 5 to 9; extensions 10 to max; }"),
    (3, "enum E { A = 0; reserved -5 to -1, 1 to max; }"),
    (3, "enum E { option allow_alias = true; A = 0; B = 1; C = 1; }"),
    (3, "enum Kind { option allow_alias = true; KIND_ONE = 0; ONE = 0; KIND = 2; }"),
    (2, "enum Kind { KIND_ONE = 0; ONE = 1; }"),
    (2, "message M { optional q.Closed c = 1; map<int32, q.Closed> m = 2; }"),
    (
        3,
        "enum Open { A = 0; } message M { map<int32, Open> m = 1; repeated Open o = 2 [packed = true]; }",
    ),
    (
        3,
        "message M { repeated int32 a = 1 [packed = false]; M m = 2 [lazy = true]; int64 b = 3 [jstype = JS_STRING]; }",
    ),
];

fn text(syntax: u8, declarations: &str) -> String {
    format!("syntax = \"proto{syntax}\";\npackage p;\nimport \"closed.proto\";\n{declarations}\n")
}

fn folder(syntax: u8, declarations: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("api.proto"), text(syntax, declarations)).unwrap();
    std::fs::write(folder.path().join(IMPORTED.0), IMPORTED.1).unwrap();
    folder
}

#[test]
fn broken_rules_are_named_with_their_places() {
    for (syntax, declarations, place, fact) in CASES.iter().chain([&FIRST_OF_MAP]) {
        let folder = folder(*syntax, declarations);
        let error = compile::folder(folder.path()).expect_err(declarations);
        let shown = format!("{error:?}");
        assert!(shown.contains(fact), "{declarations}: {shown}");
        let column = declarations.find(place).unwrap() + 1;
        assert!(shown.contains(&format!("api.proto:4:{column}\n")), "{declarations}: {shown}");
    }
}

#[test]
fn valid_schemas_are_accepted() {
    for (syntax, declarations) in VALID {
        let folder = folder(*syntax, declarations);
        if let Err(error) = compile::folder(folder.path()) {
            panic!("{declarations}: {error:?}");
        }
    }
}

/// buf writes no set if the schema has errors.
#[cfg(feature = "buf")]
fn builds(buf: &nri_tests::buf::Buf, syntax: u8, declarations: &str) -> bool {
    let folder = folder(syntax, declarations);
    let set = folder.path().join("set.binpb");
    buf.build(folder.path(), &set, false).is_ok() && set.exists()
}

#[cfg(feature = "buf")]
#[test]
fn buf_agrees() {
    let buf = nri_tests::buf::Buf::find().expect("buf is installed");
    for (syntax, declarations, ..) in CASES {
        assert!(!builds(&buf, *syntax, declarations), "{declarations}");
    }
    let accepted = VALID.iter().copied().chain([(FIRST_OF_MAP.0, FIRST_OF_MAP.1)]);
    for (syntax, declarations) in accepted {
        assert!(builds(&buf, syntax, declarations), "{declarations}");
    }
}
