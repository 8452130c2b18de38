//! The messages of the newest revision, which the crate `nri` ships.

use super::Target;
use crate::emit::{self, Options};
use crate::error::Error;
use crate::history::History;

const PATH: &str = "nri/src/api/messages.rs";

pub(super) fn targets(history: &History) -> Result<Vec<Target>, Error> {
    let options = Options {
        client: false,
        server: false,
        ..Options::default()
    };
    let source = emit::source(&history.compiled_for("latest")?, history, &options)?;
    Ok(vec![(PATH.into(), source)])
}
