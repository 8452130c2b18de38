//! The text of `explain` about statements of the contract, and of `conformance --list`.

use anstyle::Style;
use nri_conformance::contract::{Keeper, Part, Statement};

use super::layout::Page;
use super::width::Look;

/// Renders one statement of the contract.
pub fn statement(statement: &Statement, look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let strong = page.palette.strong;
    page.prose(0, &format!("{}: ", statement.id), strong, &statement.text);
    page.gap();
    page.prose(2, "", Style::new(), &statement.cost);
    if let Some(note) = &statement.note {
        page.gap();
        page.prose(2, "", Style::new(), note);
    }
    page.gap();
    let label = |name: &str| format!("{name:<11}");
    let status = format!("{}: {}", statement.status, statement.status.about());
    page.prose(2, &label("status"), strong, &status);
    let keepers = statement.kept_by.iter().map(|keeper| keeper.as_str());
    page.list(2, &label("kept by"), strong, keepers);
    page.prose(2, &label("since"), strong, &statement.since);
    if let Some(same) = &statement.same_as {
        page.prose(2, &label("same as"), strong, same);
    }
    if !statement.related.is_empty() {
        let related = statement.related.iter().map(String::as_str);
        page.list(2, &label("related"), strong, related);
    }
    page.line(2, &label("source"), strong, &statement.source);
    for link in &statement.see_also {
        page.line(2, &label("see also"), strong, link);
    }
    page.finish()
}

/// Lists statements by part of the contract.
pub fn statements(statements: &[&Statement], look: impl Into<Look>) -> String {
    let mut page = Page::new(look.into());
    let strong = page.palette.strong;
    for part in Part::ALL {
        let of_part: Vec<_> = statements
            .iter()
            .filter(|statement| statement.part() == part)
            .collect();
        if of_part.is_empty() {
            continue;
        }
        page.gap();
        page.prose(0, &format!("{}: ", part.letter()), strong, part.title());
        for statement in of_part {
            let label = format!("{:<5}", format!("{}: ", statement.id));
            page.prose(2, &label, strong, &described(statement));
        }
    }
    page.finish()
}

/// Returns the text, status and keepers of a statement.
fn described(statement: &Statement) -> String {
    let keepers: Vec<&str> = statement
        .kept_by
        .iter()
        .copied()
        .map(Keeper::as_str)
        .collect();
    let Statement { text, status, .. } = statement;
    format!("{text} ({status}; {})", keepers.join(", "))
}
