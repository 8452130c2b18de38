//! Escapes the values in templates, by the format of the template.

use std::fmt::Write as _;

use minijinja::value::Value;
use minijinja::{AutoEscape, Error, Output, State};

use crate::escape::visible;

/// The formats other than HTML, by the ending of a template's name.
const CSV: &str = "csv";
const MARKDOWN: &str = "md";
const XML: &str = "xml";
const GITHUB: &str = "github";
const TEXT: &str = "txt";

/// Returns the escaping for a template with this name: `list.html.j2` is HTML, and anything unknown is text.
pub(super) fn of_name(name: &str) -> AutoEscape {
    let name = name.strip_suffix(".j2").unwrap_or(name);
    let name = name.strip_suffix(".jinja").unwrap_or(name);
    match name.rsplit('.').next().unwrap_or_default() {
        "html" | "htm" => AutoEscape::Html,
        "csv" => AutoEscape::Custom(CSV.into()),
        "md" | "markdown" => AutoEscape::Custom(MARKDOWN.into()),
        "xml" => AutoEscape::Custom(XML.into()),
        "github" => AutoEscape::Custom(GITHUB.into()),
        _ => AutoEscape::Custom(TEXT.into()),
    }
}

/// Writes a value, escaped unless it is markup already. A missing value is empty.
pub(super) fn format(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    if value.is_none() || value.is_undefined() {
        return Ok(());
    }
    if value.is_safe() {
        return out
            .write_str(value.as_str().unwrap_or_default())
            .map_err(Error::from);
    }
    let escaped = escaped(state.auto_escape(), &value.to_string());
    out.write_str(&escaped).map_err(Error::from)
}

/// Returns a text in a format. Characters that act instead of being shown are spelled out in all of them.
pub(super) fn escaped(format: &AutoEscape, text: &str) -> String {
    let text = visible(text);
    match format {
        AutoEscape::Html => html(&text),
        AutoEscape::Custom(name) => match name.as_ref() {
            CSV => csv(&text),
            MARKDOWN => markdown(&text),
            XML => xml(&text),
            GITHUB => property(&text),
            _ => text,
        },
        _ => text,
    }
}

/// Returns a cell of CSV, quoted as in RFC 4180 if necessary. An apostrophe keeps spreadsheets from reading it as
/// a formula: <https://owasp.org/www-community/attacks/CSV_Injection>.
fn csv(text: &str) -> String {
    let apostrophe = if text.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    if text.contains([',', '"']) {
        format!("\"{apostrophe}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{apostrophe}{text}")
    }
}

fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '<' | '>' | '&' | '"' | '\'') {
            let _ = write!(escaped, "&#{};", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn xml(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

/// Returns a message of a workflow command, escaped like the toolkit of the runner does.
pub(super) fn data(text: &str) -> Value {
    Value::from_safe_string(visible(text).replace('%', "%25"))
}

/// Returns a property of a workflow command, which also ends at a comma or a colon.
fn property(text: &str) -> String {
    text.replace('%', "%25")
        .replace(':', "%3A")
        .replace(',', "%2C")
}

/// Returns prose that has no tags, links, headings or emphasis. Paired code quotes keep their meaning.
fn markdown(text: &str) -> String {
    let paired = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let mut escaped = String::with_capacity(text.len());
    let mut is_quoted = false;
    for c in text.chars() {
        is_quoted ^= paired && c == '`';
        let marks = matches!(c, '\\' | '<' | '[' | ']' | '*' | '_' | '#' | '~' | '!');
        if !is_quoted && marks || !paired && c == '`' {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Returns a name in code quotes of Markdown, with one more backtick than its longest run of backticks.
pub(super) fn code(name: &str) -> String {
    let name = visible(name);
    if !name.contains('`') {
        return format!("`{name}`");
    }
    let runs = name.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    format!("{fence} {name} {fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_not_markup() {
        assert_eq!(
            markdown("<b> [x](y) *z* a_b `a_b`"),
            "\\<b> \\[x\\](y) \\*z\\* a\\_b `a_b`"
        );
        assert_eq!(markdown("a ` <b>"), "a \\` \\<b>");
        assert_eq!(code("a``b"), "``` a``b ```");
        assert_eq!(code("a"), "`a`");
    }

    #[test]
    fn cells_are_quoted_and_formulas_disarmed() {
        let format = of_name("x.csv");
        let cells = ["a,b", "c\"d", "e\nf", "=1+1", ""].map(|text| escaped(&format, text));
        assert_eq!(cells, ["\"a,b\"", "\"c\"\"d\"", "e\\nf", "'=1+1", ""]);
    }

    #[test]
    fn nothing_ends_a_property_or_a_line_early() {
        let shown = escaped(&of_name("x.github"), "a:b,c%\n");
        assert_eq!(shown, "a%3Ab%2Cc%25\\n");
        assert_eq!(data("d::e,f%\r\ng").as_str(), Some("d::e,f%25\\r\\ng"));
    }

    #[test]
    fn the_name_of_a_template_selects_its_escaping() {
        assert_eq!(of_name("a/list.html.j2"), AutoEscape::Html);
        for (name, escaping) in [
            ("a.md", MARKDOWN),
            ("b.csv", CSV),
            ("c.xml", XML),
            ("d", TEXT),
        ] {
            assert_eq!(of_name(name), AutoEscape::Custom(escaping.into()));
        }
    }
}
