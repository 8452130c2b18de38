//! `nri-compat replay`.

use std::path::PathBuf;
use std::time::Duration;

use nri_conformance::record::Replay;
use nri_conformance::record::replay::Speed;

use super::values::{Choice, duration, formats_of, one_of};
use super::{output, plugin_under_test, session};
use crate::error::Error;
use crate::exit::Exit;
use crate::report::replay::ReplayReport;
use crate::report::template::Format;

/// Sends the requests of a recording to a plugin again, and compares its answers.
///
/// The exit code is 100 if an answer differs from the recorded one. Differences without a meaning,
/// such as the order of mounts, do not count.
#[derive(Debug, clap::Args)]
pub(super) struct ReplayArgs {
    /// The recording, as written by `nri-compat record`.
    recording: PathBuf,
    #[command(flatten)]
    plugin: plugin_under_test::PluginUnderTestArgs,
    /// Send each request as soon as the previous one is answered, or at its recorded time.
    #[arg(long, value_parser = one_of(SPEEDS), default_value = "full")]
    speed: Speed,
    /// The connection to replay, if several in the recording have requests.
    #[arg(long, value_name = "NUMBER")]
    connection: Option<u32>,
    /// Time limit for each answer, such as 2s [default: the recorded time limit].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Output format.
    #[arg(long, value_parser = formats_of::<&ReplayReport<'_>>(), default_value = "text")]
    format: Format,
}

const SPEEDS: &[Choice<Speed>] = &[
    ("full", "As fast as the plugin answers", Speed::Full),
    ("original", "As recorded", Speed::Original),
];

pub(super) fn run(args: &ReplayArgs) -> Result<Exit, Error> {
    let replayed = session::run(async {
        let subject = args.plugin.subject()?;
        let mut replay = Replay::new(&args.recording, subject).speed(args.speed);
        if let Some(connection) = args.connection {
            replay = replay.connection(connection);
        }
        if let Some(timeout) = args.timeout {
            replay = replay.timeout(timeout);
        }
        if let Some(config) = args.plugin.config()? {
            replay = replay.plugin_config(config);
        }
        let replayed = replay.run().await;
        replayed.map_err(Error::from)
    })?;
    output::print_report(&ReplayReport::new(&replayed), args.format)?;
    Ok(Exit::of(!replayed.is_same()))
}
