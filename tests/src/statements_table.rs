//! The statements of the contract as the tables of `nri-conformance/STATEMENTS.md`.

use nri_conformance::contract::{Keeper, Part, Statement};

/// Returns a table for each part of the contract.
pub fn tables(statements: &[&Statement]) -> String {
    let parts = Part::ALL.iter().filter_map(|part| {
        let rows: Vec<Vec<String>> = statements
            .iter()
            .filter(|statement| statement.part() == *part)
            .map(|statement| row(statement))
            .collect();
        let head = ["id", "statement", "status", "kept by", "since", "sources"];
        (!rows.is_empty()).then(|| format!("## {}\n\n{}", heading(*part), table(&head, &rows)))
    });
    parts.collect::<Vec<_>>().join("\n")
}

/// Returns the title of a part, which starts with a capital letter in a heading.
fn heading(part: Part) -> String {
    let mut chars = part.title.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn row(statement: &Statement) -> Vec<String> {
    let keepers: Vec<&str> = statement.kept_by.iter().copied().map(Keeper::as_str).collect();
    let note = statement.note.iter().map(|note| format!(" *{}*", prose(note)));
    let links: Vec<String> = std::iter::once(&statement.source)
        .chain(&statement.see_also)
        .map(|link| format!("[{}]({link})", prose(&link_name(link))))
        .collect();
    vec![
        format!("`{}`", statement.id),
        prose(&statement.text) + &note.collect::<String>(),
        statement.status.to_string(),
        keepers.join(", "),
        statement.since.clone(),
        links.join(", "),
    ]
}

/// Returns a short name for a link: `containerd/nri 286` for an issue or pull request on GitHub,
/// else its last parts.
fn link_name(link: &str) -> String {
    let path = link.strip_prefix("https://").unwrap_or(link);
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["github.com", owner, name, "pull" | "issues", number] => {
            format!("{owner}/{name} {number}")
        }
        ["github.com", _, name, "blob", _, .., file] => format!("{name}: {file}"),
        [host, ..] => (*host).to_owned(),
        [] => String::new(),
    }
}

fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let rule = vec!["---"; head.len()].join(" | ");
    let mut text = format!("| {} |\n| {rule} |\n", head.join(" | "));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// Escapes what Markdown would take for a tag.
fn prose(text: &str) -> String {
    text.replace('<', "&lt;")
}
