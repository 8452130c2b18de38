//! The generated files of `nri`, `nri-macros` and `nri-compat`.

use std::path::Path;

use super::Target;
use crate::shipped::{self, EventTable};
use nri_schema::Error;
use nri_schema::history::History;

pub(super) fn targets(root: &Path, history: &History) -> Result<Vec<Target>, Error> {
    let files = shipped::files(history, &EventTable::read(root)?)?.into_iter();
    Ok(files.map(|file| (file.path.into(), file.text.into_bytes())).collect())
}
