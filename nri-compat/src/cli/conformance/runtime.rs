//! `nri-compat conformance runtime`.

use std::path::PathBuf;
use std::time::Duration;

use nri_conformance::runtime::{self, Options};

use super::{answer, selection};
use crate::cli::{duration, session};
use crate::error::Error;
use crate::exit::Exit;

/// Tests whether a runtime keeps the contract, with plugins that observe it while pods come and go.
///
/// With --cri, pods and containers are run, and some requests fail on purpose: do not run this on a
/// node with a workload. With --observe, the existing workload of the node is observed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The socket that plugins connect to.
    #[arg(long, value_name = "SOCKET", default_value = "/var/run/nri/nri.sock")]
    socket: PathBuf,
    /// The CRI socket of the runtime, through which pods are run, such as
    /// /run/containerd/containerd.sock.
    #[arg(long, value_name = "SOCKET", required_unless_present = "observe")]
    cri: Option<PathBuf>,
    /// Observe the workload of the node for this long, such as 5m.
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    observe: Option<Duration>,
    /// The image of the containers, which must already be on the node; its command must run until
    /// it is stopped.
    #[arg(long, default_value = Options::IMAGE)]
    image: String,
    /// A command that fails in a container of the image: repeat the option for each word.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    failing_command: Vec<String>,
    /// Time limit for each request to the runtime, such as 30s.
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
    /// Seed for the names of pods.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Folder where the file system of the node is mounted.
    #[arg(long, value_name = "FOLDER", default_value = "/")]
    root: PathBuf,
    #[command(flatten)]
    selection: selection::Args,
    #[command(flatten)]
    answer: answer::Args,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let started = args.answer.start()?;
    let options = args.options();
    let report =
        session::run_until_interrupted(async |stop| runtime::run_until(&options, stop).await)?;
    let place = args.socket.display().to_string();
    args.answer.finish(place, Some(args.seed), report, &started)
}

impl Args {
    fn options(&self) -> Options {
        Options {
            cri_socket: self.cri.clone(),
            image: self.image.clone(),
            failing_command: self.failing_command.clone(),
            observe: self.observe,
            only: self.selection.only.iter().cloned().collect(),
            skip: self.selection.skip.iter().cloned().collect(),
            timeout: self.timeout.unwrap_or(Options::TIMEOUT),
            seed: self.seed,
            node_root: self.root.clone(),
            ..Options::new(&self.socket)
        }
    }
}
