//! Where answers and errors go: standard output, standard error, with colour only on a terminal.

use std::io::{self, ErrorKind as IoErrorKind, Write};

use anstream::{AutoStream, ColorChoice};

use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::report::text::Palette;

/// The palette for standard output: colours on a terminal that wants them (`NO_COLOR`, `CLICOLOR`).
pub(super) fn palette() -> Palette {
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => Palette::plain(),
        _ => Palette::coloured(),
    }
}

/// Columns of the terminal that standard output is; nothing where it is none.
pub(super) fn width() -> Option<usize> {
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(columns.into())
}

/// Writes the answer to standard output. A reader that has gone away (`| head`) is not an error.
///
/// # Errors
///
/// If standard output cannot be written.
pub(super) fn print(answer: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(answer.as_bytes()).and_then(|()| out.flush()) {
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
    let _ = writeln!(err, "{red}error:{red:#} {error}");
    if let Some(help) = error.help() {
        let _ = writeln!(err, "{strong}help:{strong:#} {help}");
    }
    Exit::CouldNotRun
}

/// Prints what clap has to say: help and version are no mistakes.
pub(super) fn usage(usage: &clap::Error) -> Exit {
    let _ = usage.print();
    if usage.use_stderr() {
        Exit::Usage
    } else {
        Exit::Clean
    }
}
