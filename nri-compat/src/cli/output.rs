//! Where answers and errors go: standard output, standard error, with colour only on a terminal.

use std::io::{self, BufWriter, ErrorKind as IoErrorKind, IsTerminal as _, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};

use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::policy::Baseline;
use crate::report::text::{Look, Palette, Width};
use crate::report::visible::visible;

/// Returns the palette for standard output: colours on a terminal that wants them (`NO_COLOR`, `CLICOLOR`).
pub(super) fn palette() -> Palette {
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => Palette::plain(),
        ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => Palette::coloured(),
    }
}

/// Writes a baseline to a file.
///
/// # Errors
///
/// When the file cannot be written.
pub(super) fn write_baseline(path: &Path, baseline: &Baseline) -> Result<(), Error> {
    std::fs::write(path, baseline.to_json()).map_err(|error| {
        let message = format!("cannot write {}: {error}", path.display());
        Error::new(ErrorKind::Baseline, message)
    })
}

/// Returns how text looks on standard output.
pub(super) fn look() -> Look {
    Look {
        palette: palette(),
        width: width().map_or_else(Width::default, Width::columns),
    }
}

/// Returns the columns that lines of standard output may take: those of `COLUMNS` if it is a number, else those of the
/// terminal; `None` if standard output is no terminal.
pub(super) fn width() -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok();
    let asked = asked.and_then(|columns| columns.trim().parse().ok());
    if let Some(columns) = asked.filter(|&columns: &usize| columns > 0) {
        return Some(columns);
    }
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(columns.into())
}

/// Writes the answer to standard output. A reader that has gone away (`| head`) is not an error.
///
/// # Errors
///
/// If standard output cannot be written.
pub(super) fn print(answer: &str) -> Result<(), Error> {
    write(|out| out.write_all(answer.as_bytes()))
}

/// Bytes that are collected before they are written to standard output.
const BUFFER: usize = 64 * 1024;

/// Lets `render` write the answer to standard output, piece by piece. A reader that has gone away (`| head`) is not an error.
///
/// # Errors
///
/// If standard output cannot be written.
pub(super) fn write(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    match render(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != IoErrorKind::BrokenPipe => Err(Error::new(
            ErrorKind::Output,
            format!("cannot write the answer: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Prints why the tool could not run, then what to do about it.
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

/// Columns that a line of an error may take: those of the terminal, or what a log shows.
fn error_width() -> usize {
    const IN_A_LOG: usize = 400;
    let columns = console::Term::stderr().size_checked();
    columns.map_or(IN_A_LOG, |(_, columns)| usize::from(columns).max(40))
}

/// Returns the text with control characters spelled out, and each line cut at `width` characters.
fn harmless(text: &str, width: usize) -> String {
    let lines = text.lines().map(|line| {
        // Tabs move the text under which a caret stands.
        let line: Vec<String> = line.split('\t').map(visible).collect();
        let line = line.join("\t");
        match line.char_indices().nth(width) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Says that standard input is read, if that is a terminal: someone who did not expect that would wait for ever.
pub(super) fn waiting_for_input() {
    if io::stdin().is_terminal() {
        let _ = writeln!(
            anstream::stderr().lock(),
            "reading standard input; end it with Ctrl-D"
        );
    }
}

/// Prints a message of clap. Help and version are no mistakes.
pub(super) fn usage(usage: &clap::Error) -> Exit {
    let _ = usage.print();
    if usage.use_stderr() {
        Exit::Usage
    } else {
        Exit::Clean
    }
}
