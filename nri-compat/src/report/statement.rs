//! The statements of the contract, for `conformance --list` and `explain`.

use nri_conformance::contract::Statement;
use serde::Serialize;

/// Statements of the contract.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StatementsReport<'s> {
    /// The statements, in the order of the contract.
    pub statements: &'s [&'s Statement],
}
