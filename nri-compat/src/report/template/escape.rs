//! Escapes the values in templates, by the format of the template.

use minijinja::value::Value;
use minijinja::{AutoEscape, Error, Output, State};

use crate::escape::visible;

/// Returns a text escaped for a format.
type Escape = fn(&str) -> String;

/// The escaping of each format, by the ending of a template's name. Anything else is text.
const FORMATS: [(&str, Escape); 7] = [
    ("html", xml),
    ("htm", xml),
    ("xml", xml),
    ("csv", csv),
    ("md", markdown),
    ("markdown", markdown),
    ("github", message),
];

/// Returns the escaping for a template with this name: `list.html.j2` is HTML, and anything unknown
/// is text.
pub(super) fn of_name(name: &str) -> AutoEscape {
    let name = name.strip_suffix(".j2").unwrap_or(name);
    let name = name.strip_suffix(".jinja").unwrap_or(name);
    let ending = name.rsplit('.').next().unwrap_or_default();
    AutoEscape::Custom(ending.to_owned().into())
}

/// Writes a value. A missing value is empty.
pub(super) fn format(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    if value.is_none() || value.is_undefined() {
        return Ok(());
    }
    out.write_str(&markup(state, value)).map_err(Error::from)
}

/// Returns a value in the format of the template, escaped unless it is markup already. Characters
/// that act instead of being shown are spelled out in all formats.
pub(super) fn markup(state: &State<'_, '_>, value: &Value) -> String {
    let text = value.to_string();
    if value.is_safe() {
        return text;
    }
    let shown = visible(&text);
    match state.auto_escape() {
        AutoEscape::Custom(ending) => {
            let format = FORMATS.iter().find(|(known, _)| *known == ending.as_ref());
            format.map_or_else(|| shown.clone(), |(_, escape)| escape(&shown))
        }
        _ => shown,
    }
}

/// Returns a cell of CSV, quoted as in RFC 4180 if necessary. An apostrophe keeps spreadsheets from
/// reading it as a formula: <https://owasp.org/www-community/attacks/CSV_Injection>.
fn csv(text: &str) -> String {
    let apostrophe = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    if text.contains([',', '"']) {
        format!("\"{apostrophe}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{apostrophe}{text}")
    }
}

/// Returns text for XML and HTML.
fn xml(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

/// Returns a message of a workflow command, escaped like the toolkit of the runner does.
fn message(text: &str) -> String {
    text.replace('%', "%25")
}

/// Returns a property of a workflow command, which also ends at a comma or a colon.
pub(super) fn property(text: &str) -> Value {
    let text = message(&visible(text));
    Value::from_safe_string(text.replace(':', "%3A").replace(',', "%2C"))
}

/// Returns prose that has no tags, links, headings or emphasis. Paired code quotes keep their
/// meaning.
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

/// Returns a name in code quotes of Markdown, with one more backtick than its longest run of
/// backticks.
pub(super) fn code(name: &str) -> Value {
    let name = visible(name);
    let runs = name.split(|c| c != '`').map(str::len);
    let text = match runs.max().unwrap_or(0) {
        0 => format!("`{name}`"),
        longest => {
            let fence = "`".repeat(longest + 1);
            format!("{fence} {name} {fence}")
        }
    };
    Value::from_safe_string(text)
}

/// Returns text for HTML in which long identifiers break after their separators instead of in the
/// middle of a word. In markup, the names inside of tags stay as they are.
pub(super) fn breakable(value: &Value) -> Value {
    if value.is_none() || value.is_undefined() {
        return value.clone();
    }
    let whole = value.to_string();
    let markup = if value.is_safe() { whole } else { xml(&visible(&whole)) };
    let mut broken = String::with_capacity(markup.len());
    for (at, piece) in markup.split('<').enumerate() {
        let (tag, text) = match piece.split_once('>') {
            Some((tag, text)) if at > 0 => (Some(tag), text),
            Some(_) | None => (None, piece),
        };
        broken.extend(tag.into_iter().flat_map(|tag| ["<", tag, ">"]));
        push_breakable(&mut broken, text);
    }
    Value::from_safe_string(broken)
}

/// Adds text in which a line may break after each separator.
fn push_breakable(broken: &mut String, mut text: &str) {
    while let Some(end) = separator(text) {
        let (piece, behind) = text.split_at(end);
        broken.push_str(piece);
        broken.push_str("<wbr>");
        text = behind;
    }
    broken.push_str(text);
}

/// Returns the end of the first separator inside of an identifier. A version number stays whole:
/// `containerd@2.4.2` has one separator.
fn separator(text: &str) -> Option<usize> {
    let ends = text.char_indices().skip(1).map(|(at, _)| at);
    let pairs = text.chars().zip(text.chars().skip(1));
    ends.zip(pairs).find(|(_, pair)| is_separator(*pair)).map(|(end, _)| end)
}

/// Returns true if a character separates parts of an identifier, by the one after it.
fn is_separator((separator, after): (char, char)) -> bool {
    match separator {
        '_' | '/' | '@' => after.is_alphanumeric(),
        '.' => after.is_alphabetic(),
        _ => false,
    }
}

/// Returns a cell of a Markdown table, in which a `|` does not end the cell.
pub(super) fn cell(state: &State<'_, '_>, value: &Value) -> Value {
    Value::from_safe_string(markup(state, value).replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_break_after_separators_and_versions_do_not() {
        let html = |text: &str| breakable(&Value::from(text)).to_string();
        assert_eq!(html("RUN_POD_SANDBOX"), "RUN_<wbr>POD_<wbr>SANDBOX");
        assert_eq!(html("containerd@2.4.2"), "containerd@<wbr>2.4.2");
        assert_eq!(html("/opt/<a>.Plugin, b."), "/<wbr>opt/&lt;a&gt;.<wbr>Plugin, b.");
        let markup = Value::from_safe_string("a_b <a href='c_d'>e_f</a>".to_owned());
        assert_eq!(breakable(&markup).to_string(), "a_<wbr>b <a href='c_d'>e_<wbr>f</a>");
    }

    #[test]
    fn code_stays_code_and_formulas_are_disarmed() {
        assert_eq!(markdown("<b> a_b `a_b`"), "\\<b> a\\_b `a_b`");
        assert_eq!(markdown("a ` <b>"), "a \\` \\<b>");
        let cells = ["a,b", "c\"d", "=1+1", ""].map(csv);
        assert_eq!(cells, ["\"a,b\"", "\"c\"\"d\"", "'=1+1", ""]);
    }
}
