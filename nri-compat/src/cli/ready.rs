//! `nri-compat ready FILE`.

use std::path::PathBuf;

use crate::error::{Error, ErrorKind};
use crate::exit::Exit;

/// Reports whether `check --every` has written its first report: exit code 0 if the file of its --ready-file exists,
/// else 1. For the probes of a container without a shell.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file.
    file: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    if args.file.exists() {
        return Ok(Exit::Clean);
    }
    let message = format!("not ready: {} does not exist", args.file.display());
    Err(Error::new(ErrorKind::Input, message)
        .with_help("wait for the first report of `nri-compat check --every … --ready-file …`"))
}
