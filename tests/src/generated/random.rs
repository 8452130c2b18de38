//! Random protos whose names, types and nesting are as awkward as protobuf allows.

use std::fmt::Write as _;

use fastrand::Rng;

use super::NRI;

const WORDS: &[&str] = &[
    "type",
    "self",
    "Self",
    "SELF",
    "crate",
    "super",
    "Option",
    "Some",
    "None",
    "Vec",
    "String",
    "Result",
    "Ok",
    "Err",
    "Box",
    "Client",
    "Server",
    "EventMask",
    "Event",
    "Code",
    "Status",
    "Call",
    "Rpc",
    "EventInfo",
    "new",
    "New",
    "NEW",
    "default",
    "Default",
    "clone",
    "encode",
    "decode",
    "clear",
    "merge",
    "into",
    "from",
    "fn",
    "gen",
    "async",
    "await",
    "dyn",
    "try",
    "match",
    "Message",
    "Enumeration",
    "Oneof",
    "prost",
    "core",
    "std",
    "alloc",
    "generated",
    "packages",
    "T",
    "C",
    "M",
    "t",
    "a",
    "A",
    "b",
    "B",
    "_a",
    "a_",
    "a1",
    "A1",
    "a_1",
    "_1",
    "ZZ",
    "zZ",
    "Zz",
    "fooBar",
    "foo_bar",
    "FooBar",
    "FOO_BAR",
    "foo__bar",
    "set_a",
    "get_a",
    "push_a",
    "insert_a",
    "value",
    "buf",
    "tag",
    "ctx",
    "wire_type",
    "transport",
    "dispatch",
    "plugin",
    "PluginClient",
    "i32",
    "str",
    "bool",
    "u8",
    "usize",
    "macro_rules",
    "union",
    "static",
    "extern",
    "UNKNOWN",
    "LAST",
    "ALL",
    "very_long_name_very_long_name_very_long_name_very_long_name_very_long_name_very_long_name_x",
];

const SCALARS: &[&str] = &[
    "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32",
    "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes",
];

const KEYS: &[&str] = &["int32", "uint64", "sint32", "fixed64", "sfixed32", "bool", "string"];

const WELL_KNOWN: &[&str] = &[
    "google.protobuf.Timestamp",
    "google.protobuf.Any",
    "google.protobuf.Struct",
    "google.protobuf.Empty",
    "google.protobuf.BoolValue",
];

/// Returns a proto for this seed. Many have conflicting names, or do not compile as protos.
pub fn random(seed: u64) -> String {
    let mut proto = Proto {
        rng: Rng::with_seed(seed),
        proto2: seed.is_multiple_of(3),
        messages: vec!["NriEmpty".to_owned()],
        enums: vec![".a.b.Event".to_owned()],
        text: String::new(),
    };
    proto.file()
}

struct Proto {
    rng: Rng,
    proto2: bool,
    messages: Vec<String>,
    enums: Vec<String>,
    text: String,
}

impl Proto {
    fn file(&mut self) -> String {
        let version = if self.proto2 { "proto2" } else { "proto3" };
        for _ in 0..self.rng.usize(1..4) {
            let (name, is_enum) = (self.word(), self.rng.bool());
            if is_enum {
                self.enumeration(&name, "");
            } else {
                self.message(&name, "", 0);
            }
        }
        if self.rng.bool() {
            self.service();
        }
        let imports: String = ["timestamp", "any", "struct", "empty", "wrappers"]
            .iter()
            .map(|name| format!("import \"google/protobuf/{name}.proto\";\n"))
            .collect();
        format!("syntax = \"{version}\"; package a.b;\n{imports}{}\n{NRI}", self.text)
    }

    /// Returns a word that rarely repeats, because protobuf rejects most protos with duplicate
    /// names.
    fn word(&mut self) -> String {
        let word = *self.rng.choice(WORDS).expect("there are words");
        match self.rng.u8(0..4) {
            0 => word.to_owned(),
            1 => format!("{word}_{}", self.rng.u8(0..100)),
            _ => format!("{word}{}", self.rng.choice(WORDS).expect("there are words")),
        }
    }

