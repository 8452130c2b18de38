//! Protos with one difficulty each, and the expected results.

mod compiling;
mod refused;
mod several_files;

use compiling::{COMPILING, PROTO2};
use refused::REFUSED;
use several_files::several_files;

use super::NRI;

/// The expected result of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Bindings that compile.
    Compiles,
    /// An error of this text, on this line of the file.
    Refused(&'static str, usize),
}

/// A proto that is difficult for a generator.
pub struct Case {
    /// The difficulty.
    pub name: &'static str,
    /// The files by name; bindings are generated for the first.
    pub files: Vec<(String, String)>,
    /// The expected result.
    pub expected: Expected,
}

/// Returns every case.
pub fn cases() -> Vec<Case> {
    let compiling = COMPILING.iter().chain(PROTO2);
    let compiling = compiling.map(|(name, text)| Case {
        name,
        files: vec![(
            "case.proto".to_owned(),
            text_of(text, PROTO2.iter().any(|(known, _)| known == name)),
        )],
        expected: Expected::Compiles,
    });
    let refused = REFUSED.iter().map(|(name, text, fact, line)| Case {
        name,
        files: vec![("case.proto".to_owned(), text_of(text, false))],
        expected: Expected::Refused(fact, *line),
    });
    compiling.chain(refused).chain(several_files()).collect()
}

/// Returns the text of a proto that starts on line 1 with the declarations of the case, so that its
/// lines can be counted.
fn text_of(text: &str, proto2: bool) -> String {
    let version = if proto2 { "proto2" } else { "proto3" };
    if text.starts_with("syntax") || text.starts_with("edition") {
        return text.to_owned();
    }
    format!("syntax = \"{version}\"; package a.b;\n{text}\n{NRI}")
}
