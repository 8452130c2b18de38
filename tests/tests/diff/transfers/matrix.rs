//! A message per type and label, each with one field of number 1.

use std::fmt::Write as _;
use std::path::Path;

const SCALARS: [&str; 15] = [
    "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32",
    "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes",
];

const TYPES: &str = "
    enum Plain { ZERO = 0; ONE = 1; MANY = 70000; }
    enum Signed { NOTHING = 0; MINUS = -1; }
    message Inner { optional int32 a = 1; optional string b = 2; repeated Inner c = 3; }
    message Other { optional string a = 1; optional fixed64 b = 2; }
    message Empty {}
";

/// Writes the protos of the matrix.
pub(super) fn write(folder: &Path) {
    let three = format!("syntax = \"proto3\";\npackage three;\n{TYPES}\n{}", variants(true));
    let two = format!("syntax = \"proto2\";\npackage two;\n{TYPES}\n{}", variants(false));
    std::fs::write(folder.join("three.proto"), three).expect("a folder that can be written to");
    std::fs::write(folder.join("two.proto"), two).expect("a folder that can be written to");
}

/// Returns true if a message of this name is a variant, and not one of the types that they use.
pub(super) fn is_variant(name: &str) -> bool {
    name.starts_with('V')
}

fn variants(proto3: bool) -> String {
    let mut text = String::new();
    let mut add = |field: String| {
        let number = text.matches("message V").count();
        writeln!(text, "message V{number} {{ {field} }}").expect("a string takes it");
    };
    let named = ["Plain", "Signed", "Inner", "Other", "Empty"];
    let single = if proto3 { "" } else { "optional " };
    for kind in SCALARS.iter().chain(&named) {
        add(format!("{single}{kind} f = 1;"));
        add(format!("repeated {kind} f = 1;"));
    }
    for kind in ["int32", "fixed32", "double", "Plain"] {
        add(format!("repeated {kind} f = 1 [packed = {}];", !proto3));
    }
    for entry in [
        "string, int32",
        "string, string",
        "string, bytes",
        "int32, Inner",
        "int64, Inner",
        "string, Plain",
        "bool, double",
    ] {
        add(format!("map<{entry}> f = 1;"));
    }
    add("oneof o { int32 f = 1; string g = 2; }".to_owned());
    if proto3 {
        add("optional int32 f = 1;".to_owned());
        add("int32 f = 1; string g = 2;".to_owned());
    } else {
        add("required int32 f = 1;".to_owned());
        add("optional int32 f = 1 [default = 5];".to_owned());
        add("optional group F = 1 { optional int32 a = 1; }".to_owned());
        add("repeated group F = 1 { optional string a = 1; }".to_owned());
    }
    text
}
