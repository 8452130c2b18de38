//! `nri-compat conformance`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Subcommand;
use nri_conformance::contract;
use nri_conformance::plugin::{Options, Run};
use nri_conformance::result::Report;
use nri_conformance::runtime::{self, recording};
use nri_conformance::session::RuntimeKind;

use super::decisions::{self, Decisions};
use super::progress::Steps;
use super::values::{Choice, duration, formats_of, one_of};
use super::{output, plugin_under_test, session};
use crate::error::{Error, did_you_mean};
use crate::exit::Exit;
use crate::policy::{self, FailOnTest};
use crate::report::conformance::{ConformanceReport, StatementsReport};
use crate::report::template::Format;

/// Tests whether a plugin or a runtime keeps the lifecycle contract of NRI.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, args_conflicts_with_subcommands = true)]
pub(super) struct ConformanceArgs {
    /// List the statements of the contract.
    #[arg(long)]
    list: bool,
    /// Output format of the list.
    #[arg(long, value_parser = formats_of::<&StatementsReport<'_>>(), default_value = "text", requires = "list")]
    format: Format,
    #[command(subcommand)]
    subject: Option<TestedPeer>,
}

#[derive(Debug, Subcommand)]
enum TestedPeer {
    Plugin(Box<PluginArgs>),
    Runtime(Box<RuntimeArgs>),
    Recording(Box<RecordingArgs>),
}

pub(super) fn run(args: &ConformanceArgs) -> Result<Exit, Error> {
    match &args.subject {
        Some(TestedPeer::Plugin(args)) => run_plugin(args),
        Some(TestedPeer::Runtime(args)) => run_runtime(args),
        Some(TestedPeer::Recording(args)) => run_recording(args),
        None => list(args.format),
    }
}

/// Prints all statements of the contract.
fn list(format: Format) -> Result<Exit, Error> {
    let statements: Vec<_> = contract::all().iter().collect();
    let report = StatementsReport { statements: &statements };
    output::print_report(&report, format)?;
    Ok(Exit::Clean)
}

/// Tests whether a plugin keeps the contract, under every revision of the protocol.
///
/// The plugin is executed many times. Do not run this on a machine that the plugin could change,
/// unless --isolate or the plugin itself prevents it.
#[derive(Debug, clap::Args)]
struct PluginArgs {
    #[command(flatten)]
    plugin: plugin_under_test::PluginUnderTestArgs,
    #[command(flatten)]
    selection: Selection,
    /// Test only under these revisions of the protocol, separated by commas: v0.11.0,v0.12.0.
    #[arg(long, value_name = "REVISION", value_delimiter = ',')]
    revision: Vec<String>,
    /// Send pods and containers like those of this runtime.
    #[arg(long, value_parser = one_of(RUNTIMES), default_value = "containerd")]
    runtime: RuntimeKind,
    /// Time limit of the runtime for each request, such as 2s or 500ms [default: 2s].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Seed for ids and random content.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Test W11 and W17 with up to 1,000,000 events and with 1,000 connections, which takes
    /// minutes.
    #[arg(long)]
    soak: bool,
    /// Write a wire trace of each failure to this folder.
    #[arg(long, value_name = "FOLDER")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    answer: ResultArgs,
}

const RUNTIMES: &[Choice<RuntimeKind>] = &[
    ("containerd", "containerd 2.4", RuntimeKind::Containerd),
    ("cri-o", "CRI-O 1.36", RuntimeKind::Crio),
];

fn run_plugin(args: &PluginArgs) -> Result<Exit, Error> {
    let started = (args.answer.decisions.read()?, Instant::now());
    let options = args.options()?;
    let report = session::run(async {
        let steps = Steps::new("starting the plugin");
        let run = Run::new(args.plugin.subject()?)
            .options(options)
            .progress(move |number, all, test| steps.begins(number, all, test));
        let report = run.run().await;
        report.map_err(Error::from)
    })?;
    args.answer.finish(args.plugin.place(), Some(args.seed), report, started)
}

impl PluginArgs {
    fn options(&self) -> Result<Options, Error> {
        let mut options = Options::default();
        options.only = self.selection.only.iter().cloned().collect();
        options.skip = self.selection.skip.iter().cloned().collect();
        options.revisions = self.revision.iter().cloned().collect();
        options.runtime = self.runtime;
        options.timeouts.request = self.timeout.unwrap_or(options.timeouts.request);
        options.seed = self.seed;
        options.soak = self.soak;
        options.config = self.plugin.config()?.unwrap_or_default();
        options.trace = self.trace.clone();
        Ok(options)
    }
}