    fn message(&mut self, name: &str, scope: &str, depth: usize) {
        let full_name = format!("{scope}{name}");
        self.messages.push(format!(".a.b.{full_name}"));
        let _ = writeln!(self.text, "message {name} {{");
        let inner = format!("{full_name}.");
        for _ in 0..self.rng.usize(0..3) {
            let nested = self.word();
            if depth < 4 && self.rng.bool() {
                self.message(&nested, &inner, depth + 1);
            } else {
                self.enumeration(&nested, &inner);
            }
        }
        let count = self.rng.usize(0..7);
        for number in 1..=count {
            self.field(number);
        }
        if self.rng.bool() {
            self.oneof(count + 1);
        }
        self.text += "}\n";
    }

    fn field(&mut self, number: usize) {
        let name = self.word();
        if self.proto2 && self.rng.u8(0..6) == 0 {
            let label = *self.rng.choice(&["optional", "repeated", "required"]).expect("labels");
            let _ = writeln!(self.text, "{label} group {}Grp = {number} {{}}", upper(&name));
        } else if self.rng.u8(0..4) == 0 {
            let key = *self.rng.choice(KEYS).expect("keys");
            let value = self.ty();
            let _ = writeln!(self.text, "map<{key}, {value}> {name} = {number};");
        } else {
            let labels: &[&str] =
                if self.proto2 { &["optional", "repeated"] } else { &["", "optional", "repeated"] };
            let label = *self.rng.choice(labels).expect("labels");
            let (ty, options) = (self.ty(), self.options());
            let _ =
                writeln!(self.text, "// {name} [x] <y>\n{label} {ty} {name} = {number}{options};");
        }
    }

    fn options(&mut self) -> &'static str {
        match self.rng.u8(0..4) {
            0 => " [deprecated = true]",
            1 => " [deprecated = false, json_name = \"x\"]",
            _ => "",
        }
    }

    fn oneof(&mut self, first: usize) {
        let name = self.word();
        let _ = writeln!(self.text, "oneof {name} {{");
        for number in first..first + self.rng.usize(1..4) {
            let (ty, field) = (self.ty(), self.word());
            let _ = writeln!(self.text, "{ty} {field} = {number};");
        }
        self.text += "}\n";
    }

    fn ty(&mut self) -> String {
        let pick = |rng: &mut Rng, names: &[String]| rng.choice(names).expect("a name").clone();
        match self.rng.u8(0..8) {
            0..=2 => (*self.rng.choice(SCALARS).expect("scalars")).to_owned(),
            3..=4 => pick(&mut self.rng, &self.enums),
            5 => (*self.rng.choice(WELL_KNOWN).expect("types")).to_owned(),
            _ => pick(&mut self.rng, &self.messages),
        }
    }

    fn enumeration(&mut self, name: &str, scope: &str) {
        self.enums.push(format!(".a.b.{scope}{name}"));
        let _ = writeln!(self.text, "enum {name} {{ option allow_alias = true; Z{name}_ZERO = 0;");
        // The first one has the number of the zero: an enum that allows aliases must have one.
        for number in 0..self.rng.usize(1..4) {
            let value = self.word();
            let _ = writeln!(self.text, "{value} = {number};");
        }
        self.text += "}\n";
    }

    fn service(&mut self) {
        let name = self.word();
        let _ = writeln!(self.text, "service {name} {{");
        for _ in 0..self.rng.usize(0..4) {
            let rpc = self.word();
            let pick = |rng: &mut Rng, names: &[String]| rng.choice(names).expect("one").clone();
            let input = pick(&mut self.rng, &self.messages);
            let output = pick(&mut self.rng, &self.messages);
            let _ = writeln!(self.text, "rpc {rpc}({input}) returns ({output});");
        }
        self.text += "}\n";
    }
}

/// Groups start with a capital letter.
fn upper(name: &str) -> String {
    let mut letters = name.trim_start_matches('_').chars();
    let first = letters.next().unwrap_or('G').to_ascii_uppercase();
    format!("G{first}{}", letters.as_str())
}
