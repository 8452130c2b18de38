//! The styles of a text report.

use anstyle::{AnsiColor, Style};
use minijinja::{Environment, State, Value};

use super::{Look, escape, table};

const GOOD: Style = AnsiColor::Green.on_default();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The style of each word that a report shows in colour: verdicts, levels, outcomes and answers.
const STYLES: [(&str, Style); 22] = [
    ("title", Style::new().bold().underline()),
    ("strong", Style::new().bold()),
    ("faint", Style::new().dimmed()),
    ("ok", GOOD),
    ("works", GOOD),
    ("implemented", GOOD),
    ("note", NOTE),
    ("unknown", NOTE),
    ("fallback", NOTE),
    ("warning", WARNING),
    ("deprecated", WARNING),
    ("loses", WARNING),
    ("presence", WARNING),
    ("misreads", WARNING),
    ("errors", WARNING),
    ("error", ERROR),
    ("removed", ERROR),
    ("incompatible", ERROR),
    ("fails", ERROR),
    ("breaks", ERROR),
    ("silent", ERROR),
    ("dropped", ERROR),
];

/// Adds the filters that only text reports use.
pub(super) fn add(environment: &mut Environment<'_>, look: Look) {
    environment.add_global("tab", Value::from_safe_string("\t".to_owned()));
    environment.add_filter(
        "style",
        move |state: &State<'_, '_>, text: Value, name: String| {
            Value::from_safe_string(styled(state, &text, &name, look))
        },
    );
    // A label of prose, padded to a width.
    environment.add_filter(
        "label",
        move |state: &State<'_, '_>, text: Value, name: Option<String>, width: Option<usize>| {
            let text = format!("{:1$}", text.to_string(), width.unwrap_or(0));
            let text = styled(state, &text.into(), &name.unwrap_or_default(), look);
            Value::from_safe_string(text + "\t")
        },
    );
    environment.add_filter("table", move |rows: String| {
        let (head, rows) = rows.split_once('\n').unwrap_or((&rows, ""));
        let head: Vec<String> = head
            .split('\t')
            .map(|cell| marked(cell, "strong", look))
            .collect();
        let rows = format!("{}\n{rows}", head.join("\t"));
        Value::from_safe_string(table::table(&rows, look.width))
    });
}

/// Returns a text, escaped, in a style.
fn styled(state: &State<'_, '_>, text: &Value, name: &str, look: Look) -> String {
    match text.as_str() {
        Some(markup) if text.is_safe() => marked(markup, name, look),
        _ => marked(
            &escape::escaped(state.auto_escape(), &text.to_string()),
            name,
            look,
        ),
    }
}

fn marked(text: &str, name: &str, look: Look) -> String {
    let style = STYLES.iter().find(|(known, _)| *known == name);
    match style {
        Some((_, style)) if look.coloured && !text.is_empty() => format!("{style}{text}{style:#}"),
        _ => text.to_owned(),
    }
}
