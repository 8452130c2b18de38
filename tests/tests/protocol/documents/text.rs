//! Documents in YAML and TOML, logs, and files of Go.

use nri_compat::check::logs;
use nri_compat::policy::Policy;
use nri_compat::workloads::manifest;

use super::json::read;
use super::{Decoder, ELEMENTS, list, numbered, repeated};

/// The messages of a line about NRI: each is parsed, which takes its time.
const MESSAGES: usize = (1 << 9) + 1;

/// The start of an object, so that a document that exceeds a limit is reported.
const OBJECT: &str = "apiVersion: v1\nkind: Pod\n";

fn manifests() -> Vec<Vec<u8>> {
    let object = |more: String| format!("{OBJECT}{more}\n").into_bytes();
    let containers = list("{}");
    vec![
        object(format!("x: [{}]", list("a"))),
        object(format!("x: [{}]", list("[]"))),
        object(format!("x: [{}]", list("{a}"))),
        object(format!("x: {{{}}}", numbered(|nth| format!("{nth:x},")))),
        object(format!("x:\n{}", repeated("-", "\n"))),
        object(numbered(|nth| format!("{nth:x}:\n"))),
        object(format!("spec: {{containers: [{containers}], volumes: [{containers}]}}")),
        numbered(|_| "---\n{kind: a}\n".to_owned()).into_bytes(),
    ]
}

/// Returns a document whose aliases have aliases: a long text, ten times at each level.
fn laughs() -> String {
    let first = format!("{OBJECT}a0: &a0 {}\n", "x".repeat(1 << 16));
    (1..10).fold(first, |text, level| {
        let below = [format!("*a{}", level - 1).as_str(); 10].join(", ");
        format!("{text}a{level}: &a{level} [{below}]\n")
    })
}

/// Returns a document with a list below many anchors: the parser keeps its elements for each.
fn nested_anchors() -> String {
    let (open, close) = ("&a [".repeat(90), "]".repeat(90));
    format!("{OBJECT}x: {open}{}{close}\n", ["x"; ELEMENTS / 4].join(","))
}

/// Returns tables with many keys, values, tables and elements.
fn tables() -> Vec<Vec<u8>> {
    let tables = [
        numbered(|nth| format!("{nth:x}=0\n")),
        numbered(|nth| format!("[a{nth:x}]\n")),
        repeated("[[a]]", "\n"),
        format!("a=[{}]", list("0")),
        format!("a=[{}]", list("[]")),
        format!("a=[{}]", list("{}")),
        format!("a=[{}]", list("''")),
        format!("a={{{}z=0}}", numbered(|nth| format!("{nth:x}=0,"))),
        numbered(|nth| format!("a{nth:x}.b.c.d.e.f.g=0\n")),
        repeated("", "\n"),
    ];
    tables.map(String::into_bytes).into()
}

fn ignores() -> Vec<Vec<u8>> {
    let ignore = "[[ignore]]\nrule='CHECK_STATE_CHANGE'\nreason='a'\n";
    let mut policies = tables();
    policies.push(repeated(ignore, "").into_bytes());
    policies
}

