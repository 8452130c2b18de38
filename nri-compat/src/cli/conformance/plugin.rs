//! `nri-compat conformance plugin`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nri_conformance::plugin::{Options, Run};
use nri_conformance::session::{RuntimeKind, Timeouts};

use super::{answer, selection};
use crate::cli::format::{Choice, one_of};
use crate::cli::steps::Steps;
use crate::cli::{duration, plugin_under_test, session};
use crate::error::Error;
use crate::exit::Exit;

/// Tests whether a plugin keeps the contract, under every revision of the protocol.
///
/// The plugin is executed many times. Do not run this on a machine that the plugin could change,
/// unless --isolate or the plugin itself prevents it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    plugin: plugin_under_test::Args,
    #[command(flatten)]
    selection: selection::Args,
    /// Test only under these revisions of the protocol, separated by commas: v0.11.0,v0.12.0.
    #[arg(long, value_name = "REVISION", value_delimiter = ',')]
    revision: Vec<String>,
    /// Send pods and containers like those of this runtime.
    #[arg(long, value_parser = one_of(RUNTIMES), default_value = "containerd")]
    runtime: RuntimeKind,
    /// Time limit of the runtime for each request, such as 2s or 500ms [default: 2s].
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
    /// Seed for ids and random content.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Test W11 and W17 with up to 1,000,000 events and with 1,000 connections, which takes minutes.
    #[arg(long)]
    soak: bool,
    /// Write a wire trace of each failure to this folder.
    #[arg(long, value_name = "FOLDER")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    answer: answer::Args,
}

const RUNTIMES: &[Choice<RuntimeKind>] = &[
    ("containerd", "containerd 2.4", RuntimeKind::Containerd),
    ("cri-o", "CRI-O 1.36", RuntimeKind::Crio),
];

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let started = args.answer.start()?;
    let options = args.options()?;
    let report = session::run(async {
        let steps = Arc::new(Steps::new("starting the plugin"));
        let run = Run::new(args.plugin.subject()?);
        let report = run.options(options).progress(steps).run().await;
        report.map_err(Error::from)
    })?;
    args.answer
        .finish(args.plugin.place(), Some(args.seed), report, &started)
}

impl Args {
    fn options(&self) -> Result<Options, Error> {
        let defaults = Timeouts::default();
        Ok(Options {
            only: self.selection.only.iter().cloned().collect(),
            skip: self.selection.skip.iter().cloned().collect(),
            revisions: self.revision.iter().cloned().collect(),
            runtime: self.runtime,
            timeouts: Timeouts {
                request: self.timeout.unwrap_or(defaults.request),
                ..defaults
            },
            seed: self.seed,
            soak: self.soak,
            config: self.plugin.config()?.unwrap_or_default(),
            trace: self.trace.clone(),
        })
    }
}
