//! Templates: the formats that are text with values in it, and the templates of users.
//!
//! A template sees the JSON document of a report. The phrases that formats share are macros, in
//! templates of their own. Each value is escaped where it enters the text, by the format that the
//! template's name ends with; see `escape`.

/// Implements `Templated` for reports whose templates see the JSON document alone.
macro_rules! plain {
    ($($report:ty => $name:literal,)*) => {
        $(impl crate::report::template::Templated for &$report {
            const NAME: &'static str = $name;

            fn context(self) -> minijinja::Value {
                minijinja::value::Serde(self).into()
            }
        })*
    };
}

mod escape;
mod text;
mod user;
mod values;

pub(crate) use plain;
pub use user::UserTemplate;

use std::error::Error as _;
use std::io::{self, Write};
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, UndefinedBehavior, Value, context};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

pub use super::format::Format;
use super::format::Writer;
use super::json;
use super::short;
use super::written;
use super::{bytes, counted};
use crate::book;
use text::Wrapping;

/// A report that templates render.
pub trait Templated {
    /// The name of its templates, without the ending for the format.
    const NAME: &'static str;

    /// Returns the values that its templates see.
    fn context(self) -> Value;

    /// Returns the formats that code writes, with that code.
    fn coded() -> Vec<(Format, Coded<Self>)>
    where
        Self: Sized,
    {
        Vec::new()
    }
}

/// A function that writes a report in one format.
pub type Coded<R> = fn(&R, &mut dyn Write) -> io::Result<()>;

/// Returns the formats that a report has, in the order of [`Format::ALL`].
pub fn formats_of<R: Templated>() -> Vec<Format> {
    let coded = R::coded();
    let has = |format: &Format| match format.writer() {
        Writer::Template(ending) => source_of(&template_name::<R>(ending)).is_some(),
        Writer::Json => true,
        Writer::Code => coded.iter().any(|(own, _)| own == format),
    };
    Format::ALL.iter().copied().filter(has).collect()
}

fn template_name<R: Templated>(ending: &str) -> String {
    format!("{}.{ending}", R::NAME)
}

/// The style of a text report.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextStyle {
    /// True if it has ANSI colours, for a terminal.
    pub coloured: bool,
    /// The maximum number of columns of a line, from 20 to 200. Without it, prose is wrapped at 100
    /// columns, and tables and long names are not wrapped, so that other programs can read them.
    pub width: Option<usize>,
    /// True if `check` shows the evidence behind every verdict, including `ok`.
    pub explain: bool,
}

/// The minimum and the maximum width of a text report in columns: prose is hard to read in longer
/// lines.
const WIDTHS: (usize, usize) = (20, 200);

/// Returns the templates with these names.
macro_rules! templates {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../templates/", $name)))),*]
    };
}

/// The templates of this tool, by name.
const TEMPLATES: &[(&str, &str)] = templates![
    "check.csv",
    "check.github",
    "check.html",
    "check.md",
    "check.txt",
    "check.xml",
    "incident.txt",
    "conformance.txt",
    "conformance_phrases.txt",
    "conformance.xml",
    "diff.csv",
    "diff.github",
    "diff.html",
    "diff.md",
    "diff.txt",
    "diff.xml",
    "diff_phrases.txt",
    "issues.github",
    "junit.xml",
    "merge.html",
    "merge.md",
    "merge.txt",
    "merge_phrases.txt",
    "page.html",
    "parts.html",
    "parts.txt",
    "phrases.txt",
    "probe.txt",
    "replay.txt",
    "rule.txt",
    "rules.txt",
    "runtime.txt",
    "runtimes.txt",
    "statement.txt",
    "statements.txt",
    "versions.txt",
];

/// The environment of the templates of this tool.
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(environment);

/// Returns an environment with the templates of this tool.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_syntax(syntax());
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_auto_escape_callback(escape::of_name);
    environment.set_formatter(escape::format);
    add_filters(&mut environment);
    add_page(&mut environment);
    text::add(&mut environment, false, None);
    // A report needs few of them, and each takes time to compile.
    environment.set_loader(|name| Ok(source_of(name)));
    environment
}

fn source_of(name: &str) -> Option<String> {
    let mut known = TEMPLATES.iter();
    let (_, source) = known.find(|(known, _)| *known == name)?;
    Some((*source).to_owned())
}

