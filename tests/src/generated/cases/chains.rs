//! Messages in each other, at the depth that rustc takes and beyond.

use super::{Case, Expected, text_of};

/// The name of a chain, the field that holds the next message, the number of messages that compile,
/// and the number that are refused.
const CHAINS: &[(&str, &str, usize, usize)] = &[
    ("optional messages", "NEXT a = 1;", 60, 62),
    ("lists of messages", "repeated NEXT a = 1;", 30, 32),
    ("maps of messages", "map<string, NEXT> a = 1;", 24, 26),
    ("messages in oneofs", "oneof o { NEXT a = 1; }", 40, 42),
];

/// Returns chains that end in a map of text, and cycles.
pub(super) fn chains() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, field, compiles, refused) in CHAINS {
        cases.push(case(name, &chain(field, *compiles, ""), Expected::Compiles));
        let expected = Expected::Refused("too deep in each other", 2);
        cases.push(case(name, &chain(field, *refused, ""), expected));
    }
    let field = "NEXT a = 1;";
    let name = "cycles of messages";
    let cycle = chain(field, 28, "M0 first = 2;");
    cases.push(case(name, &cycle, Expected::Compiles));
    let expected = Expected::Refused("too deep in each other", 2);
    cases.push(case(name, &chain(field, 200, "M0 first = 2;"), expected));
    cases
}

fn chain(field: &str, messages: usize, last: &str) -> String {
    let mut text = String::new();
    for index in 1..messages {
        let field = field.replace("NEXT", &format!("M{index}"));
        text += &format!("message M{} {{ {field} }} ", index - 1);
    }
    let end = messages - 1;
    text + &format!("message M{end} {{ map<string, string> end = 1; {last} }}")
}

fn case(name: &'static str, text: &str, expected: Expected) -> Case {
    Case {
        name,
        files: vec![("case.proto".to_owned(), text_of(text, false))],
        expected,
    }
}
