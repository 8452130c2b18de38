//! `nri-compat record`.

use std::io::Write as _;
use std::path::PathBuf;

use nri_conformance::record::{Options, Proxy, Recorded, create_file, observe};

use super::session::{self, Interrupted};
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::report::counted;

/// Records the messages between a runtime and its plugins, until Ctrl-C or SIGTERM.
///
/// Without --proxy, an observing plugin records the requests of the runtime. With --proxy, plugins
/// connect to another socket, and their answers are recorded as well.
#[derive(Debug, clap::Args)]
pub(super) struct RecordArgs {
    /// The socket of the runtime.
    #[arg(long, value_name = "SOCKET", default_value = "/var/run/nri/nri.sock")]
    socket: PathBuf,
    /// The file of the recording, which only its owner may read.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Listen on this path, forward every connection to the runtime, and record it.
    #[arg(long, value_name = "PATH")]
    proxy: Option<PathBuf>,
    /// Index of the observing plugin. It receives requests after plugins with lower indices have
    /// changed them.
    #[arg(long, value_name = "NN", default_value = "99", conflicts_with = "proxy")]
    index: String,
    /// Record the values of environment variables and annotations, which may be secret.
    #[arg(long)]
    no_redact: bool,
    /// Maximum size of the recording in bytes; further frames are only counted.
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
}

pub(super) fn run(args: &RecordArgs) -> Result<Exit, Error> {
    let recorded = session::run_until_interrupted(async |stop| args.record(stop).await)?;
    let _ = writeln!(anstream::stderr().lock(), "{}", phrase(&recorded));
    if recorded.lost > 0 {
        let lost = recorded.lost;
        let message = format!("{lost} of {} connections are incomplete", recorded.connections);
        return Err(Error::new(ErrorKind::Session, message)
            .with_help("record to a faster disk, or raise --max-bytes"));
    }
    Ok(Exit::Clean)
}

impl RecordArgs {
    async fn record(&self, stop: Interrupted) -> Result<Recorded, Error> {
        let options = self.options();
        match &self.proxy {
            Some(path) => {
                let proxy = Proxy::bind(path, &self.socket)?;
                let file = create_file(&self.output)?;
                Ok(proxy.record(file, options, stop).await?)
            }
            None => {
                let file = create_file(&self.output)?;
                Ok(observe(&self.socket, &self.index, file, options, stop).await?)
            }
        }
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        options.redact = !self.no_redact;
        if let Some(max) = self.max_bytes {
            options.max_bytes = max;
        }
        options
    }
}

/// Returns the figures of a recording: `12 frames of 1 connection, 3456 bytes`.
fn phrase(recorded: &Recorded) -> String {
    let count = |number: u64, noun| counted(usize::try_from(number).unwrap_or(usize::MAX), noun);
    let mut phrase = format!(
        "recorded {} of {}, {}",
        count(recorded.frames, "frame"),
        count(recorded.connections, "connection"),
        count(recorded.bytes, "byte")
    );
    if recorded.dropped > 0 {
        let dropped = count(recorded.dropped, "frame");
        phrase.push_str(&format!("; left out {dropped} beyond the size limit"));
    }
    phrase
}
