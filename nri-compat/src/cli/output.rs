//! Standard output and standard error, with colour only on a terminal.

use std::io::{self, BufWriter, ErrorKind as IoErrorKind, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::report::template::{self, Format, Templated, TextStyle};
use crate::report::visible;

/// Returns the width and colours of text on standard output, which has colours on a terminal,
/// unless they are disabled (`NO_COLOR`, `CLICOLOR`).
pub(super) fn text_style() -> TextStyle {
    TextStyle {
        coloured: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        width: width(),
        explain: false,
    }
}

/// Returns a report as text in that look.
pub(super) fn text(report: impl Templated) -> String {
    template::text(report, text_style())
}

/// Prints a report in one of its formats.
pub(super) fn print_report<R: Templated + Serialize>(
    report: R,
    format: Format,
) -> Result<(), Error> {
    write(|out| template::write(report, format, text_style(), out))
}

/// Returns the number of columns of standard output: `COLUMNS` if it is a number, else the width of
/// the terminal; `None` if standard output is not a terminal.
fn width() -> Option<usize> {
    let variable = std::env::var("COLUMNS").ok();
    let requested = variable.and_then(|columns| columns.trim().parse().ok());
    if let Some(columns) = requested.filter(|&columns: &usize| columns > 0) {
        return Some(columns);
    }
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(columns.into())
}

/// Writes text to standard output. A reader that has closed the pipe (`| head`) is not an error.
pub(super) fn print(answer: &str) -> Result<(), Error> {
    write(|out| out.write_all(answer.as_bytes()))
}

/// The size of the buffer of standard output in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// Lets `render` write to standard output, piece by piece. A reader that has closed the pipe (`|
/// head`) is not an error.
pub(super) fn write(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock());
    match render(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != IoErrorKind::BrokenPipe => {
            Err(Error::new(ErrorKind::Output, format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints why the tool could not run, and how to fix it.
pub(super) fn error(error: &Error) -> Exit {
    let mut err = anstream::stderr().lock();
    let red = anstyle::AnsiColor::Red.on_default().bold();
    let strong = anstyle::Style::new().bold();
    let shown = harmless(&error.to_string(), error_width());
    let _ = writeln!(err, "{red}error:{red:#} {shown}");
    if let Some(help) = error.help() {
        let _ = writeln!(err, "{strong}help:{strong:#} {help}");
    }
    Exit::CouldNotRun
}

/// Returns the maximum width of a line in an error: that of the terminal, or a default for logs.
fn error_width() -> usize {
    const LOG_WIDTH: usize = 400;
    let columns = console::Term::stderr().size_checked();
    columns.map_or(LOG_WIDTH, |(_, columns)| usize::from(columns).max(40))
}

/// Returns the text with control characters escaped, and each line cut at `width` characters.
fn harmless(text: &str, width: usize) -> String {
    let lines = text.lines().map(|line| {
        // Escaped tabs would shift the text above a caret.
        let escaped = line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
        match escaped.char_indices().nth(width) {
            Some((end, _)) => format!("{}…", &escaped[..end]),
            None => escaped,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Prints a hint that standard input is being read if it is a terminal, because the command would
/// otherwise appear to hang.
pub(super) fn waiting_for_input() {
    if io::stdin().is_terminal() {
        let _ = writeln!(anstream::stderr().lock(), "reading standard input; end it with Ctrl-D");
    }
}

/// Prints a message of clap. Help and version are not errors.
pub(super) fn usage(usage: &clap::Error) -> Exit {
    let _ = usage.print();
    if usage.use_stderr() { Exit::Usage } else { Exit::Clean }
}
