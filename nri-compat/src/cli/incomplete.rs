//! Places that could not be read, which must not count as clean.

use super::{images, output};
use crate::check::collect::Collected;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;

/// The maximum number of images that an error lists.
const MAX_LISTED: usize = 3;

/// Returns the exit code of a report; if it would be clean, but something could not be read, prints why and returns
/// that of an error.
pub(super) fn exit(exit: Exit, incomplete: Option<Error>) -> Exit {
    match incomplete {
        Some(error) if exit == Exit::Clean => output::error(&error),
        Some(_) | None => exit,
    }
}

/// Returns the error for named paths that are missing, or else for images and logs that could not be read.
pub(super) fn of(collected: &mut Collected) -> Option<Error> {
    let missing = missing(collected);
    missing
        .or_else(|| not_fetched(&collected.not_fetched))
        .or_else(|| not_read(&mut collected.unread))
}

/// Returns the error for named paths that are missing.
pub(super) fn missing(collected: &Collected) -> Option<Error> {
    let help = match collected.missing.as_slice() {
        [] => return None,
        [name] if images::may_be_reference(name) => format!(
            "name the files or folders of plugins; an image in a registry is named as docker://{name}"
        ),
        _ => "name the files or folders of plugins, or use --proc for running ones".to_owned(),
    };
    let missing = collected.missing.join(", ");
    let message = format!("no such file or folder: {missing}");
    Some(Error::new(ErrorKind::Input, message).with_help(help))
}

/// Returns the error for images that could not be fetched.
fn not_fetched(reasons: &[String]) -> Option<Error> {
    let (listed, more) = reasons.split_at(reasons.len().min(MAX_LISTED));
    let more = (!more.is_empty()).then(|| format!("and {} more", more.len()));
    let lines: Vec<String> = listed.iter().cloned().chain(more).collect();
    (!lines.is_empty()).then(|| Error::of_lines(ErrorKind::Fetch, lines.join("\n")))
}

/// Returns the error for logs that may have warnings in parts that could not be read.
fn not_read(unread: &mut Vec<String>) -> Option<Error> {
    unread.sort();
    unread.dedup();
    let message = format!("not all could be read of {}", unread.join(", "));
    let error = Error::new(ErrorKind::Input, message);
    let help = "what is missing may have warnings: read the whole log again";
    (!unread.is_empty()).then(|| error.with_help(help))
}