fn csv() -> Vec<Vec<u8>> {
    let row = |cells: &str| format!("time,message,labels\n{cells}\n").into_bytes();
    let object = |values: String| row(&format!("0,nri plugin,\"{}\"", values.replace('"', "\"\"")));
    let names = numbered(|nth| format!("{nth:x},"));
    vec![
        row(&list("")),
        row(&repeated("\"\"", ",")),
        format!("{names}message\n{}nri plugin\n", repeated("a", ",")).into_bytes(),
        object(format!(r#"{{"nri":[{}]}}"#, list("0"))),
        object(format!(r#"{{"nri":[{}]}}"#, list("{}"))),
    ]
}

/// Returns lines that are about NRI and full of values, or of records.
fn lines() -> Vec<Vec<u8>> {
    let many = |element: &str, between: &str| vec![element; MESSAGES].join(between);
    let line = |values: String| format!(r#"{{"plugin nri":[{values}]}}"#).into_bytes();
    let message = r#"{"msg":"nri plugin"}"#;
    // The host that a wrapper names belongs to each message in it.
    let host = "h".repeat(1 << 16);
    let warning = r#"level=warning msg="NRI plugin uses a deprecated interface" plugin=10-a "#;
    vec![
        line(list("0")),
        line(list("{}")),
        line(list(r#""""#)),
        line(many(message, ",")),
        format!(r#"{{"host":"{host}","a":[{}]}}"#, many(r#""nri plugin""#, ",")).into_bytes(),
        format!(r#"{{"host":"{host}","a":"{}"}}"#, many("msg=nri ", "")).into_bytes(),
        many("plugin 10-a connected and synchronized ", "").into_bytes(),
        many(warning, "").into_bytes(),
        many(warning, "\n").into_bytes(),
    ]
}

fn go_sources() -> Vec<Vec<u8>> {
    let source = |content: String| {
        let import = "package main\nimport \"github.com/containerd/nri/pkg/stub\"\n";
        format!("{import}{content}").into_bytes()
    };
    vec![
        source("(".repeat(ELEMENTS)),
        source(numbered(|nth| format!("func f{nth:x}(){{}}\n"))),
        source(numbered(|nth| format!("func(p *p)F{nth:x}(){{stub.New(p)}}\n"))),
        source(numbered(|nth| format!("type t{nth:x} struct{{stub.Stub}}\n"))),
        source(numbered(|nth| format!("const c{nth:x}=0\n"))),
        format!("package main\nimport(\n{})\n", numbered(|nth| format!("\"a/{nth:x}\"\n")))
            .into_bytes(),
    ]
}

fn go_modules() -> Vec<Vec<u8>> {
    let module = |lines: String| format!("module m\nrequire(\n{lines})\n").into_bytes();
    vec![
        module(numbered(|nth| format!("a.b/{nth:x} v1\n"))),
        module(repeated("", "\n")),
        repeated("replace a=>b", "\n").into_bytes(),
    ]
}

fn text_of(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

pub(super) fn decoders() -> Vec<Decoder> {
    vec![
        Decoder {
            name: "manifest",
            factor: 120,
            base: 0,
            decode: |bytes| drop(manifest::read(&manifest::decode(bytes))),
            documents: manifests(),
        },
        Decoder {
            name: "manifest with aliases and anchors",
            factor: 0,
            base: 192 << 20,
            decode: |bytes| drop(manifest::read(&manifest::decode(bytes))),
            documents: [laughs(), nested_anchors()].map(String::into_bytes).into(),
        },
        Decoder {
            name: "policy, as all TOML",
            factor: 410,
            base: 0,
            decode: |bytes| drop(Policy::parse("policy", text_of(bytes))),
            documents: ignores(),
        },
        Decoder {
            name: "Cargo.lock",
            factor: 410,
            base: 0,
            decode: |bytes| read("cargo-lock", bytes),
            documents: tables(),
        },
        Decoder {
            name: "log in a table",
            factor: 100,
            base: 1 << 20,
            decode: |bytes| drop(logs::read(&"log".into(), &mut &*bytes)),
            documents: csv(),
        },
        Decoder {
            name: "log",
            factor: 40,
            base: 18 << 20,
            decode: |bytes| drop(logs::read(&"log".into(), &mut &*bytes)),
            documents: lines(),
        },
        Decoder {
            name: "Go source",
            factor: 100,
            base: 0,
            decode: |bytes| read("go-source", bytes),
            documents: go_sources(),
        },
        Decoder {
            name: "go.mod",
            factor: 100,
            base: 0,
            decode: |bytes| read("go-mod", bytes),
            documents: go_modules(),
        },
    ]
}
