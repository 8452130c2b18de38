//! The statements of the contract as JSON.

use nri_conformance::contract::Statement;
use serde::Serialize;

use super::{SCHEMA, print};

#[derive(Serialize)]
struct JsonStatements<'s> {
    schema: u32,
    statements: Vec<JsonStatement<'s>>,
}

#[derive(Serialize)]
struct JsonStatement<'s> {
    id: &'s str,
    text: &'s str,
    status: &'static str,
    kept_by: Vec<&'static str>,
    since: &'s str,
    cost: &'s str,
    note: Option<&'s str>,
    same_as: Option<&'s str>,
    related: &'s [String],
    source: &'s str,
    see_also: &'s [String],
}

/// Renders statements as JSON.
pub fn statements(statements: &[&Statement]) -> String {
    print(&JsonStatements {
        schema: SCHEMA,
        statements: statements.iter().map(|statement| json(statement)).collect(),
    })
}

fn json(statement: &Statement) -> JsonStatement<'_> {
    JsonStatement {
        id: &statement.id,
        text: &statement.text,
        status: statement.status.as_str(),
        kept_by: statement
            .kept_by
            .iter()
            .map(|keeper| keeper.as_str())
            .collect(),
        since: &statement.since,
        cost: &statement.cost,
        note: statement.note.as_deref(),
        same_as: statement.same_as.as_deref(),
        related: &statement.related,
        source: &statement.source,
        see_also: &statement.see_also,
    }
}
