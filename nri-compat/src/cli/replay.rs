//! `nri-compat replay`.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use nri_conformance::record::Replay;
use nri_conformance::record::replay::Speed;

use super::format::Format;
use super::{duration, output, plugin_under_test, session};
use crate::error::Error;
use crate::exit::Exit;
use crate::report::replay::ReplayReport;

/// Sends the requests of a recording to a plugin again, and compares its answers.
///
/// The exit code is 100 if an answer differs from the recorded one. Differences without a meaning,
/// such as the order of mounts, do not count.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The recording, as written by `nri-compat record`.
    recording: PathBuf,
    #[command(flatten)]
    plugin: plugin_under_test::Args,
    /// Send each request as soon as the previous one is answered, or at its recorded time.
    #[arg(long, value_enum, default_value_t = SpeedArg::Full)]
    speed: SpeedArg,
    /// The connection to replay, if several in the recording have requests.
    #[arg(long, value_name = "NUMBER")]
    connection: Option<u32>,
    /// Time limit for each answer, such as 2s [default: the recorded time limit].
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SpeedArg {
    /// As fast as the plugin answers.
    Full,
    /// As recorded.
    Original,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let replayed = session::run(async {
        let mut replay = Replay::open(&args.recording).speed(args.speed.into());
        if let Some(connection) = args.connection {
            replay = replay.connection(connection);
        }
        if let Some(timeout) = args.timeout {
            replay = replay.timeout(timeout);
        }
        if let Some(config) = args.plugin.config_file()? {
            replay = replay.plugin_config(config);
        }
        let replayed = replay.to(args.plugin.subject()?).run().await;
        replayed.map_err(Error::from)
    })?;
    output::print(&output::text_or_json(&ReplayReport(&replayed), args.format))?;
    Ok(Exit::of(!replayed.is_same()))
}

impl From<SpeedArg> for Speed {
    fn from(arg: SpeedArg) -> Self {
        match arg {
            SpeedArg::Full => Self::Full,
            SpeedArg::Original => Self::Original,
        }
    }
}
