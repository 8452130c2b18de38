//! The statements that a run tests.

use nri_conformance::contract;

use crate::error::did_you_mean;

/// Options that select statements.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Test only these statements, separated by commas: P7,W3.
    #[arg(long, value_name = "STATEMENT", value_delimiter = ',', value_parser = statement)]
    pub(super) only: Vec<String>,
    /// Skip these statements, separated by commas.
    #[arg(long, value_name = "STATEMENT", value_delimiter = ',', value_parser = statement)]
    pub(super) skip: Vec<String>,
}

impl Args {
    /// Returns true if a statement is tested.
    pub(super) fn selects(&self, statement: &str) -> bool {
        let named = |ids: &[String]| ids.iter().any(|id| id == statement);
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }
}

/// Returns the id of a statement, which may be given in lower case.
fn statement(text: &str) -> Result<String, String> {
    let id = text.trim().to_ascii_uppercase();
    if contract::get(&id).is_some() {
        return Ok(id);
    }
    let all = "`nri-compat conformance --list` lists all";
    let help = did_you_mean(&id, contract::ids(), all);
    Err(format!("no such statement; {help}"))
}

#[cfg(test)]
mod tests {
    use super::statement;

    #[test]
    fn statements_are_known_in_any_case() {
        assert_eq!(statement(" w3"), Ok("W3".to_owned()));
        assert!(statement("W33").is_err_and(|error| error.contains("W3")));
        assert!(statement("").is_err_and(|error| error.contains("--list")));
    }
}
