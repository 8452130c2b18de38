//! What the crates `nri`, `nri-macros` and `nri-compat` ship.

use super::Target;
use crate::error::Error;
use crate::history::History;
use crate::{emit, shipped};

const RUNTIMES: &str = "nri/src/stub/runtime/releases.rs";

pub(super) fn targets(history: &History) -> Result<Vec<Target>, Error> {
    let files = shipped::files(history)?.into_iter();
    let mut targets: Vec<Target> = files.map(|file| (file.path.into(), file.text)).collect();
    targets.push((RUNTIMES.into(), emit::runtimes(history)?));
    Ok(targets)
}
