//! The contract as data: one file per statement in `contract/`.
//!
//! To add a statement, write `contract/ID.toml` and add the id to the table below.
//!
//! ```
//! let statement = nri_conformance::contract::get("P7").expect("a statement about Stop");
//! assert!(statement.text.contains("more than once"));
//! ```

use std::sync::LazyLock;

use serde::Deserialize;

/// One statement of the contract.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The permanent id, such as `P7`.
    pub id: String,
    /// The statement, in one or two sentences.
    pub text: String,
    /// How firm it is.
    pub status: Status,
    /// Who keeps or breaks it; never empty.
    pub kept_by: Vec<Keeper>,
    /// The first NRI release that it applies to, such as `v0.2.0`.
    pub since: String,
    /// Where it comes from: a link.
    pub source: String,
    /// What a violation costs.
    pub cost: String,
}

/// How firm a statement is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Normative in the draft specification.
    Normative,
    /// Asserted only by the conformance tests for runtimes, critest.
    Critest,
    /// Ambiguous, or open in review. A violation never fails a run by itself.
    Ambiguous,
    /// A policy of this project where the sources are silent.
    Policy,
    /// A fact of the protocol as released.
    Protocol,
}

/// A party to the contract.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Keeper {
    /// The plugin.
    Plugin,
    /// The container runtime.
    Runtime,
    /// The part of the runtime that relays events to plugins, such as `nri::adaptation`.
    Relay,
}

macro_rules! statements {
    ($($id:literal)*) => {
        /// The id and the text of each file.
        const FILES: &[(&str, &str)] = &[
            $(($id, include_str!(concat!("../contract/", $id, ".toml")))),*
        ];
    };
}

statements! { "P7" }

static STATEMENTS: LazyLock<Vec<Statement>> = LazyLock::new(|| {
    // A test parses every file.
    FILES
        .iter()
        .filter_map(|(_, text)| toml::from_str(text).ok())
        .collect()
});

/// Returns every statement, in the order of the contract.
pub fn all() -> &'static [Statement] {
    &STATEMENTS
}

/// Returns the statement with exactly this id.
pub fn get(id: &str) -> Option<&'static Statement> {
    all().iter().find(|statement| statement.id == id)
}

#[cfg(test)]
mod tests {
    use super::{FILES, Statement};

    #[test]
    fn every_file_parses_and_has_the_id_of_its_name() {
        for (id, text) in FILES {
            let statement: Statement =
                toml::from_str(text).unwrap_or_else(|error| panic!("{id}: {error}"));
            assert_eq!(statement.id, *id);
            assert!(!statement.kept_by.is_empty(), "{id}");
        }
    }
}
