//! `nri-compat update-data DIR`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::output;
use crate::data;
use crate::error::Error;
use crate::escape;
use crate::exit::Exit;
use crate::update::{Limits, Proxies, Update, goproxy, update};

/// Fetches newer releases of runtimes and writes tables with them to a folder, for use with --data.
///
/// Queries the Go module proxy in GOPROXY for the releases of containerd and CRI-O, and for the NRI
/// version that each of them links. Starts from the built-in tables, or from those given with
/// --data. Other commands use the network only for images in registries and for clusters.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder to write; existing files with the same names are replaced.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Time limit for each request.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let limits = Limits {
        timeout: Duration::from_secs(args.timeout),
        ..Limits::default()
    };
    let proxies = Proxies::parse(&goproxy(), &limits)?;
    let update = update(data::tables()?, &proxies)?;
    update.write(&args.folder)?;
    output::print(&answer(&update, &args.folder)?)?;
    Ok(Exit::Clean)
}

fn answer(update: &Update, folder: &Path) -> Result<String, Error> {
    let mut text = String::new();
    for added in &update.added {
        let (runtime, release) = (&added.runtime, &added.release);
        let (nri, date) = (&added.nri, added.date);
        let _ = writeln!(text, "added {runtime} {release}: links NRI {nri}, {date}");
    }
    for left in &update.left_out {
        let reason = escape::bytes(left.reason.as_bytes());
        let _ = writeln!(text, "left out {}: {reason}", left.release);
    }
    if update.added.is_empty() {
        text.push_str("no new releases to add\n");
    }
    let history = nri_schema::History::from_tables(update.tables.clone())?;
    let (date, folder) = (history.date(), escape::path(folder));
    let _ = writeln!(
        text,
        "data of {date} is in {folder}; use it with --data {folder}"
    );
    Ok(text)
}
