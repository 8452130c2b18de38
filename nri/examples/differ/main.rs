//! Shows what other plugins change: registers at several indices and compares the pods and
//! containers that arrive there.
//!
//! With the default indices, 0 and 99, it logs the changes of all plugins. `--indices 45,50,80`
//! logs those of the plugins between 45 and 50, and between 50 and 80. As a plugin that the runtime
//! launches has one index, run it as an external one.

mod arrival;
mod handlers;
mod history;
mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use handlers::Differ;
use history::History;
use lexopt::ValueExt;
use nri::cli::Cli;
use report::Report;

const ABOUT: &str = "An NRI plugin that logs what other plugins change.";

const HELP: &str = concat!(
    "      --indices NN,…  compare what arrives at these indices, at least two [default: 0,99]\n",
    "      --log-file FILE append to this file [default: standard error]\n",
    "      --yaml          print changes as differences of YAML\n",
    "      --verbose-level N  1: also what arrives first; 2: also what is compared; 3: also Synchronize [default: 0]\n",
);

/// The settings of the command line.
struct Settings {
    indices: Vec<u8>,
    report: Report,
}

impl Settings {
    fn new() -> Self {
        Settings { indices: vec![0, 99], report: Report::default() }
    }

    fn take(&mut self, name: &str, parser: &mut lexopt::Parser) -> Result<bool, lexopt::Error> {
        match name {
            "indices" => self.indices = parser.value()?.parse_with(indices)?,
            "log-file" => self.report.append_to(&parser.value()?.string()?)?,
            "yaml" => self.report.yaml = true,
            "verbose-level" => self.report.level = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Parses indices, and sorts them into the order in which the runtime calls plugins.
fn indices(text: &str) -> Result<Vec<u8>, String> {
    let mut indices: Vec<u8> = text.split(',').map(index).collect::<Result<_, _>>()?;
    indices.sort_unstable();
    indices.dedup();
    match indices.len() {
        0 | 1 => Err("at least two indices are needed".to_owned()),
        _ => Ok(indices),
    }
}

fn index(text: &str) -> Result<u8, String> {
    match text.trim().parse() {
        Ok(index @ 0..=99) => Ok(index),
        Ok(_) | Err(_) => Err(format!("{text:?} is not an index from 0 to 99")),
    }
}

/// Returns a plugin for each index.
fn differs(indices: &[u8], report: Report) -> Vec<Differ> {
    let history = Arc::new(History::new(indices.len(), report));
    indices
        .iter()
        .enumerate()
        .map(|(place, index)| Differ::new(place, *index, Arc::clone(&history)))
        .collect()
}

fn main() -> nri::Result<()> {
    let mut settings = Settings::new();
    let own = |name: &str, parser: &mut lexopt::Parser| settings.take(name, parser);
    let Some(flags) = Cli::new(ABOUT).with_help(HELP).parse_with(own)? else {
        return Ok(());
    };
    flags.log();
    let differs = differs(&settings.indices, settings.report);
    nri::block_on(async {
        let mut running = tokio::task::JoinSet::new();
        for differ in differs {
            let index = format!("{:02}", differ.index);
            let stub = flags.builder(differ).index(index);
            running.spawn(stub.run());
        }
        while let Some(ended) = running.join_next().await {
            ended.map_err(nri::Error::other)??;
        }
        Ok(())
    })
}