/// Tests whether a runtime keeps the contract, with plugins that observe it while pods come and go.
///
/// With --cri, pods and containers are run, and some requests fail on purpose: do not run this on a
/// node with a workload. With --observe, the existing workload of the node is observed.
#[derive(Debug, clap::Args)]
struct RuntimeArgs {
    /// The socket that plugins connect to.
    #[arg(long, value_name = "SOCKET", default_value = "/var/run/nri/nri.sock")]
    socket: PathBuf,
    /// The CRI socket of the runtime, through which pods are run, such as
    /// /run/containerd/containerd.sock.
    #[arg(long, value_name = "SOCKET", required_unless_present = "observe")]
    cri: Option<PathBuf>,
    /// Observe the workload of the node for this long, such as 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    observe: Option<Duration>,
    /// The image of the containers, which must already be on the node; its command must run until
    /// it is stopped.
    #[arg(long, default_value = runtime::Options::IMAGE)]
    image: String,
    /// A command that fails in a container of the image: repeat the option for each word.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    failing_command: Vec<String>,
    /// Time limit for each request to the runtime, such as 30s.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Seed for the names of pods.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Folder where the file system of the node is mounted.
    #[arg(long, value_name = "FOLDER", default_value = "/")]
    root: PathBuf,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    answer: ResultArgs,
}

fn run_runtime(args: &RuntimeArgs) -> Result<Exit, Error> {
    let started = (args.answer.decisions.read()?, Instant::now());
    let options = args.options();
    let report =
        session::run_until_interrupted(async |stop| runtime::run_until(&options, stop).await)?;
    let place = args.socket.display().to_string();
    args.answer.finish(place, Some(args.seed), report, started)
}

impl RuntimeArgs {
    fn options(&self) -> runtime::Options {
        let mut options = runtime::Options::new(&self.socket);
        options.cri_socket = self.cri.clone();
        options.image = self.image.clone();
        options.failing_command = self.failing_command.clone();
        options.observe = self.observe;
        options.only = self.selection.only.iter().cloned().collect();
        options.skip = self.selection.skip.iter().cloned().collect();
        options.timeout = self.timeout.unwrap_or(runtime::Options::TIMEOUT);
        options.seed = self.seed;
        options.node_root = self.root.clone();
        options
    }
}

/// Tests whether the runtime of a recording kept the contract.
///
/// Judges the order of the events on each connection, by the same statements as `conformance
/// runtime`. Other statements need the requests to the runtime or the state of its node, which a
/// recording does not have.
#[derive(Debug, clap::Args)]
struct RecordingArgs {
    /// The recording, as written by `nri-compat record`.
    recording: PathBuf,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    answer: ResultArgs,
}

fn run_recording(args: &RecordingArgs) -> Result<Exit, Error> {
    let started = (args.answer.decisions.read()?, Instant::now());
    let report = recording::judge(&args.recording, |statement| args.selection.selects(statement))?;
    let place = args.recording.display().to_string();
    args.answer.finish(place, None, report, started)
}

/// Options that select statements.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct Selection {
    /// Test only these statements, separated by commas: P7,W3.
    #[arg(long, value_name = "STATEMENT", value_delimiter = ',', value_parser = statement)]
    only: Vec<String>,
    /// Skip these statements, separated by commas.
    #[arg(long, value_name = "STATEMENT", value_delimiter = ',', value_parser = statement)]
    skip: Vec<String>,
}

impl Selection {
    /// Returns true if a statement is tested.
    fn selects(&self, statement: &str) -> bool {
        let named = |ids: &[String]| ids.iter().any(|id| id == statement);
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }
}

/// Returns the id of a statement, which may be given in lower case.
fn statement(text: &str) -> Result<String, String> {
    let id = text.trim().to_ascii_uppercase();
    if contract::get(&id).is_some() {
        return Ok(id);
    }
    let all = "`nri-compat conformance --list` lists all";
    let help = did_you_mean(&id, contract::ids(), all);
    Err(format!("no such statement; {help}"))
}

/// Options of commands that print the results of tests.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct ResultArgs {
    /// Output format.
    #[arg(long, value_parser = formats_of::<&ConformanceReport>(), default_value = "text")]
    format: Format,
    /// Results that make the exit code 100, in addition to failures, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "RESULT")]
    fail_on: Vec<FailOnTest>,
    #[command(flatten)]
    decisions: decisions::DecisionsArgs,
}

impl ResultArgs {
    /// Applies policy and baseline, writes the report, and returns the exit code. `seed` repeats
    /// the random choices of the run, if it made any.
    ///
    /// # Errors
    ///
    /// Returns an error if the report or the baseline cannot be written.
    fn finish(
        &self,
        place: String,
        seed: Option<u64>,
        report: Report,
        (decisions, start): (Decisions<'_>, Instant),
    ) -> Result<Exit, Error> {
        let mut report = ConformanceReport::new(place, report);
        report.summary.seed = seed;
        report.summary.millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        decisions.apply(&mut report, policy::apply_to_conformance)?;
        output::print_report(&report, self.format)?;
        Ok(policy::exit_of_conformance(&report, &self.fail_on))
    }
}

#[cfg(test)]
mod tests {
    use super::statement;

    #[test]
    fn statements_are_known_in_any_case() {
        assert_eq!(statement(" w3"), Ok("W3".to_owned()));
        assert!(statement("W33").is_err_and(|error| error.contains("W3")));
        assert!(statement("").is_err_and(|error| error.contains("--list")));
    }
}
