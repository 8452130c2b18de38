//! Templates: the formats that are text with values in it, and the templates of users.
//!
//! A template sees the JSON document of a report, and in addition the phrases that the formats share. Each
//! value is escaped where it enters the text, by the format that the template's name ends with; see
//! `escape`.

mod check;
#[cfg(feature = "conformance")]
mod conformance;
mod diff;
pub(super) mod escape;
mod functions;
mod merge;
mod page;
mod removal;
mod user;

pub(super) use check::check_context;
#[cfg(feature = "conformance")]
pub(super) use conformance::conformance_context;
pub(super) use diff::diff_context;
pub(super) use merge::merge_context;
pub use user::UserTemplate;

use std::error::Error as _;
use std::io::{self, Write};
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, UndefinedBehavior, Value};

/// Returns the templates with these names.
macro_rules! templates {
    ($($name:literal,)*) => {
        [$(($name, include_str!(concat!("../../templates/", $name)))),*]
    };
}

/// The templates of this tool, by name.
const TEMPLATES: [(&str, &str); 14] = templates![
    "check.csv",
    "check.html",
    "check.md",
    "check.xml",
    "conformance.xml",
    "diff.csv",
    "diff.html",
    "diff.md",
    "diff.xml",
    "junit.xml",
    "merge.html",
    "merge.md",
    "page.html",
    "parts.html",
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
    functions::add(&mut environment);
    page::add(&mut environment);
    for (name, source) in TEMPLATES {
        environment
            .add_template(name, source)
            .expect("the templates of this tool are valid");
    }
    environment
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

/// Writes a template of this tool, piece by piece.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub(super) fn write(name: &str, context: Value, out: &mut dyn Write) -> io::Result<()> {
    let template = ENVIRONMENT
        .get_template(name)
        .expect("the template is one of this tool");
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
        let context = check_context(Default::default());
        let error = write("check.csv", context, &mut Closed).expect_err("it is closed");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