/// Adds the filters of all formats, in addition to those of minijinja.
fn add_filters(environment: &mut Environment<'_>) {
    environment.add_filter("code", |name: &str| escape::code(name));
    environment.add_filter("cell", escape::cell);
    environment.add_filter("breakable", escape::breakable);
    environment.add_filter("property", |text: &str| escape::property(text));
    environment.add_filter("join", join);
    environment.add_filter("bytes", bytes);
    environment.add_filter("counted", |count: usize, noun: &str| counted(count, noun));
    environment.add_filter("hex", |mask: i64| format!("{:#x}", mask & 0xffff_ffff));
    environment.add_filter("millis", millis);
    environment.add_filter("seconds", seconds);
    environment.add_filter("short", |element: &str| short(element).to_owned());
    // The address of the page about a rule or a statement.
    environment.add_filter("page", |id: &str| book::page(id));
}

/// Returns the texts with a separator between them.
fn join(texts: Vec<String>, separator: Option<String>) -> String {
    texts.join(separator.as_deref().unwrap_or_default())
}

/// Returns milliseconds with a unit: `0.3 ms`, `12 ms`.
fn millis(millis: f64) -> String {
    if millis < 10.0 { format!("{millis:.1} ms") } else { format!("{millis:.0} ms") }
}

/// Returns milliseconds as seconds: `0.031`.
fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");

/// Adds what all HTML pages share: style, script, and the policy that permits only these.
fn add_page(environment: &mut Environment<'_>) {
    let tool = context! {
        policy => policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        version => env!("CARGO_PKG_VERSION"),
        verdicts => book::VERDICTS,
    };
    environment.add_global("tool", tool);
}

/// Returns the policy that forbids everything except this style sheet and this script, identified
/// by their hashes: <https://www.w3.org/TR/CSP3/#match-element-to-source-list>.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

/// Returns the syntax: a line that has only a statement leaves no line in the output.
fn syntax() -> SyntaxConfig {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()
        .expect("the delimiters are the usual ones")
}

/// Returns a report in a format; text is in the default style.
///
/// # Panics
///
/// Panics if the report has no such format.
pub fn render(report: impl Templated + Serialize, format: Format) -> String {
    written(|out| write(report, format, TextStyle::default(), out))
}

/// Returns a report as text in a style.
///
/// # Panics
///
/// Panics if the report has no text.
pub fn text(report: impl Templated, style: TextStyle) -> String {
    written(|out| write_text(report, style, out))
}

/// Writes a report in a format, piece by piece. Only text has a style.
///
/// # Errors
///
/// Returns an error if `out` cannot be written, or if the report has no such format.
pub fn write<R: Templated + Serialize>(
    report: R,
    format: Format,
    style: TextStyle,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format.writer() {
        Writer::Template(_) if format == Format::Text => write_text(report, style, out),
        Writer::Template(ending) => {
            write_template(&ENVIRONMENT, &template_name::<R>(ending), report.context(), out)
        }
        Writer::Json => json::write(&report, out),
        Writer::Code => match R::coded().into_iter().find(|(own, _)| *own == format) {
            Some((_, write)) => write(&report, out),
            None => Err(io::Error::other("this report has no such format")),
        },
    }
}

fn write_text<R: Templated>(report: R, style: TextStyle, out: &mut dyn Write) -> io::Result<()> {
    let (least, most) = WIDTHS;
    let width = style.width.map(|columns| columns.clamp(least, most));
    let mut environment = ENVIRONMENT.clone();
    text::add(&mut environment, style.coloured, width);
    environment.add_global("explain", style.explain);
    let name = template_name::<R>("txt");
    write_template(&environment, &name, report.context(), &mut Wrapping::new(out, width))
}

fn write_template(
    environment: &Environment<'_>,
    name: &str,
    context: Value,
    out: &mut dyn Write,
) -> io::Result<()> {
    let template = environment.get_template(name).map_err(io::Error::other)?;
    match template.render_captured_to(context, out) {
        Ok(_) => Ok(()),
        Err(error) => Err(of_output(error)),
    }
}

/// Returns the error of the output behind an error of a template.
fn of_output(error: Error) -> io::Error {
    let cause = error.source();
    match cause.and_then(|cause| cause.downcast_ref::<io::Error>()) {
        Some(cause) => io::Error::new(cause.kind(), cause.to_string()),
        None => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::check::CheckReport;

    #[test]
    fn the_templates_are_valid() {
        for (name, _) in TEMPLATES {
            ENVIRONMENT.get_template(name).expect(name);
        }
    }

    #[test]
    fn an_error_of_the_output_keeps_its_kind() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for format in [Format::Csv, Format::Text] {
            let error = write(CheckReport::default(), format, TextStyle::default(), &mut Closed)
                .expect_err("it is closed");
            assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        }
    }
}
