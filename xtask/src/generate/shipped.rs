//! The generated files of `nri`, `nri-macros` and `nri-compat`.

use super::Target;
use crate::shipped;
use nri_schema::Error;
use nri_schema::history::History;

pub(super) fn targets(history: &History) -> Result<Vec<Target>, Error> {
    let files = shipped::files(history)?.into_iter();
    Ok(files
        .map(|file| (file.path.into(), file.text.into_bytes()))
        .collect())
}
