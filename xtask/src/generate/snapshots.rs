//! The bindings of every revision as insta snapshots: for review, and for the drift test.

use std::path::PathBuf;

use super::Target;
use nri_codegen::emit::{self, Options};
use nri_codegen::write::identifier;
use nri_schema::history::Revision;
use nri_schema::{Error, History};

const FOLDER: &str = "snapshots/codegen";
const HEADER: &str = "---\nsource: tests/tests/protocol/codegen.rs\nexpression: source\n---\n";

pub(super) fn targets(history: &History) -> Result<Vec<Target>, Error> {
    let revisions = history.revisions().iter();
    revisions.map(|revision| target(history, revision)).collect()
}

fn target(history: &History, revision: &Revision) -> Result<Target, Error> {
    let compiled = history.compiled_for(revision.name())?;
    let source = emit::source(&compiled, history, &Options::default())?;
    let file = format!("nri_{}.snap", identifier(revision.name()));
    Ok((PathBuf::from(FOLDER).join(file), format!("{HEADER}{source}").into_bytes()))
}
