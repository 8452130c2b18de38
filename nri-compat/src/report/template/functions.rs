//! The functions and filters of templates, in addition to those of minijinja.

use minijinja::{Environment, State, Value};

use super::escape;
use crate::report::count::counted;
use crate::report::group::short;

/// Adds all functions and filters.
pub(super) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("code", code);
    environment.add_filter("data", escape::data);
    environment.add_filter("join", join);
    environment.add_filter("cell", cell);
    environment.add_filter("counted", |count: usize, noun: &str| counted(count, noun));
    environment.add_filter("hex", |mask: i64| format!("{:#x}", mask & 0xffff_ffff));
    environment.add_filter("millis", millis);
    environment.add_filter("seconds", seconds);
    environment.add_filter("short", |element: &str| short(element).to_owned());
    environment.add_filter("ending", ending);
    environment.add_function("counts", counts);
}

/// Returns a name in code quotes of Markdown.
fn code(name: String) -> Value {
    Value::from_safe_string(escape::code(&name))
}

/// Returns the texts with a separator between them.
fn join(texts: Vec<String>, separator: Option<String>) -> String {
    texts.join(separator.as_deref().unwrap_or_default())
}

/// Returns a cell of a Markdown table, in which a `|` does not end the cell.
fn cell(state: &State<'_, '_>, text: &Value) -> Value {
    let escaped = match text.as_str() {
        Some(markup) if text.is_safe() => markup.to_owned(),
        Some(text) => escape::escaped(state.auto_escape(), text),
        None => text.to_string(),
    };
    Value::from_safe_string(escaped.replace('|', "\\|"))
}

/// Returns milliseconds with a unit: `0.3 ms`, `12 ms`.
fn millis(millis: f64) -> String {
    if millis < 10.0 {
        format!("{millis:.1} ms")
    } else {
        format!("{millis:.0} ms")
    }
}

/// Returns milliseconds as seconds: `0.031`.
fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

/// Returns a name with at most `length` characters. The end of a path is more informative than its start.
fn ending(name: &str, length: usize) -> String {
    let all = name.chars().count();
    if all <= length {
        return name.to_owned();
    }
    let end: String = name.chars().skip(all + 1 - length).collect();
    format!("…{end}")
}

/// Returns the attributes of a suite of JUnit XML that count its cases, which are given as XML.
fn counts(cases: &str) -> Value {
    let count = |element: &str| cases.matches(element).count();
    Value::from_safe_string(format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
        count("<testcase "),
        count("<failure "),
        count("<skipped ")
    ))
}

#[cfg(test)]
mod tests {
    use super::ending;

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(ending("v0.12.5", 18), "v0.12.5");
        let short = ending("protos/of/a/fork/api.proto", 18);
        assert_eq!(short, "…/a/fork/api.proto");
        assert_eq!(short.chars().count(), 18);
    }
}
