//! Converts the errors of protox: one problem per error, with the text that it refers to.

use miette::Diagnostic;

use super::files::Log;
use crate::error::{ErrorKind, Problem};

/// The maximum number of problems in an error. Each has an excerpt, which takes as long as the file
/// is, and nobody reads more.
pub(super) const MAX_PROBLEMS: usize = 50;

/// Returns the first problems in `error`, in order; `log` has the texts that it points into.
pub(super) fn problems(error: &protox::Error, log: &Log) -> Vec<Problem> {
    let name = error.file().unwrap_or_default();
    let (source, file) = (log.text(name), log.shown(name));
    let kind = if error.is_io() { ErrorKind::Io } else { ErrorKind::Proto };
    let related = error.related().into_iter().flatten();
    std::iter::once(error as &dyn Diagnostic)
        .chain(related)
        .take(MAX_PROBLEMS + 1)
        .map(|diagnostic| problem(kind, &file, source.as_deref(), log.option(), diagnostic))
        .collect()
}

fn problem(
    kind: ErrorKind,
    file: &str,
    source: Option<&str>,
    option: &str,
    diagnostic: &dyn Diagnostic,
) -> Problem {
    let mut problem = Problem::new(kind, diagnostic.to_string());
    if !file.is_empty() {
        problem = problem.in_file(file);
    }
    // Of two labels (defined here, and again here) the later one is the mistake.
    let place = diagnostic.labels().into_iter().flatten().max_by_key(|label| label.offset());
    if let (Some(source), Some(place)) = (source, place) {
        problem = problem.at(source, place.offset()..place.offset() + place.len());
    }
    match diagnostic.help() {
        Some(help) => helped(problem, help.to_string()),
        None => named(problem, source, option),
    }
}

/// Adds the help of protox. It reports an import that is not a relative path as a group with a
/// wrong name.
fn helped(problem: Problem, help: String) -> Problem {
    let is_import = help.starts_with("imports may not");
    let problem = problem.with_help(help);
    if is_import { problem.with_fact("not the name of a file to import") } else { problem }
}

/// Rewords messages of protox that are misleading, and adds the help that they lack: it does not
/// support editions, and gives an import cycle no location.
fn named(problem: Problem, source: Option<&str>, option: &str) -> Problem {
    let fact = problem.to_string();
    if fact.ends_with("but found 'edition'") {
        return problem.with_fact("editions are not supported in proto files").with_help(
            "compile the file with `buf build -o schema.binpb` or `protoc --include_imports --descriptor_set_out=schema.binpb`, \
             and name the set instead",
        );
    }
    if fact.starts_with("import '") && fact.ends_with("' not found") {
        return problem.with_help(match option {
            "" => "name a file: imports are looked up beside it".to_owned(),
            option => format!("name the folder in which the import is looked up: `{option}`"),
        });
    }
    let cycle = fact.strip_prefix("import cycle detected: ");
    let imported = cycle.and_then(|cycle| cycle.split(" -> ").nth(1));
    let statement = imported.map(|imported| format!("\"{imported}\""));
    match (source, statement) {
        (Some(source), Some(statement)) => match source.find(&statement) {
            Some(at) => problem.at(source, at..at + statement.len()),
            None => problem,
        },
        _ => problem,
    }
}
